"""Renders what a merge gives and stages it, so that the commit holds output that is current."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import Status
from kagent_render.cli.git_failure import telling_git_failures
from kagent_render.cli.merge.installation import output_folders, work_tree
from kagent_render.cli.options import Settings
from kagent_render.cli.render import render
from kagent_render.emit.layout import place_of
from kagent_render.source.git_program import GitProgram

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_UNSTAGED = ("--modified", "--deleted", "--others", "--unmerged")


def finish_merge(*, hook: bool = False) -> Status:
    """Render every root whose output is committed and stage what that wrote; 1 where a root cannot be.

    As Git's `pre-merge-commit` hook it stops the merge where it staged anything: Git made the tree of the
    merge before, and would commit that.
    """
    repository = work_tree()
    git = GitProgram(repository)
    with telling_git_failures():
        outputs = [output for output in output_folders(repository) if _is_tracked(git, output)]
    statuses = [_render(repository / output) for output in outputs]
    if any(statuses):
        return max(statuses)
    paths = sorted({path for output in outputs for path in _unstaged(git, output)})
    with telling_git_failures():
        _stage(git, paths)
    if paths:
        click.echo(f"staged {len(paths)} file{'s' if len(paths) != 1 else ''} of the output", err=True)
    if paths and hook:
        click.echo("  hint: the merge is done but for the commit: `git commit --no-edit`", err=True)
        return Status.FINDINGS
    return Status.CLEAN


def _render(output: Path) -> Status:
    folder = output.parent
    while not (folder / "kagent-render.yaml").is_file():
        folder = folder.parent
    return render(Settings(folder))


def _is_tracked(git: GitProgram, output: str) -> bool:
    """Whether an output folder is committed here, rather than on a branch of its own."""
    return bool(_listed(git, output, "--cached"))


def _unstaged(git: GitProgram, output: str) -> Iterator[str]:
    """Files of ours that are not in the index as they are on disk; whoever else's stay as they are."""
    start = len(output) + 1
    for path in _listed(git, output, *_UNSTAGED):
        if place_of(path[start:]) is not None:
            yield path


def _listed(git: GitProgram, output: str, *options: str) -> list[str]:
    found = git.run("--literal-pathspecs", "ls-files", "-z", *options, "--", output).out
    entries = [entry.rpartition(b"\t")[2].decode(errors="surrogateescape") for entry in found.split(b"\0")]
    return [path for path in dict.fromkeys(entries) if path]


def _stage(git: GitProgram, paths: Iterable[str]) -> None:
    names = "\0".join(paths).encode(errors="surrogateescape")
    if names:
        git.run("update-index", "-z", "--add", "--remove", "--stdin", stdin=names + b"\0")
