"""What `kagent-render vendor` does: gets every artifact of every root, then writes, or writes nothing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.store.drift import foreign_files
from kagent_render.artifacts.store.index import STORE
from kagent_render.artifacts.store.plan import plan_store
from kagent_render.artifacts.store.vendored import intact_contents
from kagent_render.artifacts.store.writing import write_store
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.cli.artifacts import get_artifacts
from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.output import naming_folders_of
from kagent_render.cli.progress import showing_progress
from kagent_render.cli.roots import open_roots, require_work_tree
from kagent_render.cli.run import worst_status
from kagent_render.cli.vendor.report import print_vendored
from kagent_render.cli.vendored import (
    HeldStore,
    VendoredRoot,
    faults_of,
    hold_store,
    present_store,
    read_uses,
    store_on_disk,
    unreadable,
    used_keys,
)
from kagent_render.diagnostics.diagnostic import escalate
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.exclusion import hold
from kagent_render.source.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.store.plan import PresentStore, StorePlan
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.preparation.artifact_uses import ArtifactUses
    from kagent_render.preparation.vendored_content import Outcome
    from kagent_render.source.config import RenderConfig


def vendor(settings: Settings, *, repair: bool = False) -> Status:
    """Fill the store of every root that PATH means; the status is what the program exits with."""
    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        roots = []
        for root in open_roots(settings):
            with naming_folders_of(root):
                roots.append(_plan_root(root, settings, progress, repair=repair))
        if not any(map(_is_stopped, roots)):
            roots = [_write_root(root, progress, repair=repair) for root in roots]
    print_vendored(roots, settings)
    return worst_status(found for root in roots for found in root.diagnostics)


def _plan_root(root: Root, settings: Settings, progress: Progress, *, repair: bool) -> VendoredRoot:
    """What has to be written to one root, with nothing written yet."""
    if root.config is None:
        return VendoredRoot(root, root.faults)
    require_work_tree(root)
    uses = read_uses(root, root.config, settings, progress)
    try:
        present = present_store(root, forgiving=repair)
    except ArtifactFailure as failure:
        return unreadable(root, failure)
    if settings.stdin is not None:
        _refuse_to_empty(uses, present)
    outcomes = _get(root, root.config, settings, uses.sources, progress, repair=repair)
    got = (tree_digest(found) for found in outcomes.values() if not isinstance(found, ArtifactFailure))
    store = hold_store(root, root.config, uses, outcomes, _holding(root, present, got))
    warnings = escalate(foreign_files(store.plan), strict=settings.strict)
    return VendoredRoot(root, (*faults_of(root, store), *warnings), store)


def _refuse_to_empty(uses: ArtifactUses, present: PresentStore) -> None:
    """A stream names no artifact, but there are some: more often the program before it failed."""
    if present.entries and not uses.known:
        raise EnvironmentFailure(
            f"stdin names no artifact, and `{STORE}` holds some: they would all be removed",
            "look at what wrote the stream, or remove the folder if that is meant",
        )


def _get(
    root: Root,
    config: RenderConfig,
    settings: Settings,
    sources: Sequence[ArtifactSource],
    progress: Progress,
    *,
    repair: bool,
) -> dict[ArtifactSource, Outcome]:
    """Every artifact or its failure; to `repair` is to get again, past the store, what failed."""
    outcomes = dict(get_artifacts(root, config, settings, sources, progress))
    failed = [source for source, outcome in outcomes.items() if isinstance(outcome, ArtifactFailure)]
    if repair and failed:
        outcomes.update(get_artifacts(root, config, settings, failed, progress, past_store=True))
    return outcomes


def _holding(root: Root, present: PresentStore, digests: Iterable[str]) -> PresentStore:
    """The store with those of the tree digests intact whose content is on disk."""
    return dataclasses.replace(present, intact=intact_contents(WorkTree(root.folder), digests))


def _is_stopped(planned: VendoredRoot) -> bool:
    """Whether nothing may be written; a doubtful document only keeps things from being removed."""
    if planned.store is None:
        return True
    doubts = planned.store.uses.doubts
    return any(found.is_error and found not in doubts for found in planned.diagnostics)


def _write_root(planned: VendoredRoot, progress: Progress, *, repair: bool) -> VendoredRoot:
    """Write what was planned for one root, unless nothing has to change."""
    root, store = planned.root, planned.store
    if store is None or not store.plan.changed:
        return dataclasses.replace(planned, written=True)
    progress.say("Writing")
    with (
        naming_folders_of(root),
        DiskOutput(root.folder, STORE, deepest=1) as folder,
        hold(folder, lambda: progress.say("Waiting for another kagent-render")),
    ):
        plan = _plan_again(root, store, folder, repair=repair)
        write_store(plan, folder)
    return dataclasses.replace(planned, store=dataclasses.replace(store, plan=plan), written=True)


def _plan_again(root: Root, store: HeldStore, folder: DiskOutput, *, repair: bool) -> StorePlan:
    """The plan for what is there now that no other run writes: one may have written since."""
    try:
        present = store_on_disk(root, folder, forgiving=repair)
    except ArtifactFailure as failure:
        raise EnvironmentFailure(failure.message, failure.hint) from None
    present = _holding(root, present, [artifact.digest for artifact in store.plan.artifacts])
    return plan_store(store.judged.packages, used_keys(store.uses, present), present)
