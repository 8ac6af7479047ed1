"""`kagent-render vendor`: makes the vendored store hold what the manifests name, and nothing else."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import Settings, shared_options

if TYPE_CHECKING:
    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.vendoring import PresentStore
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.cli.vendored import HeldStore, VendoredRoot
    from kagent_render.preparation.artifact_uses import ArtifactUses
    from kagent_render.preparation.vendored_content import Outcome
    from kagent_render.source.config import RenderConfig


@click.command()
@shared_options
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when there is something to write.")
@click.option("--repair", is_flag=True, help="Get anew what is damaged, as the index and the locks pin it.")
def command(settings: Settings, check: bool, repair: bool) -> None:
    """Put the artifacts that the manifests below PATH name into `.kagent/artifacts`.

    Adds what is missing and removes what nothing uses any more. All or nothing: where one artifact of any
    root cannot be had, or is not what the index and the locks pin, nothing is written.
    """
    if check or settings.locked:
        if repair:
            raise click.UsageError("`--repair` writes, which `--check` and `--locked` exclude")
        from kagent_render.cli.vendor_check import check_vendored

        sys.exit(check_vendored(settings))
    if settings.staged or settings.revision is not None:
        raise click.UsageError("`--staged` and `--rev` need `--check`: only the work tree is written")
    sys.exit(vendor(settings, repair=repair))


def vendor(settings: Settings, *, repair: bool = False) -> Status:
    """Fill the store of every root that PATH means; the status is what the program exits with."""
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.roots import open_roots
    from kagent_render.cli.run import worst_status
    from kagent_render.cli.vendor_report import print_vendored
    from kagent_render.emit.folder import OutputError

    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        try:
            roots = [_plan_root(root, settings, progress, repair=repair) for root in open_roots(settings)]
            if not any(map(_is_stopped, roots)):
                roots = [_write_root(root, progress, repair=repair) for root in roots]
        except OutputError as error:
            raise EnvironmentFailure(str(error), error.hint) from None
    print_vendored(roots, settings)
    return worst_status(found for root in roots for found in root.diagnostics)


def _plan_root(root: Root, settings: Settings, progress: Progress, *, repair: bool) -> VendoredRoot:
    """What has to be written to one root, with nothing written yet."""
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.store_drift import foreign_files
    from kagent_render.cli.roots import require_work_tree
    from kagent_render.cli.vendored import VendoredRoot, faults_of, index_fault, present_store, read_uses
    from kagent_render.diagnostics.diagnostic import escalate

    if root.config is None:
        return VendoredRoot(root, root.faults)
    require_work_tree(root)
    uses = read_uses(root, root.config, settings, progress)
    try:
        present = present_store(root, forgiving=repair)
    except ArtifactFailure as failure:
        return VendoredRoot(root, (*root.faults, index_fault(failure)))
    if settings.stdin is not None and present.entries and not uses.known:
        raise EnvironmentFailure(
            "stdin names no artifact, and `.kagent/artifacts` holds some: they would all be removed",
            "look at what wrote the stream, or remove the folder if that is meant",
        )
    outcomes = _get(root, root.config, settings, uses, progress, repair=repair)
    store = _hold(root, root.config, uses, outcomes, present)
    warnings = escalate(foreign_files(store.plan), strict=settings.strict)
    return VendoredRoot(root, (*faults_of(root, store), *warnings), store)


def _get(
    root: Root,
    config: RenderConfig,
    settings: Settings,
    uses: ArtifactUses,
    progress: Progress,
    *,
    repair: bool,
) -> dict[ArtifactSource, Outcome]:
    """Every artifact or its failure; to `repair` is to get again, past the store, what failed."""
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.cli.artifacts import get_artifacts
    from kagent_render.source.reader import MemoryFiles

    outcomes = dict(get_artifacts(root, config, settings, uses.sources, progress))
    failed = [source for source, outcome in outcomes.items() if isinstance(outcome, ArtifactFailure)]
    if repair and failed:
        without_store = dataclasses.replace(root, committed=MemoryFiles({}))
        outcomes.update(get_artifacts(without_store, config, settings, failed, progress))
    return outcomes


def _hold(
    root: Root,
    config: RenderConfig,
    uses: ArtifactUses,
    outcomes: dict[ArtifactSource, Outcome],
    present: PresentStore,
) -> HeldStore:
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.artifacts.store import intact_contents
    from kagent_render.artifacts.tree_digest import tree_digest
    from kagent_render.cli.vendored import hold_store

    got = (tree_digest(found) for found in outcomes.values() if not isinstance(found, ArtifactFailure))
    intact = intact_contents(root.committed, got)
    return hold_store(root, config, uses, outcomes, dataclasses.replace(present, intact=intact))


def _is_stopped(planned: VendoredRoot) -> bool:
    """Whether nothing may be written; a doubtful document only keeps things from being removed."""
    doubts = planned.store.uses.doubts if planned.store is not None else ()
    return planned.store is None or any(
        found.is_error and found not in doubts for found in planned.diagnostics
    )


def _write_root(planned: VendoredRoot, progress: Progress, *, repair: bool) -> VendoredRoot:
    """Write as planned, on what another run may have written since."""
    from kagent_render.artifacts.store import intact_contents
    from kagent_render.artifacts.store_index import STORE
    from kagent_render.artifacts.store_writing import write_store
    from kagent_render.artifacts.vendoring import plan_store
    from kagent_render.cli.vendored import store_on_disk, used_keys
    from kagent_render.emit.disk import DiskOutput
    from kagent_render.emit.exclusion import hold
    from kagent_render.source.worktree import WorkTree

    root, store = planned.root, planned.store
    if store is None or not store.plan.changed:
        return dataclasses.replace(planned, written=True)
    progress.say("Writing")
    with (
        DiskOutput(root.folder, STORE, deepest=1) as folder,
        hold(folder, lambda: progress.say("Waiting for another kagent-render")),
    ):
        present = store_on_disk(root, folder, forgiving=repair)
        digests = {artifact.digest for artifact in store.plan.artifacts}
        present = dataclasses.replace(present, intact=intact_contents(WorkTree(root.folder), digests))
        plan = plan_store(store.judged.packages, used_keys(store.uses, present), present)
        write_store(plan, folder)
    return dataclasses.replace(planned, store=dataclasses.replace(store, plan=plan), written=True)
