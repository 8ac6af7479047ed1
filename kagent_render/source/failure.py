"""The faults that reading YAML ends with, before and after their place is known."""

from __future__ import annotations


class CompositionError(ValueError):
    """YAML that is well-formed but not acceptable; `index` is the character where that shows."""

    def __init__(self, message: str, index: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.index = index
        self.hint = hint


class YAMLInvalidError(ValueError):
    """Bytes that Kubernetes' reader would refuse, or that are beyond our bounds; line and column from 1."""

    def __init__(self, message: str, line: int, column: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.hint = hint
