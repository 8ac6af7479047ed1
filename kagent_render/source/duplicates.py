"""Objects that are written twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.source.document import Document


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Two documents of one identity: group, kind, namespace and name."""

    first: Document
    second: Document

    def fault(self) -> Diagnostic:
        """`DuplicateObject` at the second one's name, with both places."""
        ref = self.second.ref
        first, second = self.first.position(("metadata", "name")), self.second.position(("metadata", "name"))
        message = f"{ref.kind} `{ref.namespace}/{ref.name}` is defined twice: at {first} and at {second}"
        return self.second.fault(
            Reason.DUPLICATE_OBJECT, ("metadata", "name"), message, hint="remove or rename one of the two"
        )
