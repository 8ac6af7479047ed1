"""Carries `commit` through: render on the tip, write the commit, move the branch; again after a lost race."""

from __future__ import annotations

import random
import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kagent_render.cli.commit.ends import Source, open_tip
from kagent_render.cli.commit.rendering import Rendered, render_onto
from kagent_render.cli.commit.report import Committed, print_committed
from kagent_render.cli.failure import Status
from kagent_render.cli.git_failure import telling_git_failures
from kagent_render.cli.progress import showing_progress
from kagent_render.cli.roots import open_roots
from kagent_render.cli.run import worst_status
from kagent_render.publication.branch import BranchRefusedError, LocalBranch, LostRaceError, write_commit
from kagent_render.publication.message import SOURCE_TRAILER, commit_message
from kagent_render.publication.remote import RemoteBranch, find_remote
from kagent_render.publication.tree_writing import write_tree
from kagent_render.source.git_program import GitFailure, GitProgram
from kagent_render.source.repository import open_repository, resolve_commit, top_level
from kagent_render.source.revision import GitRevision

if TYPE_CHECKING:
    from pathlib import Path

    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress

_ATTEMPTS: Final = 12
"""How often a branch that others move is tried."""

_PAUSE: Final = 0.1
"""Seconds of the first pause after a lost race, which grow with each."""

_LONGEST_PAUSE: Final = 3.0
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Request:
    """What `commit` was asked for: `remote` is None where nothing is pushed, empty for the configured one.

    `forward`: the output of a later commit stays.
    """

    branch: str
    remote: str | None
    message: str | None
    keep_going: bool
    forward: bool
    dry: bool


def commit(settings: Settings, request: Request) -> Status:
    """Render a revision onto a branch; the status is what the program exits with."""
    with (
        showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress,
        telling_git_failures(),
    ):
        source = _open_source(settings)
        settings = replace(settings, revision=source.commit)
        done = _Publication(settings, request, source, progress).carry_out()
    print_committed(done, settings)
    found = worst_status(diagnostic for report in done.rendered.reports for diagnostic in report.diagnostics)
    if found is Status.CLEAN and settings.locked and done.rendered.changes:
        return Status.FINDINGS
    return found


def _open_source(settings: Settings) -> Source:
    path = settings.path.resolve()
    repository = top_level(path) or path
    opened = open_repository(repository)
    assert settings.revision is not None
    identifier = resolve_commit(opened, settings.revision).id.decode("ascii")
    inside = path.relative_to(repository).as_posix()
    roots = open_roots(replace(settings, revision=identifier))
    return Source(identifier, GitRevision(repository, identifier), roots, "" if inside == "." else inside)


class _Publication:
    """One request under way; each attempt starts from where the branch is then."""

    def __init__(self, settings: Settings, request: Request, source: Source, progress: Progress) -> None:
        self._settings = settings
        self._request = request
        self._source = source
        self._progress = progress
        self._repository: Path = source.roots[0].repository or settings.path.resolve()
        self._git = GitProgram(self._repository)
        self._local = LocalBranch(self._git, request.branch)
        self._remote = self._find_remote()
        self._forward = request.forward

    def _find_remote(self) -> RemoteBranch | None:
        self._local.check_name()
        if self._request.remote is None:
            return None
        return RemoteBranch(self._local, find_remote(self._git, self._request.branch, self._request.remote))

    def _check_other_than_source(self) -> None:
        """Refuse a branch that a work tree has, and one at the very commit that is rendered."""
        self._local.check_not_checked_out()
        if self._local.tip() == self._source.commit:
            raise BranchRefusedError(
                f"`{self._local.name}` is at the commit that is rendered: it is a branch of sources",
                "choose another branch; one that does not exist is made",
            )

    def carry_out(self) -> Committed:
        """Try until the branch has what the revision gives; raises GitFailure in the end."""
        said = b""
        for attempt in range(_ATTEMPTS):
            try:
                return self._try()
            except LostRaceError as lost:
                said = lost.said
                # Who overlapped with another run did not mean to take its output back.
                self._forward = True
                self._progress.say("Another commit came first; rendering on that")
                # Jitter, so that many that lost together do not meet again.
                time.sleep(random.uniform(0, min(_LONGEST_PAUSE, _PAUSE * 2**attempt)))  # noqa: S311
        raise GitFailure(
            f"`{self._local.name}` could not be moved in {_ATTEMPTS} attempts",
            said,
            hint="run the command again when fewer others commit to it",
        )

    def _try(self) -> Committed:
        self._check_other_than_source()
        local = self._local.tip()
        there = self._remote.tip() if self._remote is not None else None
        start = self._start(local, there)
        if start is not None and self._forward and self._is_behind(start):
            nothing = Rendered((), {}, (), stopped=False)
            return Committed(self._local.name, self._source.commit, start, start, nothing, behind=True)
        tip = open_tip(self._repository, start)
        rendered = render_onto(
            tip, self._source, self._settings, self._progress, keep_going=self._request.keep_going
        )
        done = Committed(self._local.name, self._source.commit, start, start, rendered, dry=self._request.dry)
        if rendered.stopped or self._request.dry:
            return done
        new = self._write(rendered, start) if rendered.changes else start
        return replace(done, new=new, pushed=self._publish(new, local, there))

    def _start(self, local: str | None, there: str | None) -> str | None:
        """The commit to go on from: the remote's tip, or the local one where that is ahead of it."""
        if there is None or local is None or local == there:
            return local if there is None else there
        if self._is_ancestor(local, there):
            return there
        if self._is_ancestor(there, local):
            return local
        assert self._remote is not None
        raise BranchRefusedError(
            f"`{self._local.name}` here and at `{self._remote.shown}` have commits that the other has not",
            f"let go of those here: `git branch --delete --force {self._local.name}`",
        )

    def _is_behind(self, start: str) -> bool:
        """Whether the branch was last rendered from a commit that comes after this one."""
        wanted = f"--format=%(trailers:key={SOURCE_TRAILER},valueonly)"
        later = self._git.run("log", "-1", "--no-show-signature", wanted, start).text
        if later == self._source.commit or not _COMMIT.fullmatch(later):
            return False
        asked = ("merge-base", "--is-ancestor", self._source.commit, later)
        return not self._git.run(*asked, accept=None).status

    def _is_ancestor(self, one: str, other: str) -> bool:
        return not self._git.run("merge-base", "--is-ancestor", one, other, accept=(0, 1)).status

    def _write(self, rendered: Rendered, start: str | None) -> str:
        from dulwich.objects import Commit, ObjectID

        self._progress.say("Writing the commit")
        opened = open_repository(self._repository)
        base = None
        if start is not None:
            found = opened[ObjectID(start.encode("ascii"))]
            assert isinstance(found, Commit)
            base = found.tree
        tree = write_tree(opened, base, rendered.changes)
        message = commit_message(self._source.commit, rendered.subjects, self._request.message)
        return write_commit(self._git, tree.decode("ascii"), start, message)

    def _publish(self, new: str | None, local: str | None, there: str | None) -> str | None:
        """Push where that was asked for, then move the branch here; the remote that took the commit."""
        pushed = None
        if self._remote is not None and new is not None and new != there:
            self._progress.say(f"Pushing to {self._remote.shown}")
            self._remote.push(new, there)
            pushed = self._remote.shown
        if new is not None and new != local:
            self._move_here(new, local, pushed)
        return pushed

    def _move_here(self, new: str, local: str | None, pushed: str | None) -> None:
        message = f"kagent-render: rendered {self._source.commit[:12]}"
        try:
            self._local.move(new, local, message)
        except LostRaceError:
            # What was pushed is done; whoever moved the branch here finds that at the remote.
            if pushed is None:
                raise
