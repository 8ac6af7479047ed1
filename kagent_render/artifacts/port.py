"""The port that every transport of artifacts stands behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.deadline import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource, Origin
    from kagent_render.artifacts.package import Package


def _ignore(size: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class FetchContext:
    """What holds for every fetch of one run; `received` is told the bytes of each piece that arrives."""

    limits: Limits = field(default_factory=Limits)
    bounds: Bounds = field(default_factory=Bounds)
    received: Callable[[int], None] = _ignore


class Fetcher(Protocol):
    """Gets the content of one origin over the network.

    `reads_paths` tells that only what lies below the wanted paths is read, and may be unsafe or too large.
    """

    @property
    def reads_paths(self) -> bool:
        """Whether the fault of one path is none of another."""
        ...

    def fetch(self, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:
        """The package that `origin` pins, or as much of it as `Package.subtree` needs for each of `paths`.

        Raises ArtifactFailure. May be called from several threads.
        """
        ...

    def settings(self, origin: Origin) -> Mapping[str, str]:
        """What else than `origin` decides on the content: a platform, an endpoint of the configuration."""
        ...


class Store(Protocol):
    """Holds artifacts at hand, so that they need not be fetched."""

    def package(self, source: ArtifactSource) -> Package | None:
        """The package at the source's path; None where it is not held; raises ArtifactFailure."""
        ...


class Cache(Protocol):
    """Keeps what was fetched for later runs; may hold nothing, and gives nothing but what was kept.

    `settings` are those that the fetcher gave for the source's origin. May be called from several threads.
    """

    def package(self, source: ArtifactSource, settings: Mapping[str, str]) -> Package | None:
        """The package at the source's path; None where it is not held; raises ArtifactFailure."""
        ...

    def keep(self, source: ArtifactSource, settings: Mapping[str, str], package: Package) -> None:
        """Hold the package at the source's path from now on, if that can be done; never fails."""
        ...
