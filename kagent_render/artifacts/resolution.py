"""Getting every artifact of a run: what is at hand first, then the network, each origin once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.cache.disk import NoCache
from kagent_render.artifacts.failure import ArtifactFailure, printable
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.source_identity import origin_text, source_text
from kagent_render.artifacts.tally import Tally
from kagent_render.artifacts.workers import run_all
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource, Origin
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import Cache, Fetcher, Store

    Outcome = Package | ArtifactFailure


_OF_ONE_PATH: Final = frozenset({Reason.ARTIFACT_UNSAFE, Reason.ARTIFACT_TOO_LARGE})


@dataclass(frozen=True, slots=True)
class Means:
    """Where artifacts may come from: the vendored `store` first, then the `cache`, then a fetcher.

    Without `online` nothing is fetched. `jobs` origins are fetched at a time; `told` hears how far it is.
    """

    store: Store
    fetchers: Mapping[type[Origin], Fetcher]
    cache: Cache = field(default_factory=NoCache)
    online: bool = True
    jobs: int = 8
    context: FetchContext = field(default_factory=FetchContext)
    told: Callable[[str, float], None] = lambda *_: None


def resolve(sources: Iterable[ArtifactSource], means: Means) -> dict[ArtifactSource, Outcome]:
    """The package at each source's path, or why it cannot be had; in the order of `sources`.

    An origin is fetched once however many paths of it are used, and no failure hides another.
    """
    wanted = list(dict.fromkeys(sources))
    outcomes = {source: _held(source, means) for source in wanted}
    missing = [source for source in wanted if outcomes[source] is None]
    outcomes.update(_fetched(missing, means) if means.online else _unavailable(missing))
    return {source: outcome for source, outcome in outcomes.items() if outcome is not None}


def _held(source: ArtifactSource, means: Means) -> Outcome | None:
    """What is at hand; content that is not what it should be is a failure, never a reason to fetch."""
    try:
        vendored = means.store.package(source)
        if vendored is not None:
            return dataclasses.replace(vendored, place="the vendored store")
        settings = means.fetchers[type(source.origin)].settings(source.origin)
        cached = means.cache.package(source, settings)
        return dataclasses.replace(cached, place="the artifact cache") if cached is not None else None
    except ArtifactFailure as failure:
        return failure


def _fetched(sources: Sequence[ArtifactSource], means: Means) -> dict[ArtifactSource, Outcome]:
    wanted: dict[Origin, list[ArtifactSource]] = {}
    for source in sources:
        wanted.setdefault(source.origin, []).append(source)
    tally = Tally(len(wanted), means.told)
    work = [partial(_fetch, origin, own, means, tally) for origin, own in wanted.items()]
    return {source: outcome for found in run_all(work, means.jobs) for source, outcome in found.items()}


def _fetch(
    origin: Origin, sources: Sequence[ArtifactSource], means: Means, tally: Tally
) -> dict[ArtifactSource, Outcome]:
    """One origin's packages at the paths of `sources`, kept for later runs."""
    context = dataclasses.replace(means.context, received=tally.received)
    tally.begin(origin)
    try:
        outcomes = _at_paths(means.fetchers[type(origin)], origin, sources, context)
        settings = means.fetchers[type(origin)].settings(origin)
        for source, outcome in outcomes.items():
            if not isinstance(outcome, ArtifactFailure):
                means.cache.keep(source, settings, outcome)
        return outcomes
    finally:
        tally.end(origin)


def _at_paths(
    fetcher: Fetcher, origin: Origin, sources: Sequence[ArtifactSource], context: FetchContext
) -> dict[ArtifactSource, Outcome]:
    """The packages at several paths, fetched together; apart where the fault of one would be that of all."""
    try:
        package = fetcher.fetch(origin, [source.path for source in sources], context)
    except ArtifactFailure as failure:
        if len(sources) == 1 or not fetcher.reads_paths or failure.reason not in _OF_ONE_PATH:
            return dict.fromkeys(sources, failure)
        apart = [_at_paths(fetcher, origin, [source], context) for source in sources]
        return {source: outcome for found in apart for source, outcome in found.items()}
    return {source: _at_path(package, source) for source in sources}


def _at_path(package: Package, source: ArtifactSource) -> Outcome:
    own = package.subtree(source.path)
    if own.files or own.outside or not source.path:
        return own
    return ArtifactFailure(
        Reason.ARTIFACT_NOT_FOUND,
        f"{origin_text(source.origin)} has no directory `{printable(source.path)}`",
        hint="set `source.path` to a directory of the artifact",
    )


def _unavailable(sources: Iterable[ArtifactSource]) -> dict[ArtifactSource, Outcome]:
    return {
        source: ArtifactFailure(
            Reason.ARTIFACT_UNAVAILABLE_OFFLINE,
            f"{source_text(source)} is neither in `.kagent/artifacts` nor in the cache, and this run may not"
            " use the network",
            hint="where there is a network, run `kagent-render render` and commit the lock, or"
            " `kagent-render vendor` and commit the content",
        )
        for source in sources
    }
