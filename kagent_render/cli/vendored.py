"""What `vendor` and `vendor --check` share: one root's artifacts, judged and held against its store."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.artifacts.source_identity import source_key
from kagent_render.artifacts.store.index import INDEX, STORE
from kagent_render.artifacts.store.plan import plan_store
from kagent_render.artifacts.store.reading import listed_names, read_store
from kagent_render.cli.locked_content import locked_selections
from kagent_render.cli.memory import open_memo, program_identity
from kagent_render.cli.output import open_output
from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition, distinct
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.disk import DiskOutput
from kagent_render.preparation.artifact_uses import artifact_uses
from kagent_render.preparation.known_files import KnownFiles
from kagent_render.preparation.vendored_content import judge_content
from kagent_render.source.discovery import discover
from kagent_render.source.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.store.plan import PresentStore, StorePlan
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.preparation.artifact_uses import ArtifactUses
    from kagent_render.preparation.vendored_content import Judged, Outcome
    from kagent_render.source.config import RenderConfig


@dataclass(frozen=True, slots=True)
class HeldStore:
    """One root's artifacts as they were got and judged, the store as it is, and what has to change."""

    uses: ArtifactUses
    judged: Judged
    present: PresentStore
    plan: StorePlan


@dataclass(frozen=True, slots=True)
class VendoredRoot:
    """One root for printing; `store` is None where it cannot be read, `written` tells what was done."""

    root: Root
    diagnostics: tuple[Diagnostic, ...]
    store: HeldStore | None = None
    written: bool = False

    @property
    def changed(self) -> tuple[str, ...]:
        """The paths from the root that were written, or would be."""
        return tuple(f"{STORE}/{name}" for name in self.store.plan.changed) if self.store else ()


def read_uses(root: Root, config: RenderConfig, settings: Settings, progress: Progress) -> ArtifactUses:
    """Which artifacts the root's manifests name; files and folders that cannot be read are doubts too."""
    progress.say("Reading manifests")
    with open_memo(wanted=settings.cached) as memo:
        files = KnownFiles(memo, program_identity(), root.reader)
        sources = discover(root.reader, config, files.recall)
        uses = artifact_uses(sources.documents, files.decode)
        files.remember({found.source.path for found in sources.diagnostics if found.source is not None})
    unread = (
        found for found in sources.diagnostics if found.is_error or found.reason is Reason.SOURCE_UNREADABLE
    )
    return dataclasses.replace(uses, doubts=(*unread, *uses.doubts))


def present_store(root: Root, *, forgiving: bool = False) -> PresentStore:
    """The root's store as it is, where the manifests come from; raises ArtifactFailure."""
    if not isinstance(root.committed, WorkTree):
        return read_store(root.committed, listed_names(root.committed))
    with DiskOutput(root.folder, STORE, deepest=1) as folder:
        return store_on_disk(root, folder, forgiving=forgiving)


def store_on_disk(root: Root, folder: DiskOutput, *, forgiving: bool) -> PresentStore:
    """The store as it is on disk now; raises ArtifactFailure."""
    names = [entry.path for entry in folder.entries()]
    return read_store(WorkTree(root.folder), names, forgiving=forgiving)


def hold_store(
    root: Root,
    config: RenderConfig,
    uses: ArtifactUses,
    outcomes: Mapping[ArtifactSource, Outcome],
    present: PresentStore,
) -> HeldStore:
    """Judge what was got, and plan what has to change."""
    with open_output(root, config.output) as output:
        judged = judge_content(outcomes, present.entries, locked_selections(output))
    return HeldStore(uses, judged, present, plan_store(judged.packages, used_keys(uses, present), present))


def used_keys(uses: ArtifactUses, present: PresentStore) -> Collection[str]:
    """The identity keys that have to stay: with a doubtful document, whatever is there may be used."""
    named = {source_key(source) for source in uses.sources}
    return named | present.entries.keys() if uses.doubts else named


def faults_of(root: Root, store: HeldStore) -> list[Diagnostic]:
    """What is wrong with the documents, and each artifact's failure at every field that names it."""
    failures = store.judged.failures
    faults = [use.fault(failures[use.source]) for use in store.uses.known if use.source in failures]
    return distinct([*root.faults, *store.uses.doubts, *faults])


def unreadable(root: Root, failure: ArtifactFailure) -> VendoredRoot:
    """A root whose index cannot be read, which is told once."""
    place = SourcePosition(INDEX, 1, 1)
    fault = Diagnostic(failure.reason, failure.message, hint=failure.hint, source=place, sensitive=True)
    return VendoredRoot(root, (*root.faults, fault))
