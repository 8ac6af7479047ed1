"""Prepares a root from files in memory, before and after they are migrated, with the same artifacts."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING

from kagent_render.cli.artifacts import get_contents
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.diagnostics.diagnostic import Severity, escalate
from kagent_render.diagnostics.reasons import Reason
from kagent_render.migration.store import with_endpoint
from kagent_render.preparation.capability_records import read_records
from kagent_render.preparation.completeness import policy_of
from kagent_render.preparation.flow import Preparation, prepare
from kagent_render.preparation.platform_agents import Images
from kagent_render.source.discovery import discover
from kagent_render.source.reader import EditedFiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.selection import LockedContent
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.compile.artifact_pins import Packages
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.source.config import RenderConfig

_OTHER_GROUP = "kubeagents.x-k8s.io"


class Contents:
    """The artifacts of a root, got once: an S3 object is the same one where its endpoint is written out."""

    def __init__(self, root: Root, config: RenderConfig, settings: Settings, progress: Progress) -> None:
        self._get = partial(get_contents, root, config, settings, progress=progress)
        self._policy = policy_of(config)
        self._known: dict[ArtifactSource, Package | LockedContent | ArtifactFailure] = {}

    def __call__(self, wanted: Sequence[ArtifactSource]) -> Packages:
        """Each artifact, or why it cannot be had."""
        lacking = [source for source in wanted if with_endpoint(source, self._policy) not in self._known]
        for source, found in self._get(wanted=lacking).items():
            self._known[with_endpoint(source, self._policy)] = found
        return {source: self._known[with_endpoint(source, self._policy)] for source in wanted}


def prepare_files(
    root: Root, config: RenderConfig, settings: Settings, files: Mapping[str, bytes], contents: Contents
) -> tuple[Preparation, list[Diagnostic]]:
    """Every pair of a root with these bytes in some of its files, and what could not be read of the sources.

    PlatformAgents are left out: nothing of them changes, and their images need no registry here.
    """
    sources = discover(EditedFiles(root.reader, files), config)
    documents = [found for found in sources.documents if found.ref.group != _OTHER_GROUP]
    records = read_records(root.committed, config, load_catalog())
    prepared = prepare(documents, config, records, contents, no_images, strict=settings.strict)
    return prepared, escalate([_grave(found) for found in sources.diagnostics], strict=settings.strict)


def _grave(fault: Diagnostic) -> Diagnostic:
    """What cannot be read may be a Harness, whose pairs with what moves would be new when it can be."""
    if fault.reason is Reason.SOURCE_UNREADABLE:
        return dataclasses.replace(fault, severity=Severity.ERROR)
    return fault


def no_images(_: Sequence[str]) -> Images:
    """What is known of images where none is asked for."""
    return Images()
