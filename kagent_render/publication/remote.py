"""The output branch at a remote: where it is there, and how it gets a commit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.publication.branch import BranchRefusedError, LostRaceError
from kagent_render.source.git_program import GitFailure, address_without_user_information

if TYPE_CHECKING:
    from kagent_render.publication.branch import LocalBranch
    from kagent_render.source.git_program import GitProgram

_OBJECT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# What servers say when two pushes meet: the tip that was expected is gone, or is locked for the moment.
_RACE: Final = re.compile(
    rb"\((?:stale info|fetch first|non-fast-forward|failed to update ref|cannot lock ref[^)]*"
    rb"|incorrect old value provided|reference already exists|failed to lock)\)"
)
_REFUSAL: Final = re.compile(rb"^!\t[^\t\n]*\t(.*)$", re.MULTILINE)
_PROTECTED: Final = (
    "the branch here is where it was: let who pushes pass the rules of the branch, or push to another one"
)


@dataclass(frozen=True, slots=True)
class RemoteBranch:
    """A branch at a remote by the remote's name or address."""

    local: LocalBranch
    remote: str

    @property
    def shown(self) -> str:
        """The remote as messages name it."""
        return address_without_user_information(self.remote)

    def tip(self) -> str | None:
        """The commit at the branch there, with its objects here; None where the remote has no such branch."""
        git = self.local.git
        found = self._advertised()
        if found is None or not git.run("cat-file", "-e", f"{found}^{{commit}}", accept=None).status:
            return found
        self._fetch()
        if git.run("cat-file", "-e", f"{found}^{{commit}}", accept=None).status:
            raise LostRaceError(self.local.name)  # it moved between the question and the answer
        return found

    def _advertised(self) -> str | None:
        git, reference = self.local.git, self.local.reference
        asked = git.run("ls-remote", "--", self.remote, reference, accept=None)
        if asked.status:
            raise GitFailure(f"`{self.shown}` cannot be asked for `{self.local.name}`", asked.err)
        for line in asked.text.splitlines():
            identifier, _, name = line.partition("\t")
            if name == reference and _OBJECT.fullmatch(identifier):
                return identifier
        return None

    def _fetch(self) -> None:
        """Get the branch's objects; of a shallow clone without that branch no more than the tip's."""
        git = self.local.git
        shallow = git.run("rev-parse", "--is-shallow-repository").text == "true"
        depth = ("--depth=1",) if shallow and self.local.tip() is None else ()
        fetched = git.run(
            "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", *depth,
            "--", self.remote, self.local.reference, accept=None,
        )  # fmt: skip
        if fetched.status:
            raise GitFailure(f"`{self.local.name}` cannot be fetched from `{self.shown}`", fetched.err)

    def push(self, commit: str, old: str | None) -> None:
        """Let the branch there lead to `commit` if it still leads to `old`; never by force.

        Raises LostRaceError where it does not, and GitFailure where the remote refuses.
        """
        reference = self.local.reference
        pushed = self.local.git.run(
            "push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no",
            f"--force-with-lease={reference}:{old or ''}",
            "--", self.remote, f"{commit}:{reference}", accept=None,
        )  # fmt: skip
        if not pushed.status:
            return
        if _RACE.search(pushed.out) or self._advertised() != old:
            raise LostRaceError(self.local.name, pushed.err)
        reason = b"\n".join(_REFUSAL.findall(pushed.out))
        hint = _PROTECTED if b"[remote rejected]" in reason else None
        told = pushed.err + b"\n" + reason
        raise GitFailure(f"`{self.shown}` does not take `{self.local.name}`", told, hint=hint)


def find_remote(git: GitProgram, branch: str, asked: str) -> str:
    """The remote to push a branch to: as `asked`, else as Git's configuration says, else `origin`.

    Raises BranchRefusedError at one that is not configured and no address.
    """
    remote = asked or _configured(git, branch)
    known = git.run("remote").text.splitlines()
    if remote.startswith("-") or (remote not in known and ":" not in remote and not remote.startswith("/")):
        raise BranchRefusedError(
            f"there is no remote `{remote}`",
            "name one that `git remote` lists, or write PATH before `--push`",
        )
    return remote


def _configured(git: GitProgram, branch: str) -> str:
    for key in (f"branch.{branch}.pushRemote", "remote.pushDefault", f"branch.{branch}.remote"):
        value = git.run("config", "--get", key, accept=None).text
        if value and value != ".":
            return value
    return "origin"
