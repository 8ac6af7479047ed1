"""The files of an output folder that are not as planned, by their owners, and how each is told."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import Diagnostic, PairRef, PlatformAgentRef, SourcePosition
from kagent_render.diagnostics.difference import first_difference
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.comparison import compare
from kagent_render.emit.layout import place_of

if TYPE_CHECKING:
    from kagent_render.emit.folder import OutputReader
    from kagent_render.emit.layout import Owner
    from kagent_render.emit.plan import OutputPlan

RENDER: Final = "run `kagent-render render` and commit the result"
"""The hint of everything that rendering again would mend."""

_CONFLICT: Final = re.compile(rb"^(?:<{7}|={7}|>{7})", re.MULTILINE)
_LONGEST: Final = 64 * 1024 * 1024


class OutputFiles:
    """One folder held against one plan; paths are relative to the folder, which has the name `folder`."""

    def __init__(self, plan: OutputPlan, output: OutputReader, folder: str) -> None:
        self.comparison = compare(plan, output)
        self.missing = frozenset(self.comparison.missing)
        self.changed = frozenset(self.comparison.changed)
        self.differing_of: defaultdict[Owner | None, list[str]] = defaultdict(list)
        self._plan = plan
        self._output = output
        self._folder = folder
        for path in sorted(self.missing | self.changed):
            place = place_of(path)
            self.differing_of[place.owner if place is not None else None].append(path)

    def full(self, path: str) -> str:
        """A path from the root."""
        return f"{self._folder}/{path}"

    def read(self, path: str) -> bytes:
        """What a file of the folder holds."""
        return self._output.read(path, _LONGEST)

    def holds(self, path: str, content: bytes) -> bool:
        """Whether a file of the folder holds exactly `content`."""
        return self._output.read(path, len(content) + 1) == content

    def fault(
        self, path: str, reason: Reason, message: str, owner: Owner | None = None, line: int = 1
    ) -> Diagnostic:
        """A diagnostic about a line of a file that rendering again would mend."""
        source = SourcePosition(self.full(path), line, 1)
        pair = owner if isinstance(owner, PairRef) else None
        # A Component has the literals of plugins, of which nothing says that they are no credentials.
        sensitive = isinstance(owner, PlatformAgentRef)
        return Diagnostic(reason, message, hint=RENDER, source=source, pair=pair, sensitive=sensitive)

    def drifted(self, path: str, owner: Owner | None = None) -> Diagnostic:
        """A file that is gone, or the first of its lines that is not as it was written."""
        if path in self.missing:
            return self.fault(path, Reason.OUTPUT_DRIFT, f"`{self.full(path)}` is missing", owner)
        wanted = self._plan.files[path]
        content = self._output.read(path, len(wanted) + 1)
        line = first_difference(wanted, content)
        if _CONFLICT.search(content):
            message = f"`{self.full(path)}` holds the conflict markers of a merge"
            return self.fault(path, Reason.LOCK_CONFLICT, message, owner, line)
        message = f"`{self.full(path)}` was edited by hand, first in line {line}"
        return self.fault(path, Reason.OUTPUT_DRIFT, message, owner, line)
