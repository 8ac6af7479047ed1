"""Gets the artifacts that a root's manifests name, from wherever the flags allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource, Origin
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import Fetcher
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.source.config import RenderConfig


def get_artifacts(
    root: Root,
    config: RenderConfig,
    settings: Settings,
    wanted: Sequence[ArtifactSource],
    progress: Progress,
) -> Mapping[ArtifactSource, Package | ArtifactFailure]:
    """Each artifact, or why it cannot be had: the vendored store first, then the cache, then the network."""
    if not wanted:
        return {}
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.resolution import Means, resolve
    from kagent_render.artifacts.store import open_store

    progress.say(f"Reading {len(wanted)} artifacts")
    try:
        store = open_store(root.committed)
    except ArtifactFailure as failure:
        return dict.fromkeys(wanted, failure)
    means = Means(
        store,
        fetchers(config),
        online=not settings.offline,
        jobs=settings.jobs,
        told=progress.say,
    )
    return resolve(wanted, means)


def fetchers(config: RenderConfig) -> dict[type[Origin], Fetcher]:
    """A fetcher for each kind of origin, as RenderConfig sets it up."""
    from kagent_render.api.hub import S3Source
    from kagent_render.artifacts.s3 import S3Fetcher, S3Settings

    return {S3Source: S3Fetcher(S3Settings(config.s3.endpoint, config.s3.region))}
