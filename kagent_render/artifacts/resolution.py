"""Getting every artifact of a run: the vendored store first, then the network, each identity once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import ArtifactFailure, printable
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.source_identity import origin_text, source_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource, Origin
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import Fetcher, Store


def resolve(
    sources: Iterable[ArtifactSource],
    store: Store,
    fetchers: Mapping[type[Origin], Fetcher],
    *,
    offline: bool = False,
    jobs: int = 8,
    context: FetchContext | None = None,
) -> dict[ArtifactSource, Package | ArtifactFailure]:
    """The package at each source's path, or why it cannot be had; in the order of `sources`.

    An origin is fetched once however many paths of it are used, and no failure hides another. Offline,
    nothing is fetched.
    """
    wanted = list(dict.fromkeys(sources))
    outcomes = {source: _held(store, source) for source in wanted}
    missing = [source for source in wanted if outcomes[source] is None]
    if offline:
        outcomes.update((source, _unavailable(source)) for source in missing)
    else:
        wanted_of: dict[Origin, list[str]] = {}
        for source in missing:
            wanted_of.setdefault(source.origin, []).append(source.path)
        fetched = _fetch_all(wanted_of, fetchers, context or FetchContext(), jobs)
        outcomes.update((source, _at_path(fetched[source.origin], source)) for source in missing)
    return {source: outcome for source, outcome in outcomes.items() if outcome is not None}


def _held(store: Store, source: ArtifactSource) -> Package | ArtifactFailure | None:
    try:
        return store.package(source)
    except ArtifactFailure as failure:
        return failure


def _fetch_all(
    origins: Mapping[Origin, Sequence[str]],
    fetchers: Mapping[type[Origin], Fetcher],
    context: FetchContext,
    jobs: int,
) -> dict[Origin, Package | ArtifactFailure]:
    def fetch(origin: Origin) -> Package | ArtifactFailure:
        try:
            return _fetcher(origin, fetchers).fetch(origin, origins[origin], context)
        except ArtifactFailure as failure:
            return failure

    if not origins:
        return {}
    with ThreadPoolExecutor(max_workers=max(1, min(jobs, len(origins)))) as pool:
        return dict(zip(origins, pool.map(fetch, origins), strict=True))


def _fetcher(origin: Origin, fetchers: Mapping[type[Origin], Fetcher]) -> Fetcher:
    fetcher = fetchers.get(type(origin))
    if fetcher is None:
        raise ArtifactFailure(
            Reason.ARTIFACT_FETCH_FAILED,
            f"{origin_text(origin)} cannot be fetched by this version",
            hint="put its content under `.kagent/artifacts`, or publish it where it can be fetched from",
        )
    return fetcher


def _at_path(outcome: Package | ArtifactFailure, source: ArtifactSource) -> Package | ArtifactFailure:
    if isinstance(outcome, ArtifactFailure) or not source.path:
        return outcome
    package = outcome.subtree(source.path)
    if package.files or package.outside:
        return package
    return ArtifactFailure(
        Reason.ARTIFACT_NOT_FOUND,
        f"{origin_text(source.origin)} has no directory `{printable(source.path)}`",
        hint="set `source.path` to a directory of the artifact",
    )


def _unavailable(source: ArtifactSource) -> ArtifactFailure:
    return ArtifactFailure(
        Reason.ARTIFACT_UNAVAILABLE_OFFLINE,
        f"{source_text(source)} is not in `.kagent/artifacts`, and this run may not use the network",
        hint="run it without `--offline` where there is a network, or commit the content under"
        " `.kagent/artifacts`",
    )
