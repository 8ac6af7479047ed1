"""The output branch in this repository: its name, its tip, and how it moves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_render.source.git_program import GitFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.source.git_program import GitProgram

_HEADS: Final = "refs/heads/"
_OBJECT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BUSY: Final = re.compile(rb"\.lock'|but expected")


class BranchRefusedError(Exception):
    """A branch that must not be written, or cannot be; `hint` says what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class LostRaceError(Exception):
    """The branch is no longer where it was when its output was rendered; `said` is what Git says of it."""

    def __init__(self, branch: str, said: bytes = b"") -> None:
        super().__init__(branch)
        self.said = said


@dataclass(frozen=True, slots=True)
class LocalBranch:
    """A branch by its name; raises GitFailure whenever Git fails."""

    git: GitProgram
    name: str

    @property
    def reference(self) -> str:
        """The full name."""
        return _HEADS + self.name

    def check_name(self) -> None:
        """Raise BranchRefusedError at a name that no branch can have."""
        short = self.name
        valid = short and not short.startswith("-") and short != "HEAD" and short.isprintable()
        if not valid or self.git.run("check-ref-format", self.reference, accept=None).status:
            raise BranchRefusedError(f"`{short}` cannot be the name of a branch", "choose another name")
        if short.startswith("refs/"):
            bare = short.removeprefix(_HEADS)
            raise BranchRefusedError(f"`{short}` is a full name", f"write `--branch {bare}`")

    def tip(self) -> str | None:
        """The commit at the branch; None where there is no such branch.

        Raises BranchRefusedError where it is another name for a branch, or leads to no commit.
        """
        if not self.git.run("symbolic-ref", "--quiet", self.reference, accept=None).status:
            raise BranchRefusedError(
                f"`{self.name}` is a symbolic reference: it would move another branch",
                "name that branch, or choose another name",
            )
        found = self.git.run("rev-parse", "--verify", "--quiet", self.reference, accept=None)
        if found.status or not _OBJECT.fullmatch(found.text):
            return None
        kind = self.git.run("cat-file", "-t", found.text, accept=None)
        if kind.status:
            raise BranchRefusedError(
                f"the tip of `{self.name}` is not in this repository",
                f"fetch it: `git fetch origin {self.name}`",
            )
        if kind.text != "commit":
            raise BranchRefusedError(
                f"the tip of `{self.name}` is a {kind.text}, not a commit", "choose another branch"
            )
        return found.text

    def check_not_checked_out(self) -> None:
        """Raise BranchRefusedError where a work tree has the branch: its files would not follow."""
        for place in self._checked_out_at():
            raise BranchRefusedError(
                f"`{self.name}` is checked out at `{place}`: the files there would not follow",
                "choose a branch that nothing has checked out",
            )

    def _checked_out_at(self) -> Iterator[str]:
        place = ""
        for line in self.git.run("worktree", "list", "--porcelain").out.decode(errors="replace").splitlines():
            if line.startswith("worktree "):
                place = line.removeprefix("worktree ")
            elif line == f"branch {self.reference}":
                yield place
        common = self.git.run("rev-parse", "--path-format=absolute", "--git-common-dir").text
        for folder in (Path(common), *Path(common, "worktrees").glob("*")):
            if self._is_under_way(folder):
                yield str(folder)

    def _is_under_way(self, folder: Path) -> bool:
        """Whether a rebase or a bisection in a work tree will come back to the branch."""
        for name in ("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START"):
            try:
                text = (folder / name).read_text(errors="replace").strip()
            except OSError:
                continue
            if text in (self.name, self.reference):
                return True
        return False

    def move(self, new: str, old: str | None, message: str) -> None:
        """Let the branch lead to `new` if it still leads to `old`; raises LostRaceError where it does not.

        A reference that is in use for the moment is a lost race too: the next try finds where it led to.
        """
        update = ("update-ref", "--no-deref", "--create-reflog", "-m", message)
        moved = self.git.run(*update, self.reference, new, old or "0" * len(new), accept=None)
        if not moved.status:
            return
        if self.tip() != old or _BUSY.search(moved.err):
            raise LostRaceError(self.name, moved.err)
        raise GitFailure(f"Git does not let `{self.name}` move", moved.err)


def write_commit(git: GitProgram, tree: str, parent: str | None, message: str) -> str:
    """A commit object by whom, when and with which signature Git's own configuration says."""
    signing = git.run("config", "--type=bool", "--get", "commit.gpgSign", accept=None).text == "true"
    options = [*(("-p", parent) if parent is not None else ()), *(("-S",) if signing else ())]
    encoding = ("-c", "i18n.commitEncoding=UTF-8")
    text = message.encode(errors="replace")
    made = git.run(*encoding, "commit-tree", tree, *options, "-F", "-", stdin=text, accept=None)
    if made.status:
        raise GitFailure("Git does not make the commit", made.err)
    return made.text
