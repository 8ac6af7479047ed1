"""Merges one file of the output: renders it from the merged manifests, or leaves conflicts with names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kagent_render.agentplugin.lock_reading import read_agent_lock
from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.merge.answer import Unmergeable
from kagent_render.cli.merge.installation import hook_finishes
from kagent_render.cli.sides import merged_commits
from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.diagnostics.text import printable
from kagent_render.emit.layout import Place, Role, place_of
from kagent_render.merging.conflict import conflict_text
from kagent_render.merging.kustomizations import merge_kustomizations
from kagent_render.merging.operation import Contents, find_operation, merge_trees
from kagent_render.revision.lock_file import LockProblem
from kagent_render.revision.lock_reading import read_lock
from kagent_render.source.git_program import GitFailure, GitProgram
from kagent_render.source.repository import top_level

if TYPE_CHECKING:
    from kagent_render.cli.merge.answer import Answer
    from kagent_render.emit.layout import Owner

FINISH = "run `kagent-render merge --finish` once the manifests are resolved, then go on as Git says"
"""What to do where a merge stopped."""


def drive(base: Path, ours: Path, theirs: Path, path: str, label: str) -> Status:
    """Write the merged file to `ours`; the status says whether Git may take it."""
    contents = _read(base, ours, theirs)
    repository = top_level(Path.cwd())
    if repository is None:
        raise EnvironmentFailure("Git calls a merge driver in a work tree", "run `git merge`")
    git = GitProgram(repository)
    place = place_in_any_output(path)
    if place is not None and place.owner is None and _as_list(ours, place, contents):
        return Status.CLEAN  # whatever else the merge gives, this only lists what is there
    try:
        answer = _render(git, path, place, contents, label)
    except Unmergeable as problem:
        return _by_text(git, ours, path, place, contents, str(problem))
    ours.write_bytes(answer.content)
    if place is None or place.role is not Role.LOCK:
        return Status.CLEAN
    return _lock_status(git, place.owner, answer)


def _read(*paths: Path) -> Contents:
    try:
        base, ours, theirs = (path.read_bytes() for path in paths)
    except OSError as error:
        raise EnvironmentFailure(f"a side of the merge cannot be read: {error.strerror}") from None
    return Contents(base, ours, theirs)


def place_in_any_output(path: str) -> Place | None:
    """What a path of the repository is for, whatever the output folder is called."""
    parts = path.split("/")
    places = (place_of("/".join(parts[start:])) for start in range(1, len(parts)))
    return next((place for place in places if place is not None), None)


def _render(git: GitProgram, path: str, place: Place | None, contents: Contents, label: str) -> Answer:
    """The file as rendered from the merged manifests; raises Unmergeable."""
    from kagent_render.cli.merge.rendering import render_merged

    if place is not None and place.role is Role.LOCK and place.owner is not None:
        for side, text in (("ours", contents.ours), ("theirs", contents.theirs)):
            _check_lock(side, text, path, place.owner)
    try:
        operation = find_operation(git, path, contents, merged_commits(git.repository), label)
        if operation is None:
            raise Unmergeable("Git does not say which commits are merged")
        merged = merge_trees(git, operation)
    except GitFailure as failure:
        raise Unmergeable("; ".join((failure.action, *failure.lines[-1:]))) from None
    return render_merged(git.repository, operation, merged, path)


def _check_lock(side: str, text: bytes, path: str, owner: Owner) -> None:
    """A lock that is not as it was written is for somebody to look at."""
    found = read_lock(text, path) if isinstance(owner, PairRef) else read_agent_lock(text, path)
    if isinstance(found, LockProblem):
        raise Unmergeable(f"the lock of {side} is not valid: {found.diagnostic.message}")


def _lock_status(git: GitProgram, owner: Owner | None, answer: Answer) -> Status:
    """A lock goes through only where its manifests do, or where the hook is about to write them."""
    told = f"rendered the lock of {owner} from the merged manifests"
    if answer.complete:
        _tell(told)
        return Status.CLEAN
    merges = any(name.startswith("GITHEAD_") for name in os.environ)
    if merges and not answer.stops and hook_finishes(git):
        _tell(f"{told}; the hook writes the rest")
        return Status.CLEAN
    _tell(f"{told}; its manifests are still to be written", FINISH)
    return Status.FINDINGS


def _by_text(
    git: GitProgram, ours: Path, path: str, place: Place | None, contents: Contents, problem: str
) -> Status:
    """A list is merged as one; anything else gets markers."""
    if place is not None and _as_list(ours, place, contents):
        return Status.CLEAN
    name = str(place.owner) if place is not None and place.owner is not None else path
    labels = [f"{side} {name}{_revision(text)}" for side, text in
              (("ours", contents.ours), ("theirs", contents.theirs))]  # fmt: skip
    ours.write_bytes(conflict_text(git, contents, *labels))
    _tell(f"`{path}` is in conflict: {problem}", FINISH)
    return Status.FINDINGS


def _as_list(ours: Path, place: Place, contents: Contents) -> bool:
    """Merge a kustomization as the list that it is; whether that could be done."""
    if place.role is not Role.KUSTOMIZATION:
        return False
    merged = merge_kustomizations(contents.base, contents.ours, contents.theirs)
    if merged is not None:
        ours.write_bytes(merged)
    return merged is not None


def _revision(text: bytes) -> str:
    """The revision that a lock says, for a label."""
    from kagent_render.revision.lock_history import read_history

    history = read_history(text)
    return f" {history.current.revision[: len('sha256:') + 12]}" if history is not None else ""


def _tell(message: str, hint: str | None = None) -> None:
    click.echo(f"kagent-render: {printable(message)}", err=True)
    if hint is not None:
        click.echo(f"  hint: {hint}", err=True)
