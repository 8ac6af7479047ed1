"""A root's artifact cache: it keeps nothing that a lock of the root contradicts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.source_identity import source_key
from kagent_render.preparation.other_content import check_locked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import Cache
    from kagent_render.artifacts.selection import Selection

    Locked = Mapping[str, Sequence[Selection]]


class LockedCache:
    """A cache that forgets what is not what `read_locked` says, which is asked once, when first needed.

    Such content is an error now; kept, it would be one still when its source is itself again.
    """

    def __init__(self, cache: Cache, read_locked: Callable[[], Locked]) -> None:
        self._cache = cache
        self._read_locked = read_locked
        self._reading = threading.Lock()
        self._locked: Locked | None = None

    def package(self, source: ArtifactSource, settings: Mapping[str, str]) -> Package | None:
        """The package that was kept, for other roots as well; raises ArtifactFailure."""
        return self._cache.package(source, settings)

    def keep(self, source: ArtifactSource, settings: Mapping[str, str], package: Package) -> None:
        """Hold the package unless a lock pins something else of its source."""
        try:
            check_locked(source, package, self._selections().get(source_key(source), ()))
        except ArtifactFailure:
            return
        self._cache.keep(source, settings, package)

    def _selections(self) -> Locked:
        with self._reading:
            if self._locked is None:
                self._locked = self._read_locked()
            return self._locked
