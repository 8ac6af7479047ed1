"""The index of committed revisions over a rendered repository, in this process."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench.processes import run
from bench.workspace import IDENTITY

if TYPE_CHECKING:
    from bench.workspace import Repository
    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.revisions.index import RevisionIndex

FIRST_BUDGET = 1.0
POLL_BUDGET = 0.1


class _AllReady:
    """A Substrate that has every ActorTemplate already."""

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:  # noqa: ARG002
        return True


def first_load(repository: Repository, place: Path) -> Callable[[], float]:
    """Gives the seconds until everything serves in a process that knows nothing."""
    numbers = itertools.count()

    def load() -> float:
        index = _index(repository, place / f"kept-{next(numbers)}")
        started = time.perf_counter()
        _refresh(index, repository)
        return time.perf_counter() - started

    return load


def poll_after_one_change(repository: Repository, place: Path) -> Callable[[], float]:
    """Gives the seconds that one more commit with one other pair takes."""
    index = _index(repository, place / "kept")
    _refresh(index, repository)
    numbers = itertools.count()

    def poll() -> float:
        source = repository.sources[0]
        source.write_text(source.read_text().replace("Answer ", f"Answer {next(numbers)} times ", 1))
        repository.kagent("render")
        for command in (["add", "."], [*IDENTITY, "commit", "--quiet", "--message", "one more"]):
            run("git", "-C", str(repository.root), *command)
        started = time.perf_counter()
        _refresh(index, repository)
        return time.perf_counter() - started

    return poll


def _index(repository: Repository, kept: Path) -> RevisionIndex:
    from kagent_apply.revisions.index import RevisionIndex
    from kagent_apply.revisions.last_served import LastServed
    from kagent_apply.revisions.local_repository import LocalRepository

    return RevisionIndex(LocalRepository(repository.root, "HEAD"), _AllReady(), LastServed(kept))


def _refresh(index: RevisionIndex, repository: Repository) -> None:
    index.refresh()
    served = [status for status in index.pairs() if status.serving == status.committed != ""]
    assert len(served) == repository.templates, index.problem()
