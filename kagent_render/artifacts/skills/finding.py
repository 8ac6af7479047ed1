"""What reading a plugin or skill found, before the caller ties it to a manifest's field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import Severity

if TYPE_CHECKING:
    from kagent_render.diagnostics.reasons import Reason


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in an artifact's content.

    `selection` is the index of the selected skill that it concerns; None where it concerns the source.
    """

    reason: Reason
    message: str
    hint: str | None = None
    severity: Severity = Severity.ERROR
    selection: int | None = None

    @property
    def is_error(self) -> bool:
        """Whether this keeps the content from being used."""
        return self.severity is Severity.ERROR
