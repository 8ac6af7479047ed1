"""What the edge models are made of: strict blocks, and the constraints that pydantic has no word for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from typing import Annotated, Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from kagent_render.diagnostics.reasons import Reason

LARGEST_INTEGER: Final = 2**53
"""The largest integer that RFC 8785 hashes exactly."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule across the fields of one block; `holds` reads the block after defaulting.

    `field` leads from the block to the place at fault. The rule is silent while one of the fields that it
    `reads` is at fault itself. Where the block holds none of the rule's `alternatives`, an unknown key is
    taken for a misspelt one. `cel` says the same to an API server, the keywords of `schema` to an editor.
    """

    message: str
    holds: Callable[[Mapping[str, Any]], bool]
    reads: tuple[str, ...]
    hint: str
    field: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    cel: str | None = None
    schema: Mapping[str, Any] = field_of(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Check:
    """A rule for one string, with a message of its own.

    The keywords of `schema` say the same to an editor, and to an API server where `cel` does not.
    """

    message: str
    holds: Callable[[str], bool]
    hint: str
    reason: Reason = Reason.INVALID_SPEC
    sensitive: bool = False
    cel: str | None = None
    schema: Mapping[str, Any] = field_of(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What is said, and under which reason, where a field is missing or breaks its own pattern."""

    message: str
    hint: str
    reason: Reason = Reason.INVALID_SPEC


@dataclass(frozen=True, slots=True)
class ListMap:
    """A list whose items are told apart by `key` (`x-kubernetes-list-type: map`)."""

    key: str


@dataclass(frozen=True, slots=True)
class ListSet:
    """A list that holds no value twice (`x-kubernetes-list-type: set`)."""


@dataclass(frozen=True, slots=True)
class ListAtomic:
    """A list that has one owner as a whole (`x-kubernetes-list-type: atomic`)."""


@dataclass(frozen=True, slots=True)
class IntOrString:
    """A value that is an integer, or a string of a `pattern` (`x-kubernetes-int-or-string`)."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Format:
    """How a string or an integer is to be read, by the name that OpenAPI has for it."""

    name: str


@dataclass(frozen=True, slots=True)
class Sensitive:
    """A field at or below which a literal may be a credential, so that no source line is quoted."""


@dataclass(frozen=True, slots=True)
class Text:
    """A string of many lines, whose writer may have left out the `|` that makes it one."""


@dataclass(frozen=True, slots=True)
class EmptyAsAbsent:
    """A string that must not be empty to an API server, and is absent to what reads it: told, not broken."""

    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Refers:
    """A string that names another object, where a manifest may try to name its namespace too."""


class Block(BaseModel):
    """One object of a manifest: nothing is coerced and no unknown field is accepted.

    Optional fields without a default are written `T | None`, None meaning absent: explicit nulls are
    pruned before validation, as an API server does. A text below a field is its help. The fields of an
    `atomic` block have one owner (`x-kubernetes-map-type: atomic`).
    """

    model_config = ConfigDict(
        alias_generator=to_camel, defer_build=True, extra="forbid", frozen=True, strict=True
    )
    rules: ClassVar[tuple[Rule, ...]] = ()
    atomic: ClassVar[bool] = False


class OpenBlock(Block):
    """One object of which some fields are known here: those are judged, the others are kept as they are."""

    model_config = ConfigDict(extra="ignore")


class Reference(Block):
    """A block that names another object of the same namespace."""


Name = Annotated[str, Field(min_length=1)]
Integer = Annotated[int, Field(ge=-LARGEST_INTEGER, le=LARGEST_INTEGER)]
Positive = Annotated[int, Field(ge=1, le=LARGEST_INTEGER)]


class LocalReference(Reference):
    """An object of the same namespace, by name."""

    name: Name
    """The object's name."""


class ConfigMapKey(Reference):
    """A key of a ConfigMap of the same namespace."""

    name: Name
    """The ConfigMap's name."""
    key: Name
    """The key whose text is taken."""


def alternatives_text(names: Sequence[str]) -> str:
    """The `names` as a message lists them."""
    quoted = [f"`{name}`" for name in names]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def exactly_one(*names: str) -> Rule:
    """The rule that one and only one of the fields `names` is present."""
    listed = alternatives_text(names)
    return Rule(
        message=f"exactly one of {listed} must be specified",
        holds=lambda block: sum(name in block for name in names) == 1,
        reads=(),
        hint=f"keep one of {listed}",
        alternatives=names,
        cel=" + ".join(f"(has(self.{name}) ? 1 : 0)" for name in names) + " == 1",
        schema={"oneOf": [{"required": [name]} for name in names]},
    )


def at_most_one(first: str, second: str) -> Rule:
    """The rule that the fields `first` and `second` exclude each other."""
    return Rule(
        message=f"`{first}` and `{second}` are mutually exclusive",
        holds=lambda block: not (first in block and second in block),
        reads=(),
        hint=f"remove `{first}` or `{second}`",
        cel=f"!(has(self.{first}) && has(self.{second}))",
        schema={"not": {"required": [first, second]}},
    )
