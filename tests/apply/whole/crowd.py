"""Clients that go on whatever happens to the servers, and that notice every answer which is not so."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from tests.apply.service.serving import Reply
from tests.apply.whole.actors import Seen
from tests.apply.whole.agents import BOUNDARIES
from tests.apply.whole.client import ACTORS, AGAIN, Client, names, of, state, until

ENDS = {"Suspend": "SUSPENDED", "Resume": "READY", "Delete": "DELETED"}
MAY = {"READY": ("Suspend", "Suspend", "Delete"), "SUSPENDED": ("Resume", "Resume", "Delete")}
ENDED_BEFORE = {"Suspend": "ABORTED", "Resume": "ABORTED", "Delete": "NOT_FOUND"}
"""What is said of an operation that an earlier call ended, whose reply was lost."""

MOST = 4
"""Instances of a member of the crowd at once."""


@dataclass
class Own:
    """An instance as it was acknowledged last."""

    name: str
    stands: str
    revision: str


@dataclass
class Member:
    """One client with instances of its own; `done` counts what ended, `unclear` what was asked again."""

    client: Client
    dice: random.Random
    stop: threading.Event
    own: dict[str, Own] = field(default_factory=dict)
    created: int = 0
    done: int = 0
    unclear: int = 0

    def work(self) -> None:
        """Do one thing after the other until it is enough."""
        while not self.stop.is_set():
            living = [number for number, own in self.own.items() if own.stands != "DELETED"]
            if (len(living) < MOST and self.dice.random() < 0.5) or not living:
                self._create()
            else:
                self._change(self.dice.choice(living))
            self.done += 1

    def _create(self) -> None:
        self.created += 1
        name, request = self.dice.choice(list(BOUNDARIES)), f"r{self.created}"
        reply, _ = self._asked(partial(self.client.create, name, request))
        assert reply.code == "OK", reply
        made = reply.message.agent_instance
        assert state(made) == "READY"
        assert made.id not in self.own
        self.own[made.id] = Own(name, "READY", made.prepared_revision)

    def _change(self, number: str) -> None:
        own = self.own[number]
        verb = self.dice.choice(MAY[own.stands])
        reply, again = self._asked(partial(self.client.about, verb, number))
        if reply.code == "OK":
            assert state(reply.message.agent_instance) == ENDS[verb]
        else:
            assert again, reply
            assert reply.code == ENDED_BEFORE[verb], reply
        own.stands = ENDS[verb]

    def _asked(self, ask: Callable[[], Reply]) -> tuple[Reply, bool]:
        """The answer to a call that is made again as long as that may help, and whether it was."""
        again = False
        while (reply := ask()).code in AGAIN:
            again = True
            self.unclear += 1
            self.stop.wait(0.02)
        return reply, again

    def is_right(self, seen: dict[str, Seen]) -> None:
        """Everything that was acknowledged is so, and nothing else is there."""
        left = {number: own for number, own in self.own.items() if own.stands != "DELETED"}
        now = self.client.settled()
        assert {number: state(found) for number, found in now.items()} == {
            number: own.stands for number, own in left.items()
        }
        for number, own in left.items():
            assert now[number].prepared_revision == own.revision
            assert {name for name in seen if name.startswith(f"ai-{number}")} == set(
                names(number, BOUNDARIES[own.name])
            )
            assert {actor.state for actor in of(number, seen)} == {ACTORS[own.stands]}
        for number in self.own.keys() - left.keys():
            assert self.client.about("Get", number).code == "NOT_FOUND"


@dataclass
class Crowd:
    """Some members at work."""

    members: list[Member]
    working: list[Future[None]]
    enough: threading.Event

    def stop(self) -> None:
        """Let each end what they do; raises what the first of them met."""
        self.enough.set()
        for one in self.working:
            one.result()

    def until_each(self, has: Callable[[Member], int], more: int) -> None:
        """Wait until each member has so many more of something than now."""
        before = [has(member) for member in self.members]
        until(
            lambda: (
                self.failed()
                or all(has(one) >= n + more for one, n in zip(self.members, before, strict=True))
            )
        )

    def failed(self) -> bool:
        """Whether somebody was told what is not so."""
        return any(one.done() and one.exception() for one in self.working)

    def is_right(self, seen: Callable[[], dict[str, Seen]]) -> None:
        """What `Member.is_right` says of all, and that no Actor is anybody else's."""
        for member in self.members:
            member.client.settled()
        found = seen()
        for member in self.members:
            member.is_right(found)
        wanted = sum(
            BOUNDARIES[own.name]
            for one in self.members
            for own in one.own.values()
            if own.stands != "DELETED"
        )
        assert len(found) == wanted


@contextmanager
def crowd(clients: list[Client], seed: int) -> Iterator[Crowd]:
    """Clients at work, which have all ended theirs afterwards; raises what the first of them met."""
    stop = threading.Event()
    members = [Member(client, random.Random(f"{seed}-{place}"), stop) for place, client in enumerate(clients)]
    with ThreadPoolExecutor(len(members)) as pool:
        made = Crowd(members, [pool.submit(member.work) for member in members], stop)
        try:
            yield made
        finally:
            stop.set()
    made.stop()
