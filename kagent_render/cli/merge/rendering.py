"""Renders one file of the output from the manifests as a merge gives them, without a network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.history import SidesHistory, with_earlier_folder
from kagent_render.cli.isolation import isolated
from kagent_render.cli.merge.answer import Answer, Unmergeable
from kagent_render.cli.options import Settings
from kagent_render.cli.output import CommittedFolder
from kagent_render.cli.progress import showing_progress
from kagent_render.cli.roots import open_roots
from kagent_render.cli.run import hold_against_output, prepare_root
from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.layout import Role, place_of
from kagent_render.source.reader import ReadError
from kagent_render.source.repository import RepositoryError
from kagent_render.source.revision import GitRevision

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kagent_render.cli.roots import Root
    from kagent_render.cli.run import RootRun
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.emit.layout import Owner
    from kagent_render.merging.operation import MergedTree, Operation
    from kagent_render.source.config import RenderConfig

_CONFIGURED = (".yaml", ".yml")


def render_merged(repository: Path, operation: Operation, merged: MergedTree, path: str) -> Answer:
    """The file at `path` as the merged manifests give it; raises Unmergeable with the reason why not."""
    settings = Settings(repository / path.rpartition("/")[0], offline=True, revision=merged.commit)
    try:
        root, config = _root(settings, path)
        _refuse_conflicts(root, config, merged.conflicts)
        sides = [
            with_earlier_folder(GitRevision(repository, commit), root.place, config.output, root.surroundings)
            for commit in (operation.ours, operation.theirs)
        ]
        root = replace(root, sides=tuple(sides))
        history = SidesHistory(sides if operation.is_merge else sides[:1], config.output)
        with isolated(wanted=True), showing_progress(wanted=False, colour=False) as progress:
            preparation = prepare_root(root, config, settings, progress)
            output = CommittedFolder(root.written, config.output)
            run = hold_against_output(root, config, settings, preparation, output, history=history)
    except (RepositoryError, ReadError, EnvironmentFailure) as error:
        raise Unmergeable(str(error)) from None
    start = len(f"{root.place}/{config.output}/" if root.place else f"{config.output}/")
    return replace(_answer(run, output, path[start:]), stops=bool(merged.conflicts))


def _root(settings: Settings, path: str) -> tuple[Root, RenderConfig]:
    root = open_roots(settings)[0]
    if root.config is None:
        raise Unmergeable(_first(root.faults))
    output = f"{root.place}/{root.config.output}/" if root.place else f"{root.config.output}/"
    if not path.startswith(output):
        raise Unmergeable("it is not in the output folder of its root")
    return root, root.config


def _refuse_conflicts(root: Root, config: RenderConfig, conflicts: Iterable[str]) -> None:
    """What is rendered must not come from a manifest that somebody has to resolve."""
    start = f"{root.place}/" if root.place else ""
    for path in conflicts:
        inside = path.startswith(start) and not path.startswith(f"{start}{config.output}/")
        if inside and path.endswith(_CONFIGURED):
            raise Unmergeable(f"`{path}` is in conflict, too")


def _answer(run: RootRun, output: CommittedFolder, path: str) -> Answer:
    files = run.planned.plan.files
    place = place_of(path)
    owner = place.owner if place is not None else None
    if path not in files or (owner is not None and owner in run.planned.plan.kept):
        raise Unmergeable(_why_not(run, owner))
    wanted = {
        other: content
        for other, content in files.items()
        if owner is not None and (of := place_of(other)) and of.owner == owner and of.role is Role.MANIFEST
    }
    present = {entry.path for entry in output.entries()}
    complete = all(
        other in present and output.read(other, len(content) + 1) == content
        for other, content in wanted.items()
    )
    return Answer(files[path], complete)


def _why_not(run: RootRun, owner: Owner | None) -> str:
    """The first error of an owner that did not prepare, or of the root."""
    own: list[Diagnostic] = []
    if isinstance(owner, PairRef):
        own = [found for pair in run.preparation.pairs if pair.pair == owner for found in pair.diagnostics]
    elif owner is not None:
        outcomes = run.preparation.agents.outcomes
        own = [found for agent in outcomes if agent.ref == owner for found in agent.faults]
    return _first([*own, *run.preparation.told]) or "nothing asks for it after the merge"


def _first(found: Iterable[Diagnostic]) -> str:
    return next((f"{one.reason}: {one.message}" for one in found if one.is_error), "")
