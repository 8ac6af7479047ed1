"""One environment variable of a container: core/v1 EnvVar, with what the validation of a pod asks of it."""

import re
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from kagent_render.api.schema import (
    Block,
    Check,
    IntOrString,
    Reference,
    Refusal,
    Rule,
    Sensitive,
    exactly_one,
)

_QUANTITY: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
_NAME: Final = re.compile("[ -<>-~]+")

SOURCES: Final = ("configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef")
"""The sources of a variable's value, of which there is one."""


def _quantity(value: object) -> object:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole and not (isinstance(value, str) and re.fullmatch(_QUANTITY, value)):
        raise ValueError("not a quantity")
    return value


Quantity = Annotated[
    Any,
    AfterValidator(_quantity),
    IntOrString(_QUANTITY),
    Refusal("the value must be a quantity", hint="write a number with an optional unit, such as `1Mi`"),
]
VariableName = Annotated[
    str,
    Check(
        "the name of a variable must be printable ASCII characters other than `=`",
        holds=lambda name: _NAME.fullmatch(name) is not None,
        hint="use letters, digits and `_`",
        schema={"pattern": "^[ -<>-~]+$"},
    ),
]


class KeySelector(Reference):
    """A key of a Secret or ConfigMap of the same namespace."""

    name: str = ""
    """The object's name."""
    key: str
    """The key whose value is taken."""
    optional: bool | None = None
    """Whether the object or its key may be missing."""

    atomic = True


class FieldSelector(Block):
    """A field of the pod."""

    api_version: str | None = None
    """The version that the path is of; `v1` unless told."""
    field_path: str
    """The field, such as `metadata.name`."""

    atomic = True


class FileKeySelector(Block):
    """A key of an env file in one of the pod's volumes."""

    key: str
    """The key in the file."""
    path: str
    """The file's path in the volume."""
    volume_name: str
    """The volume."""
    optional: bool = False
    """Whether the file or its key may be missing."""

    atomic = True


class ResourceFieldSelector(Block):
    """A limit or request of a container."""

    container_name: str | None = None
    """The container."""
    divisor: Quantity | None = None
    """The unit that the value is given in."""
    resource: str
    """The limit or request, such as `limits.cpu`."""

    atomic = True


class EnvVarSource(Block):
    """Where a variable's value comes from."""

    config_map_key_ref: KeySelector | None = None
    """A key of a ConfigMap."""
    field_ref: FieldSelector | None = None
    """A field of the pod."""
    file_key_ref: FileKeySelector | None = None
    """A key of an env file."""
    resource_field_ref: ResourceFieldSelector | None = None
    """A limit or request of a container."""
    secret_key_ref: KeySelector | None = None
    """A key of a Secret."""

    rules = (exactly_one(*SOURCES),)


class EnvVar(Block):
    """A literal or a source; an empty literal may stand beside a source."""

    name: VariableName
    """The variable's name."""
    value: str | None = None
    """A literal; this, or `valueFrom`."""
    value_from: EnvVarSource | None = None
    """Where the value comes from; this, or `value`."""

    rules = (
        Rule(
            "`valueFrom` must not be set where `value` is not empty",
            holds=lambda block: not (block.get("value") and block.get("valueFrom")),
            reads=("value", "valueFrom"),
            field=("valueFrom",),
            hint="remove `value` or `valueFrom`",
            cel="!has(self.valueFrom) || !has(self.value) || self.value == ''",
            schema={"not": {"required": ["value", "valueFrom"], "properties": {"value": {"minLength": 1}}}},
        ),
    )


Environment = Annotated[list[EnvVar], Field(max_length=1000), Sensitive()]
