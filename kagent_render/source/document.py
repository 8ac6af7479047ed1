"""One YAML document with its file and the line and column of every field."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from kagent_render.diagnostics.diagnostic import (
    Diagnostic,
    FieldPath,
    ObjectRef,
    Severity,
    SourcePosition,
    field_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.diagnostics.reasons import Reason


class Locator(Protocol):
    """Finds a field of one YAML document: line and column from 1, of the nearest present ancestor."""

    def locate(self, field: FieldPath) -> tuple[int, int]:
        """The place of a mapping entry's key, or of a list item's first character."""
        ...

    def locate_literal(self, field: FieldPath) -> tuple[int, int] | None:
        """The first line of a literal block's text, and the indentation of its lines.

        None where `field` holds no literal block.
        """
        ...


@dataclass(frozen=True, eq=False)
class Document:
    """One object of a source file; `value` is plain data as Kubernetes' reader gives it.

    `prefix` leads to the object inside its YAML document: empty, or `("items", n)` out of a List.
    """

    path: str
    value: Mapping[str, Any]
    locator: Locator
    prefix: FieldPath = ()

    @cached_property
    def ref(self) -> ObjectRef:
        """The identity that the manifest claims; parts that are absent or not text are None or empty."""
        metadata = self.value.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        return ObjectRef(
            _text(self.value.get("apiVersion")) or "",
            _text(self.value.get("kind")) or "",
            _text(metadata.get("namespace")),
            _text(metadata.get("name")),
        )

    def position(self, field: FieldPath) -> SourcePosition:
        """Where `field` is written; the nearest present ancestor when it is absent."""
        line, column = self.locator.locate(self.prefix + field)
        return SourcePosition(self.path, line, column)

    def text_position(self, field: FieldPath, line: int, column: int) -> SourcePosition:
        """Where a place in the text of `field` is written; `line` and `column` of the text count from 1.

        The place of `field` where the lines of its text are not lines of the file.
        """
        literal = self.locator.locate_literal(self.prefix + field)
        if literal is None:
            return self.position(field)
        return SourcePosition(self.path, literal[0] + line - 1, literal[1] + column)

    def fault(
        self,
        reason: Reason,
        field: FieldPath,
        message: str,
        *,
        hint: str | None = None,
        severity: Severity = Severity.ERROR,
        sensitive: bool = False,
    ) -> Diagnostic:
        """A diagnostic about `field` of this document."""
        return Diagnostic(
            reason,
            message,
            severity=severity,
            hint=hint,
            object=self.ref,
            field=field_text(field) or None,
            source=self.position(field),
            sensitive=sensitive,
        )


@dataclass(frozen=True, eq=False)
class GuardedDocument(Document):
    """A document with literals that may be credentials: no diagnostic of it shows a line with one of them."""

    literals: tuple[FieldPath, ...] = ()

    @cached_property
    def _guarded(self) -> frozenset[int]:
        return frozenset(self.position(field).line for field in self.literals)

    def fault(
        self,
        reason: Reason,
        field: FieldPath,
        message: str,
        *,
        hint: str | None = None,
        severity: Severity = Severity.ERROR,
        sensitive: bool = False,
    ) -> Diagnostic:
        """A diagnostic about `field` of this document."""
        hidden = sensitive or self.position(field).line in self._guarded
        return super().fault(reason, field, message, hint=hint, severity=severity, sensitive=hidden)


def guard(document: Document, literals: Iterable[FieldPath]) -> GuardedDocument:
    """The same document with `literals` guarded, as far as they are present; a guarded one as it is."""
    if isinstance(document, GuardedDocument):
        return document
    return GuardedDocument(document.path, document.value, document.locator, document.prefix, tuple(literals))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
