"""One environment variable of a container: core/v1 EnvVar, with what the validation of a pod asks of it."""

import re
from typing import Annotated, Any, Final

from pydantic import AfterValidator

from kagent_render.api.schema import Block, Check, Reference, Refusal, Rule, Sensitive, exactly_one

_QUANTITY: Final = re.compile(
    r"(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?"
)
_NAME: Final = re.compile("[ -<>-~]+")

SOURCES: Final = ("configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef")
"""The sources of a variable's value, of which there is one."""


def _quantity(value: object) -> object:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole and not (isinstance(value, str) and _QUANTITY.fullmatch(value)):
        raise ValueError("not a quantity")
    return value


Quantity = Annotated[
    Any,
    AfterValidator(_quantity),
    Refusal("the value must be a quantity", hint="write a number with an optional unit, such as `1Mi`"),
]
VariableName = Annotated[
    str,
    Check(
        "the name of a variable must be printable ASCII characters other than `=`",
        holds=lambda name: _NAME.fullmatch(name) is not None,
        hint="use letters, digits and `_`",
        cel="self.matches('^[ -<>-~]+$')",
    ),
]


class KeySelector(Reference):
    """A key of a Secret or ConfigMap of the same namespace."""

    name: str = ""
    key: str
    optional: bool | None = None


class FieldSelector(Block):
    """A field of the pod."""

    api_version: str | None = None
    field_path: str


class FileKeySelector(Block):
    """A key of an env file in one of the pod's volumes."""

    key: str
    path: str
    volume_name: str
    optional: bool = False


class ResourceFieldSelector(Block):
    """A limit or request of a container."""

    container_name: str | None = None
    divisor: Quantity | None = None
    resource: str


class EnvVarSource(Block):
    """Where a variable's value comes from."""

    config_map_key_ref: KeySelector | None = None
    field_ref: FieldSelector | None = None
    file_key_ref: FileKeySelector | None = None
    resource_field_ref: ResourceFieldSelector | None = None
    secret_key_ref: KeySelector | None = None

    rules = (exactly_one(*SOURCES),)


class EnvVar(Block):
    """A literal or a source; an empty literal may stand beside a source."""

    name: VariableName
    value: str | None = None
    value_from: EnvVarSource | None = None

    rules = (
        Rule(
            "`valueFrom` must not be set where `value` is not empty",
            holds=lambda block: not (block.get("value") and block.get("valueFrom")),
            reads=("value", "valueFrom"),
            field=("valueFrom",),
            hint="remove `value` or `valueFrom`",
            cel="!has(self.valueFrom) || !has(self.value) || self.value == ''",
        ),
    )


Environment = Annotated[list[EnvVar], Sensitive()]
