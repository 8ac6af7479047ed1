"""The locks that an output folder holds, as far as they can be read, with the facts that they tell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.folder import EntryKind
from kagent_render.emit.layout import lock_path
from kagent_render.review.lock_facts import lock_facts
from kagent_render.revision.lock_file import LockProblem
from kagent_render.revision.lock_reading import read_lock

if TYPE_CHECKING:
    from kagent_render.agentplugin.lock import AgentLock
    from kagent_render.emit.folder import OutputReader
    from kagent_render.emit.layout import Owner
    from kagent_render.review.side import Facts
    from kagent_render.revision.lock import Lock

_LONGEST_LOCK = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class CommittedLock:
    """One lock as it is; `lock` is None where there is none, or none that can be read.

    One that was edited is read all the same where it has the shape of a lock, and is not `intact`.
    """

    lock: Lock | AgentLock | None = None
    intact: bool = False
    is_there: bool = True

    @property
    def revision(self) -> str | None:
        """The revision that the lock names."""
        return self.lock.revision if self.lock is not None else None

    @property
    def facts(self) -> Facts | None:
        """What gives the lock's facts."""
        from kagent_render.revision.lock import Lock

        lock = self.lock
        if lock is None:
            return None
        if isinstance(lock, Lock):
            return lambda: tuple(lock_facts(lock))
        from kagent_render.review.agent_facts import agent_lock_facts

        return lambda: tuple(agent_lock_facts(lock))


class CommittedLocks:
    """The locks of one output folder, each read when it is asked for."""

    def __init__(self, output: OutputReader) -> None:
        self._output = output

    def of(self, owner: Owner) -> CommittedLock:
        """The lock of a pair or of a PlatformAgent."""
        path = lock_path(owner)
        if path not in self._files:
            return CommittedLock(is_there=False)
        text = self._output.read(path, _LONGEST_LOCK)
        if isinstance(owner, PairRef):
            found: Lock | AgentLock | LockProblem[Lock] | LockProblem[AgentLock] = read_lock(text, path)
        else:
            from kagent_render.agentplugin.lock_reading import read_agent_lock

            found = read_agent_lock(text, path)
        if isinstance(found, LockProblem):
            return CommittedLock(found.lock)
        return CommittedLock(found, intact=True)

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(entry.path for entry in self._output.entries() if entry.kind is EntryKind.FILE)
