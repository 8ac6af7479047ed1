"""A server that is killed at any step has lost nothing, made nothing twice and told nobody a lie."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.apply.service.serving import Reply
from tests.apply.whole import agents
from tests.apply.whole.agents import BOUNDARIES
from tests.apply.whole.client import ACTORS, Client, answers, names, of, state
from tests.apply.whole.conftest import token, tokens_file
from tests.apply.whole.crowd import crowd
from tests.apply.whole.nursery import Doomed, Nursery, nursery

pytestmark = pytest.mark.process

BEFORE: Mapping[str, tuple[str, ...]] = {
    "Create": (),
    "Suspend": ("Create",),
    "Resume": ("Create", "Suspend"),
    "Delete": ("Create",),
}
"""What leads to where an operation begins."""

ENDS = {"Create": "READY", "Suspend": "SUSPENDED", "Resume": "READY", "Delete": "DELETED"}
AT_ONCE = {"Suspend": "ABORTED", "Resume": "ABORTED", "Delete": "NOT_FOUND"}
"""What is said of an operation that ended before it was asked for again."""

FEWEST = 6
"""Kills of each operation: at three steps of the store's, a look and a change, and once after all of them."""


@pytest.fixture(scope="module")
def forking() -> Iterator[Nursery]:
    """What forks the servers of all tests."""
    with nursery() as running:
        yield running


@pytest.fixture(params=["sqlite-embedded", "sqlite-socket", "postgresql-embedded", "postgresql-socket"])
def way(request: pytest.FixtureRequest) -> str:
    """The store, and the way to Substrate."""
    return str(request.param)


@pytest.fixture
def doomed(way: str, request: pytest.FixtureRequest, forking: Nursery, tmp_path: Path) -> Iterator[Any]:
    """Gives servers, each over a state of its own."""
    store, _, substrate = way.partition("-")
    upstream = agents.upstream(tmp_path / "repository", "substrate-v0.4")
    tokens = tokens_file(tmp_path / "tokens.yaml")
    made: list[Doomed] = []

    def begin(name: str) -> Doomed:
        folder = tmp_path / name
        folder.mkdir()
        settings = {"repo": str(upstream.folder), "ref": "main", "tokens": str(tokens)}
        if store == "postgresql":
            settings["store"] = request.getfixturevalue("postgresql_server").fresh_database()
        made.append(Doomed(forking, folder, settings, substrate == "socket"))
        made[-1].start()
        return made[-1]

    yield begin
    for one in made:
        one.kill()
        if one.control_pid:
            one.kill_control()


class Lane:
    """One server, and one operation that it is killed in at one step after the other."""

    def __init__(self, server: Doomed, operation: str, name: str, stride: int) -> None:
        self.server, self.operation, self.name, self.stride = server, operation, name, stride
        self.client = Client(server.address, token(0))
        self.expected: dict[str, str] = {}
        self.kills = 0

    def run(self) -> int:
        """Kill at every step until the operation has no more; how often that was."""
        self.server.until_serving(self.client)
        while self._is_killed():
            self._restart()
            self._carried_on()
            self._whole()
            self.kills += 1
        self.server.disarm()
        self._whole()
        self.client.close()
        return self.kills

    def _is_killed(self) -> bool:
        """Have a new instance go where the operation begins, and ask for it."""
        self.request, self.number = f"r{self.kills}", ""
        for before in BEFORE[self.operation]:
            self._keep(self._ask(before), ENDS[before])
        self.born = of(self.number, self.server.actors()) if self.number else []
        self.server.arm(self.kills * self.stride)
        reply = self._ask(self.operation)
        if reply.code == "OK":
            self._keep(reply, ENDS[self.operation])
            return False
        assert reply.code == "UNAVAILABLE", reply
        return True

    def _ask(self, operation: str) -> Reply:
        if operation == "Create":
            return self.client.create(self.name, self.request)
        return self.client.about(operation, self.number)

    def _keep(self, reply: Reply, ends: str) -> None:
        assert reply.code == "OK", reply
        self.number = reply.message.agent_instance.id
        assert state(reply.message.agent_instance) == ends
        self.expected[self.number] = ends

    def _restart(self) -> None:
        self.server.died()
        self.server.start()
        self.server.until_serving(self.client)

    def _carried_on(self) -> None:
        """Every second time the server carries on by itself, before anybody asks; then the client does."""
        if self.kills % 2:
            self._recovered()
        for reply in answers(lambda: self._ask(self.operation)):
            if self.operation in AT_ONCE and reply.code == AT_ONCE[self.operation]:
                self.expected[self.number] = ENDS[self.operation]
            else:
                self._keep(reply, ENDS[self.operation])

    def _recovered(self) -> None:
        now = self.client.settled()
        stands = state(now[self.number]) if self.number in now else "DELETED"
        if self.number:
            assert stands in {self.expected[self.number], ENDS[self.operation]}
        else:
            new = now.keys() - self.expected.keys()
            assert len(new) <= 1
            assert {state(now[number]) for number in new} <= {"READY"}

    def _whole(self) -> None:
        """All instances are as was acknowledged, nothing is under way, and each has its Actors, once."""
        told = f"killed at {self.kills} of {self.operation}"
        left = {number: stands for number, stands in self.expected.items() if stands != "DELETED"}
        assert {number: state(found) for number, found in self.client.settled().items()} == left, told
        seen = self.server.actors()
        members = BOUNDARIES[self.name]
        wanted = {name: ACTORS[stands] for number, stands in left.items() for name in names(number, members)}
        assert {name: actor.state for name, actor in seen.items()} == wanted, told
        now = of(self.number, seen)
        assert not self.born or not now or [one.uid for one in now] == [one.uid for one in self.born], told


@pytest.mark.parametrize("name", ["reviewer", "coordinator"])
def test_an_operation_that_is_killed_at_any_step_is_carried_on(name: str, way: str, doomed: Any) -> None:
    stride = 2 if way.startswith("postgresql") else 1  # where each kill waits until the lease has lapsed
    lanes = [Lane(doomed(operation), operation, name, stride) for operation in BEFORE]
    with ThreadPoolExecutor(len(lanes)) as pool:
        kills = list(pool.map(Lane.run, lanes))
    assert all(count >= FEWEST // stride for count in kills)


CLIENTS = 8
ROUNDS = 8


def _strike(server: Doomed, dice: random.Random) -> None:
    """Kill the server, Substrate, or both, at any moment, and start them again."""
    time.sleep(dice.uniform(0.0, 0.3))  # the point where it is killed, not a wait for anything
    whom = dice.choice(("server", "server", "server", "both", "substrate")) if server.socket else "server"
    if whom != "substrate":
        server.kill()
    if whom != "server":
        server.kill_control()
        server.start_control()
    if whom != "substrate":
        server.start()


def test_eight_clients_of_a_server_that_is_killed_at_any_moment_are_told_what_is_so(
    doomed: Any, way: str
) -> None:
    dice = random.Random(way)
    server: Doomed = doomed("crowd")
    clients = [Client(server.address, token(place)) for place in range(CLIENTS)]
    server.until_serving(clients[0])
    with crowd(clients, seed=len(way)) as working:
        for _ in range(ROUNDS):
            _strike(server, dice)
            working.until_each(lambda member: member.done, 1)
            assert not working.failed()
    working.is_right(server.actors)
    assert sum(member.unclear for member in working.members) >= ROUNDS
