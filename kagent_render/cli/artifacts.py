"""Gets the artifacts that a root's manifests name, from wherever the flags allow."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING

from kagent_render.artifacts.package import Package
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.resolution import Means
    from kagent_render.artifacts.selection import LockedContent, Selection
    from kagent_render.artifacts.store.vendored import VendoredStore
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.compile.artifact_pins import Packages
    from kagent_render.source.config import RenderConfig


def get_contents(
    root: Root,
    config: RenderConfig,
    settings: Settings,
    wanted: Sequence[ArtifactSource],
    progress: Progress,
) -> Packages:
    """Each artifact as `get_artifacts` has it, or offline what committed locks pin of it.

    A source is immutable, so that a lock that pins it needs no network; a command that reads afresh takes
    no lock's word (DESIGN 8).
    """
    outcomes = get_artifacts(root, config, settings, wanted, progress)
    unavailable = {
        source: outcome
        for source, outcome in outcomes.items()
        if not isinstance(outcome, Package) and outcome.reason is Reason.ARTIFACT_UNAVAILABLE_OFFLINE
    }
    if settings.afresh or not unavailable:
        return outcomes
    return {**outcomes, **_locked(root, config, unavailable)}


def get_artifacts(
    root: Root,
    config: RenderConfig,
    settings: Settings,
    wanted: Sequence[ArtifactSource],
    progress: Progress,
    *,
    past_store: bool = False,
) -> Mapping[ArtifactSource, Package | ArtifactFailure]:
    """Each artifact, or why it cannot be had: the vendored store first, then the cache, then the network.

    Afresh, it is the network alone, and what is vendored must be the same. `past_store` leaves out the first.
    """
    if not wanted:
        return {}
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.resolution import resolve
    from kagent_render.artifacts.store.vendored import VendoredStore, hold_against, open_store

    progress.say(f"Reading {len(wanted)} artifact{'s' if len(wanted) > 1 else ''}")
    try:
        store = VendoredStore(root.committed, {}) if past_store else open_store(root.committed)
        store = dataclasses.replace(store, modes_lost=settings.modes_lost)
    except ArtifactFailure as failure:
        return dict.fromkeys(wanted, failure)
    outcomes = resolve(wanted, means_of(root, config, settings, store, progress))
    return hold_against(store, outcomes) if settings.from_source else outcomes


def means_of(
    root: Root, config: RenderConfig, settings: Settings, store: VendoredStore, progress: Progress
) -> Means:
    """The stores, caches and transports that the flags allow."""
    from kagent_render.artifacts.resolution import Means
    from kagent_render.artifacts.store.vendored import VendoredStore
    from kagent_render.cli.cache_folder import open_artifact_cache
    from kagent_render.cli.fetchers import Fetchers
    from kagent_render.cli.locked_cache import LockedCache

    caching = settings.cached and not settings.from_source
    cache = open_artifact_cache(wanted=caching)
    return Means(
        VendoredStore(root.committed, {}) if settings.from_source else store,
        Fetchers(config),
        LockedCache(cache, partial(_read_locked, root, config)) if caching else cache,
        online=not settings.offline,
        jobs=settings.jobs,
        told=progress.say,
    )


def _locked(
    root: Root, config: RenderConfig, unavailable: Mapping[ArtifactSource, ArtifactFailure]
) -> dict[ArtifactSource, LockedContent]:
    from kagent_render.artifacts.selection import LockedContent
    from kagent_render.artifacts.source_identity import source_key

    pinned = _read_locked(root, config)
    return {
        source: LockedContent(failure, pinned.get(source_key(source), ()))
        for source, failure in unavailable.items()
    }


def _read_locked(root: Root, config: RenderConfig) -> Mapping[str, tuple[Selection, ...]]:
    """What the root's locks pin, by the identity key of its source."""
    from kagent_render.cli.locked_content import locked_selections
    from kagent_render.cli.output import open_outputs

    with open_outputs(root, config.output) as outputs:
        return locked_selections(*outputs)
