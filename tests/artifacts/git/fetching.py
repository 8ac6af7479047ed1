"""Fetching as the tests do it: the package, or the failure with all that holds for every failure."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import GitSource
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.git import GitFetcher
from kagent_render.artifacts.package import Package
from kagent_render.artifacts.port import FetchContext

QUICK = Bounds(connect=0.3, read=0.3, answer=0.4, body=0.4, retry=0.05, pause=0.02)
"""For servers that say nothing."""
HURRIED = Bounds(retry=0.05, pause=0.02)
"""For servers that say the same whenever they are asked."""
PATIENT = Bounds(pause=0.02)
"""For servers that say something better a moment later."""


def fetch(
    url: str, commit: str, *paths: str, limits: Limits | None = None, bounds: Bounds | None = None
) -> Package:
    """The package of a commit; all of it where no path is named."""
    context = FetchContext(limits or Limits(), bounds or Bounds())
    return GitFetcher().fetch(GitSource(url, commit), paths or ("",), context)


def failure(
    url: str, commit: str, *paths: str, limits: Limits | None = None, bounds: Bounds | None = None
) -> ArtifactFailure:
    """How fetching fails, which it has to."""
    with pytest.raises(ArtifactFailure) as raised:
        fetch(url, commit, *paths, limits=limits, bounds=bounds)
    told = raised.value
    assert told.message.isprintable()
    assert "secret" not in told.message + (told.hint or "")
    assert commit in told.message
    return told


def contents(package: Package) -> dict[str, tuple[bytes, int]]:
    """Bytes and mode of each file."""
    return {path: (file.data, file.mode) for path, file in package.files.items()}
