"""What is wrong with one field of a request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldFault:
    """A field by its name in the API, one sentence about it, and what to do; neither quotes what was sent."""

    field: str
    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}"
