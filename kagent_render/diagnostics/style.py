"""Colour for terminals: the same text with it and without it."""

from __future__ import annotations

from dataclasses import dataclass

from kagent_render.diagnostics.diagnostic import Severity

_COLOURS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}


@dataclass(frozen=True, slots=True)
class Style:
    """Wraps text in escape sequences when `colour` is set, and gives it back as it is otherwise."""

    colour: bool = False

    def _wrap(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.colour else text

    def severity(self, severity: Severity, text: str) -> str:
        """A severity's own colour."""
        return self._wrap(_COLOURS[severity], text)

    def bold(self, text: str) -> str:
        """What matters most on a line."""
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        """What may be skipped."""
        return self._wrap("2", text)

    def frame(self, text: str) -> str:
        """Lines, arrows and numbers around a source line."""
        return self._wrap("34", text)

    def hint(self, text: str) -> str:
        """The word that begins an action."""
        return self._wrap("1;36", text)

    def good(self, text: str) -> str:
        """Something that is as it should be."""
        return self._wrap("32", text)

    def bad(self, text: str) -> str:
        """Something that is not."""
        return self._wrap("31", text)
