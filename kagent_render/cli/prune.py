"""`kagent-render prune`: drops retained ActorTemplates that are neither recent nor in use."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import OTHER_SOURCES, Settings, shared_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.cli.history import SidesHistory
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root
    from kagent_render.emit.disk import DiskOutput
    from kagent_render.preparation.asked import Asked
    from kagent_render.preparation.pruning import PrunedPair
    from kagent_render.source.config import RenderConfig
    from kagent_render.source.document import Document


@click.command()
@shared_options(hidden=OTHER_SOURCES)
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many revisions to keep, the current one included; `retention.revisions` unless told.",
)
@click.option(
    "--base", metavar="REV", help="Drop too what no lock at REV knows: what a branch alone has retained."
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
def command(settings: Settings, keep: int | None, base: str | None, dry_run: bool) -> None:
    """Drop the retained ActorTemplates below PATH that are neither recent nor in use, without rendering.

    What is in use stands in the InUse documents under `.kagent/in-use`. The folders of pairs and platform
    agents that nothing asks for any more go too, except for what is in use of them.
    """
    if settings.staged or settings.revision is not None or settings.stdin is not None:
        raise click.UsageError("`prune` changes files: it takes no `--staged`, `--rev` or `-f`")
    sys.exit(prune(settings, keep, base, dry_run=dry_run or settings.locked))


@dataclass(frozen=True, slots=True)
class _PrunedRoot:
    """One root for printing; `holders` are the InUse files by namespace and name of an ActorTemplate."""

    report: RootReport
    pairs: Sequence[PrunedPair] = ()
    holders: Mapping[tuple[str, str], tuple[str, ...]] | None = None
    done: bool = False

    def held_by(self, pair: PrunedPair, name: str) -> tuple[str, ...]:
        """The InUse files that hold an ActorTemplate."""
        return (self.holders or {}).get((pair.pair.namespace, name), ())


def prune(
    settings: Settings, keep: int | None = None, base: str | None = None, *, dry_run: bool = False
) -> Status:
    """Prune every root that PATH means; the status is what the program exits with."""
    from kagent_render.cli.output import naming_folders_of
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.roots import open_roots
    from kagent_render.cli.run import worst_status

    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        pruned = []
        for root in open_roots(settings):
            with naming_folders_of(root):
                pruned.append(_prune_root(root, settings, _Wanted(keep, base, dry_run), progress))
    if settings.format == "json":
        _print_json(pruned)
    else:
        _print_text(pruned, settings, dry_run=dry_run)
    return worst_status(found for root in pruned for found in root.report.diagnostics)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What the flags ask for."""

    keep: int | None
    base: str | None
    dry_run: bool


def _prune_root(root: Root, settings: Settings, wanted: _Wanted, progress: Progress) -> _PrunedRoot:
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import require_work_tree
    from kagent_render.preparation.in_use import knows_what_is_in_use

    if root.config is None:
        return _PrunedRoot(RootReport(root, (), root.faults, (), halted=True))
    require_work_tree(root)
    allowed = root.config.retention.revisions
    if wanted.keep is not None and wanted.keep > allowed:
        text = f"`--keep {wanted.keep}` is more than `retention.revisions`, which is {allowed}"
        raise click.UsageError(text)
    documents, asked = _read(root, root.config, settings, progress)
    if not knows_what_is_in_use(asked.doubts):
        return _PrunedRoot(RootReport(root, (), [*root.faults, *asked.doubts], (), halted=True))
    return _prune_known(root, root.config, settings, documents, asked, wanted, progress)


def _read(
    root: Root, config: RenderConfig, settings: Settings, progress: Progress
) -> tuple[Sequence[Document], Asked]:
    """The root's documents, and who is asked for; files that cannot be read are doubts too."""
    import dataclasses

    from kagent_render.cli.memory import open_memo, program_identity
    from kagent_render.preparation.asked import asked_owners
    from kagent_render.preparation.known_files import KnownFiles
    from kagent_render.source.discovery import discover

    progress.say("Reading manifests")
    with open_memo(wanted=settings.remembers) as memo:
        files = KnownFiles(memo, program_identity(), root.reader)
        sources = discover(root.reader, config, files.recall)
        asked = asked_owners(sources.documents, files.decode)
        files.remember({found.source.path for found in sources.diagnostics if found.source is not None})
    unread = (found for found in sources.diagnostics if found.is_error)
    return sources.documents, dataclasses.replace(asked, doubts=(*unread, *asked.doubts))


def _prune_known(
    root: Root,
    config: RenderConfig,
    settings: Settings,
    documents: Sequence[Document],
    asked: Asked,
    wanted: _Wanted,
    progress: Progress,
) -> _PrunedRoot:
    from kagent_render.cli.history import CommittedOutput
    from kagent_render.cli.memory import open_memo
    from kagent_render.cli.report import RootReport
    from kagent_render.emit.comparison import compare
    from kagent_render.emit.disk import DiskOutput
    from kagent_render.emit.exclusion import hold
    from kagent_render.emit.writer import write_plan
    from kagent_render.preparation.in_use import holders, names_in_use
    from kagent_render.preparation.pruning import Keeping, plan_pruning

    revisions, dry_run = config.retention.revisions, wanted.dry_run
    base = _history_at(root, config, wanted.base) if wanted.base is not None else None
    keeping = Keeping(wanted.keep or revisions, revisions, names_in_use(documents), base, config.target or "")
    with ExitStack() as stack:
        output = stack.enter_context(DiskOutput(root.folder, config.output))
        if not dry_run and any(True for _ in output.entries()):
            # What is there is read while nobody else writes.
            stack.enter_context(hold(output, lambda: progress.say("Waiting for another kagent-render")))
        owners = {*asked.owners, *(_written(output) if asked.doubts else ())}
        history = CommittedOutput(root, config.output, settings, stack.enter_context(open_memo(wanted=False)))
        pruning = plan_pruning(output, config.output, owners, history, keeping)
        comparison = compare(pruning.plan, output)
        if not dry_run and (comparison.stale or comparison.leftovers):
            progress.say("Writing")
            write_plan(pruning.plan, output)
    report = RootReport(
        root,
        (),
        [*root.faults, *asked.doubts, *pruning.diagnostics],
        [f"{config.output}/{path}" for path in comparison.stale],
        removed=len(comparison.orphaned),
    )
    return _PrunedRoot(report, pruning.pairs, holders(documents), done=not dry_run)


def _history_at(root: Root, config: RenderConfig, revision: str) -> SidesHistory:
    """What the locks of a root know at a revision."""
    from kagent_render.cli.history import SidesHistory
    from kagent_render.source.reader import ReadError, Subfolder
    from kagent_render.source.repository import RepositoryError
    from kagent_render.source.revision import GitRevision

    if root.repository is None:
        raise click.UsageError("`--base` is a revision, and there is no Git repository here")
    try:
        return SidesHistory([Subfolder(GitRevision(root.repository, revision), root.place)], config.output)
    except (RepositoryError, ReadError) as error:
        raise EnvironmentFailure(str(error), "name a commit that this clone has") from None


def _written(output: DiskOutput) -> set[Any]:
    """Everybody who has files: while a document is not valid, it may be what asks for them."""
    from kagent_render.emit.layout import place_of

    places = (place_of(entry.path) for entry in output.entries())
    return {place.owner for place in places if place is not None and place.owner is not None}


def _print_json(pruned: Sequence[_PrunedRoot]) -> None:
    from kagent_render.cli.report import print_document

    pairs = [
        {
            "namespace": found.pair.namespace,
            "harness": found.pair.harness,
            "template": found.pair.template,
            "gone": found.gone,
            "removed": list(found.removed),
            "held": [{"actorTemplate": name, "by": list(root.held_by(found, name))} for name in found.held],
        }
        for root in pruned
        for found in root.pairs
    ]
    print_document({"pruned": pairs}, [root.report for root in pruned])


def _print_text(pruned: Sequence[_PrunedRoot], settings: Settings, *, dry_run: bool) -> None:
    from kagent_render.cli.report import print_diagnostics, print_summary

    for root in pruned:
        print_diagnostics(root.report, settings)
        for found in root.pairs:
            for line in _lines(root, found, settings, dry_run=dry_run):
                click.echo(line, err=True, color=settings.colour)
        text = "nothing was pruned" if root.report.halted else _summary(root, dry_run=dry_run)
        print_summary(text, root.report, settings, named=len(pruned) > 1)


def _lines(root: _PrunedRoot, found: PrunedPair, settings: Settings, *, dry_run: bool) -> list[str]:
    from kagent_render.diagnostics.style import Style
    from kagent_render.diagnostics.text import printable

    style = Style(settings.colour)
    verb = "would go" if dry_run else "removed"
    rows = [(verb, name, "") for name in found.removed]
    rows += [
        ("held", name, f"by {', '.join(map(printable, root.held_by(found, name)))}") for name in found.held
    ]
    width = max((len(name) for _, name, _ in rows), default=0)
    heading = f"{found.pair}  {style.dim('nothing asks for it any more')}" if found.gone else str(found.pair)
    lines = [heading]
    for index, (verb, name, note) in enumerate(rows, 1):
        branch = "└─" if index == len(rows) else "├─"
        lines.append(
            f"{branch} {verb:<{len('would go')}}  {name:<{width}}  {style.dim(note) if note else ''}".rstrip()
        )
    return lines


def _summary(root: _PrunedRoot, *, dry_run: bool) -> str:
    removed = sum(len(found.removed) for found in root.pairs)
    held = sum(len(found.held) for found in root.pairs)
    folders = sum(found.gone and not found.held for found in root.pairs)
    verb = "would remove" if dry_run else "removed"
    parts = [f"{verb} {removed} ActorTemplate{'s' if removed != 1 else ''}"] if removed else []
    parts += [f"{folders} folder{'s' if folders != 1 else ''} of pairs that are gone"] if folders else []
    if not parts and root.report.changed:
        parts = [f"{verb} {root.report.removed} file{'s' if root.report.removed != 1 else ''}"]
    holding = f", {held} held by what is in use" if held else ""
    return (" and ".join(parts) or "nothing to prune") + holding
