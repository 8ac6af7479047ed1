"""Container environments: literals and Secret references, their origin, their order."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import SecretKeyRef

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.diagnostics.diagnostic import FieldPath, SourcePosition
    from kagent_render.source.document import Document

EnvValue = str | SecretKeyRef


@dataclass(frozen=True, slots=True)
class Provenance:
    """The field of a source document that a value comes from."""

    document: Document
    field: FieldPath

    @property
    def position(self) -> SourcePosition:
        """Where the field is written."""
        return self.document.position(self.field)


@dataclass(frozen=True, slots=True)
class EnvVar:
    """One environment variable; `origin` is None for the variables that every boundary has."""

    name: str
    value: EnvValue
    origin: Provenance | None = dataclasses.field(default=None, compare=False)

    @property
    def size(self) -> int:
        """Bytes of `NAME=value`; a reference counts its name alone, since its value is never known here."""
        value = self.value if isinstance(self.value, str) else ""
        return len(self.name.encode()) + 1 + len(value.encode())


def deduplicate(variables: Iterable[EnvVar]) -> tuple[EnvVar, ...]:
    """Keep each name once: at its first position, with its last value (facts 4.1)."""
    kept: dict[str, EnvVar] = {}
    for variable in variables:
        kept[variable.name] = variable
    return tuple(kept.values())
