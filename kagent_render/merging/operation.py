"""What Git is merging when it calls a driver for one file, found by what the file holds on each side.

Git tells a driver three contents and a path, but not which commits they are from. Those of `git merge` are
in its environment, those of a rebase in its files, and of the rest any branch or stash may be the other side:
one counts only if it has exactly these contents at this path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.source.head import git_folder
from kagent_render.source.repository import object_id_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from kagent_render.source.git_program import GitProgram

_HEX: Final = re.compile(r"[0-9a-f]{7,64}")
_PICK: Final = re.compile(r"(?:pick|reword|edit|fixup|squash|[prefs])\s+(?:-[cC]\s+)?([0-9a-f]{7,64})\b")
_MOST_REFERENCES: Final = 500
_NOBODY: Final = {
    f"GIT_{role}_{what}": value
    for role in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "kagent-render"), ("EMAIL", "none"), ("DATE", "2000-01-01T00:00:00Z"))
}
# Of a lock that both sides changed, ours is there to read pins from; otherwise we would call ourselves.
_OURS: Final = ("-c", "merge.kagent-render.driver=exit 0")


@dataclass(frozen=True, slots=True)
class Contents:
    """The three sides of one file."""

    base: bytes
    ours: bytes
    theirs: bytes


@dataclass(frozen=True, slots=True)
class Operation:
    """What is merged into `ours`: the commit `theirs`, whole, or as the change that it makes to `base`."""

    ours: str
    theirs: str
    base: str | None = None

    @property
    def is_merge(self) -> bool:
        """Whether the result will have both sides as its history."""
        return self.base is None


@dataclass(frozen=True, slots=True)
class MergedTree:
    """A commit with the files as merged, and the paths that are in conflict there."""

    commit: str
    conflicts: tuple[str, ...]


def find_operation(
    git: GitProgram, path: str, contents: Contents, merged: Sequence[str], label: str
) -> Operation | None:
    """The operation that merges these contents at a path; None where nobody can tell.

    `merged` are the commits that `git merge` named, `label` is what Git calls the other side.
    """
    if "\n" in path:
        return None
    head = git.run("rev-parse", "--verify", "--quiet", "HEAD", accept=None).text
    candidates = [(commit, None) for commit in merged]
    picked = [(commit, f"{commit}^") for commit in dict.fromkeys(_picked(git, label))]
    names = [name for pair in (*candidates, *picked) for name in pair if name is not None]
    wanted = _Wanted(git, path, contents, [head, *names])
    if not wanted.has(head, contents.ours):
        return None
    for theirs, _ in candidates:
        if wanted.has(theirs, contents.theirs):
            return Operation(head, theirs)
    for theirs, base in picked:
        if theirs != head and wanted.has(theirs, contents.theirs) and wanted.has(base, contents.base):
            return Operation(head, theirs, base)
    return None


class _Wanted:
    """The object at one path of several commits, asked for in one run of Git."""

    def __init__(self, git: GitProgram, path: str, contents: Contents, commits: Iterable[str]) -> None:
        self._ids = {
            content: object_id_of(git.repository, content)
            for content in (contents.base, contents.ours, contents.theirs)
        }
        names = list(dict.fromkeys(commits))
        asked = "".join(f"{name}:{path}\n" for name in names).encode()
        answers = git.run("cat-file", "--batch-check=%(objectname)", stdin=asked).text.splitlines()
        self._found = dict(zip(names, answers, strict=True))

    def has(self, commit: str, content: bytes) -> bool:
        """Whether a commit has a content at the path; nothing there is an empty one."""
        found = self._found[commit]
        return found == self._ids[content] or (not content and found.endswith(" missing"))


def _picked(git: GitProgram, label: str) -> Iterator[str]:
    """Commits that may be what is picked, likeliest first."""
    folder = git_folder(git.repository)
    if todo := _line(folder / "rebase-merge" / "done", -1):
        yield from _PICK.findall(todo)[:1]
    if todo := _line(folder / "sequencer" / "todo", 0):
        yield from _PICK.findall(todo)[:1]
    yield from _HEX.findall(label.partition(" ")[0])[:1]
    for name in ("CHERRY_PICK_HEAD", "REBASE_HEAD", "rebase-apply/original-commit"):
        yield from _HEX.findall(_line(folder / name, 0))[:1]
    tips = git.run(
        "for-each-ref", f"--count={_MOST_REFERENCES}", "--sort=-creatordate", "--format=%(objectname)",
        "refs/stash", "refs/heads", "refs/remotes", accept=None,
    )  # fmt: skip
    yield from tips.text.splitlines()


def _line(path: Path, index: int) -> str:
    try:
        lines = [line for line in path.read_text(errors="replace").splitlines() if line.strip()]
    except OSError:
        return ""
    return lines[index] if lines else ""


def merge_trees(git: GitProgram, operation: Operation) -> MergedTree:
    """The files that the operation gives; raises GitFailure where this Git cannot say.

    Nothing refers to the objects that this writes, so that Git clears them away in time.
    """
    ours, theirs = operation.ours, operation.theirs
    if operation.base is not None:
        # A Git that knows no `--merge-base` finds this one by itself.
        base = _commit(git, f"{operation.base}^{{tree}}")
        ours, theirs = (_commit(git, f"{side}^{{tree}}", base) for side in (ours, theirs))
    merged = git.run(
        *_OURS, "merge-tree", "--write-tree", "--name-only", "--no-messages", "--allow-unrelated-histories",
        "-z", ours, theirs, accept=(0, 1),
    )  # fmt: skip
    tree, *conflicts = merged.out.decode(errors="replace").rstrip("\0").split("\0")
    return MergedTree(_commit(git, tree, operation.ours), tuple(path for path in conflicts if path))


def _commit(git: GitProgram, tree: str, *parents: str) -> str:
    found = git.run("rev-parse", "--verify", "--quiet", tree).text
    options = [option for parent in parents for option in ("-p", parent)]
    return git.run("commit-tree", found, *options, "-m", "merged", environment=_NOBODY).text
