"""The port that every transport of artifacts stands behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from kagent_render.artifacts.archive.limits import Limits

if TYPE_CHECKING:
    from kagent_render.api.hub import ArtifactSource, Origin
    from kagent_render.artifacts.package import Package


@dataclass(frozen=True, slots=True)
class FetchContext:
    """What holds for every fetch of one run."""

    limits: Limits = field(default_factory=Limits)


class Fetcher(Protocol):
    """Gets the whole content of one origin over the network."""

    def fetch(self, origin: Origin, context: FetchContext) -> Package:
        """The package that `origin` pins; raises ArtifactFailure. May be called from several threads."""
        ...


class Store(Protocol):
    """Holds artifacts at hand, so that they need not be fetched."""

    def package(self, source: ArtifactSource) -> Package | None:
        """The package at the source's path; None where it is not held; raises ArtifactFailure."""
        ...
