"""Everything that an operation needs, in memory, and what tests say of the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kagent_apply.instances.instance import Instance
from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.instances.requests import AgentName, Creation, InstanceName
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.limits import Limits
from kagent_apply.operations.operations import Operations
from kagent_apply.operations.work import name_of
from kagent_apply.revisions.port import NotServed, PairStatus
from kagent_apply.substrate.port import ActorName, ActorState
from tests.apply.operations.memory_compute import MemoryCompute
from tests.apply.operations.memory_store import MemoryStore
from tests.apply.operations.seconds import Seconds

AGENT = AgentName("payments", "python", "triage")
CREATION = Creation(AGENT, "first")
PATHS = ("", "billing", "billing/ledger", "search")
"""Of trees of up to four members."""

CREATOR = "alice"
TIMEOUT = 300.0


def revision(members: int) -> PreparedRevision:
    """Of a tree with so many members."""
    return PreparedRevision(
        AGENT,
        f"sha256:{members:064}",
        "ateapi/v0.4",
        {"team": "payments"},
        tuple(PreparedMember(path, f"triage-{place}", "", b"") for place, path in enumerate(PATHS[:members])),
    )


@dataclass
class MemoryRevisions:
    """One agent, or none."""

    served: PreparedRevision | NotServed

    def serving(self, agent: AgentName) -> PreparedRevision | NotServed:
        return self.served if agent == AGENT else NotServed("the agent is not listed", "list the agents")

    def pairs(self, namespace: str | None = None) -> list[PairStatus]:
        return []

    def problem(self) -> str:
        return ""


@dataclass
class Scene:
    """A store, Substrate and revisions that outlive the processes which use them."""

    members: int = 1
    seconds: Seconds = field(default_factory=Seconds)
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        self.store = MemoryStore(self.seconds)
        self.compute = MemoryCompute(self.store, self.seconds)
        self.revisions = MemoryRevisions(revision(self.members))

    def process(self, **changed: Any) -> Operations:
        """A new one, whose workers work at once."""
        parts: dict[str, Any] = {"clock": self.seconds.clock(), "submit": at_once, "limits": self.limits}
        return Operations(self.store, self.revisions, lambda _: self.compute, **(parts | changed))

    def instance(self) -> Instance:
        """The only one, as it is stored."""
        (instance,) = self.store.all()
        return instance

    def named(self) -> InstanceName:
        """Its name."""
        return name_of(self.instance())

    def ask(self, process: Operations, operation: Operation, timeout: float = TIMEOUT) -> Instance:
        """Ask for an operation on the only instance, or for it to be created."""
        if operation is Operation.CREATE:
            return process.create(CREATOR, CREATION, timeout)
        method: Callable[[str, InstanceName, float], Instance] = {
            Operation.SUSPEND: process.suspend,
            Operation.RESUME: process.resume,
            Operation.DELETE: process.delete,
        }[operation]
        return method(CREATOR, self.named(), timeout)

    def until(self, operation: Operation) -> None:
        """Go where an operation may begin, and forget what was called on the way."""
        process = self.process()
        for before in BEFORE[operation]:
            self.ask(process, before)
        self.compute.calls.clear()
        self.store.written.clear()

    def settle(self) -> None:
        """Let new processes take up what was left until nothing is."""
        for _ in range(20):
            self.seconds.now += 120
            if not self.store.unattended(10):
                return
            self.process().recover()
        raise AssertionError("an operation is never done")

    def states(self) -> list[ActorState | None]:
        """Of the Actors that the stored members name and that are the instance's own, root first."""
        return [
            actor.state if actor and actor.uid not in self.compute.foreign else None
            for member in self.instance().members
            for actor in [self.compute.actors.get(ActorName(AGENT.namespace, member.actor))]
        ]

    def is_whole(self) -> None:
        """Nothing is under way, the Actors are as the state says, and none was ever made twice."""
        standing = self.instance().standing
        assert standing.operation is None
        assert self.instance().lease is None
        if standing.state in ACTORS:
            assert set(self.states()) == {ACTORS[standing.state]}
        assert all(made == 1 for made in self.compute.made.values()), "an Actor was made twice"


def at_once(work: Callable[[], None]) -> None:
    """A worker that is always free."""
    work()


BEFORE: dict[Operation, list[Operation]] = {
    Operation.CREATE: [],
    Operation.SUSPEND: [Operation.CREATE],
    Operation.RESUME: [Operation.CREATE, Operation.SUSPEND],
    Operation.DELETE: [Operation.CREATE],
}
ENDS = {
    Operation.CREATE: State.READY,
    Operation.SUSPEND: State.SUSPENDED,
    Operation.RESUME: State.READY,
    Operation.DELETE: State.DELETED,
}
ACTORS = {
    State.READY: ActorState.RUNNING,
    State.SUSPENDED: ActorState.SUSPENDED,
    State.DELETED: None,
}
