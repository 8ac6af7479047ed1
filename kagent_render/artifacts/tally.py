"""What fetching has done so far, for a person who waits."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.source_identity import origin_text, shortened
from kagent_render.diagnostics.size import size_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_render.api.hub import Origin

_FEW: Final = 3


@dataclass(slots=True)
class Tally:
    """Counts artifacts and bytes from several threads.

    At each change `told` is called with a sentence, and with the share of the artifacts that are done.
    """

    total: int
    told: Callable[[str, float], None]
    _bytes: int = 0
    _done: int = 0
    _begun: list[Origin] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def received(self, size: int) -> None:
        """Count bytes that arrived."""
        with self._lock:
            self._bytes += size
            self._tell()

    def begin(self, origin: Origin) -> None:
        """Note that an artifact is being fetched."""
        with self._lock:
            self._begun.append(origin)
            self._tell()

    def end(self, origin: Origin) -> None:
        """Note that an artifact is there, or has failed."""
        with self._lock:
            self._begun.remove(origin)
            self._done += 1
            self._tell()

    def _tell(self) -> None:
        self.told(self._sentence(), self._done / self.total)

    def _sentence(self) -> str:
        text = f"Fetching artifacts: {self._done} of {self.total}, {size_text(self._bytes)}"
        if not self._begun or self.total - self._done > _FEW:
            return text
        more = f" and {len(self._begun) - 1} more" if len(self._begun) > 1 else ""
        return f"{text}, waiting for {shortened(origin_text(self._begun[0]))}{more}"
