"""The operations that this process carries out, one for each instance."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TYPE_CHECKING

from kagent_apply.operations.error import stopping, too_many

if TYPE_CHECKING:
    from kagent_apply.instances.instance import Instance
    from kagent_apply.instances.requests import InstanceName
    from kagent_apply.operations.error import OperationError
    from kagent_apply.operations.tenure import Tenure


@dataclass(eq=False, slots=True)
class Run:
    """One operation in this process, from before its claim until it is done.

    `settled` is set when the claim is stored or was not to be had, `done` when nothing more happens. Then
    there is the instance as it was stored last, or trouble, or neither: what became of it has to be read.
    `unwanted` is set when a deletion is asked for, which waits for it to end or to rest.
    """

    name: InstanceName
    recovered: bool = False
    settled: Event = field(default_factory=Event)
    done: Event = field(default_factory=Event)
    unwanted: Event = field(default_factory=Event)
    tenure: Tenure | None = None
    ended: Instance | None = None
    trouble: OperationError | None = None


class Runs:
    """What is under way, from several threads; once it is `refusing`, none is begun any more."""

    def __init__(self, most: int) -> None:
        self.idle = Event()
        self.idle.set()
        self._most = most
        self._lock = Lock()
        self._open: dict[InstanceName, Run] = {}
        self.refusing = False

    def begin(self, name: InstanceName, *, recovered: bool = False) -> Run | None:
        """Make room for one, before it is claimed; None where this process does something to the instance.

        OperationError where there are too many, or none is begun any more.
        """
        with self._lock:
            if self.refusing:
                raise stopping()
            if name in self._open:
                return None
            if len(self._open) >= self._most:
                raise too_many()
            run = self._open[name] = Run(name, recovered)
            self.idle.clear()
            return run

    def end(self, run: Run) -> None:
        """Make known that nothing more happens; who looks afterwards does not find it."""
        with self._lock:
            del self._open[run.name]
            if not self._open:
                self.idle.set()
        run.settled.set()
        run.done.set()

    def find(self, name: InstanceName) -> Run | None:
        """What this process does to an instance."""
        with self._lock:
            return self._open.get(name)

    def under_way(self) -> list[Run]:
        """All of them, as of now."""
        with self._lock:
            return list(self._open.values())

    def refuse(self) -> None:
        """Begin none any more."""
        with self._lock:
            self.refusing = True
