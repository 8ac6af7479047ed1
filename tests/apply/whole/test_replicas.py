"""Two servers on one database and one Substrate are one service."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import pytest

from tests.apply.whole import actors, agents
from tests.apply.whole.agents import edition
from tests.apply.whole.client import Client, answers, given, of, state
from tests.apply.whole.conftest import Whole, token, tokens_file
from tests.apply.whole.processes import Process, control, serving
from tests.postgresql import PostgreSQL

pytestmark = pytest.mark.server


@dataclass
class Pair:
    """Two servers of one service, and a caller of each, who is the same."""

    wholes: tuple[Whole, Whole]
    processes: tuple[Process, Process]
    one: Client
    two: Client

    def caller(self, number: int) -> None:
        """Be somebody else, who has nothing yet."""
        self.one.token = self.two.token = token(number)


@pytest.fixture(scope="module")
def replicas(postgresql_server: PostgreSQL, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two servers with folders of their own."""
    place = tmp_path_factory.mktemp("replicas")
    upstream = agents.upstream(place / "repository")
    tokens = tokens_file(place / "tokens.yaml")
    with control(place / "control") as substrate:
        arguments = ["--repo", str(upstream.folder), "--ref", "main", "--tokens", str(tokens)]
        arguments += ["--store", postgresql_server.fresh_database()]
        arguments += ["--substrate", f"dns:///{substrate.address}", "--substrate-plaintext"]
        with serving(place / "one", *arguments) as one, serving(place / "two", *arguments) as two:
            way = ("postgresql", "socket", "substrate-v0.4")
            page = actors.served_at(substrate.address)
            wholes = (
                Whole(way, one.address, upstream, page),
                Whole(way, two.address, upstream, page),
            )
            for whole in wholes:
                whole.until_serving(edition(1, whole.example))
            yield Pair(wholes, (one, two), Client(one.address), Client(two.address))


def test_what_one_creates_the_other_suspends_resumes_and_deletes(replicas: Pair) -> None:
    replicas.caller(1)
    one, two = replicas.one, replicas.two
    made = one.made("coordinator", "first")
    assert two.made("coordinator", "first") == made
    assert two.done("Get", made.id) == made
    assert state(two.done("Suspend", made.id)) == "SUSPENDED"
    assert state(one.done("Resume", made.id)) == "READY"
    assert two.about("Resume", made.id).code == "ABORTED"
    share = two.call(
        "CreateAgentInstanceShare", permission=1, namespace="agent-team", agent_instance_id=made.id
    )
    revoked = one.call("RevokeAgentInstanceShare", namespace="agent-team", share_id=share.message.share.id)
    assert revoked.code == "OK"
    assert state(two.done("Delete", made.id)) == "DELETED"
    assert one.about("Get", made.id).code == "NOT_FOUND"
    assert one.listed() == two.listed() == []


def test_the_same_asked_of_both_at_once_is_one_operation(replicas: Pair) -> None:
    replicas.caller(2)
    sides = [replicas.one, replicas.two] * 4
    with ThreadPoolExecutor(8) as pool:
        for turn in range(3):
            made = list(pool.map(partial(Client.made, name="coordinator", request_id=f"r{turn}"), sides))
            (number,) = {found.id for found in made}
            assert len(of(number, replicas.wholes[0].actors())) == 2
            for verb, stands in (("Suspend", "SUSPENDED"), ("Resume", "READY"), ("Delete", "DELETED")):
                replies = list(pool.map(partial(Client.about, verb=verb, number=number), sides))
                ended = [given(reply) for reply in replies if reply.code == "OK"]
                assert {state(found) for found in ended} == {stands}
                late = {reply.code for reply in replies} - {"OK"}
                assert late <= {"NOT_FOUND" if verb == "Delete" else "ABORTED"}
            assert of(number, replicas.wholes[0].actors()) == []


def test_whatever_each_is_asked_the_actors_are_as_the_instances(replicas: Pair) -> None:
    replicas.caller(3)
    numbers = [replicas.one.made("reviewer", f"r{place}").id for place in range(6)]
    verbs = ("Suspend", "Delete", "Resume", "Suspend")
    asked = [
        (side, verb, number) for number in numbers for verb in verbs for side in (replicas.one, replicas.two)
    ]
    with ThreadPoolExecutor(8) as pool:
        codes = set(pool.map(lambda one: one[0].about(one[1], one[2]).code, asked))
    assert codes <= {"OK", "ABORTED", "NOT_FOUND"}
    left = replicas.one.settled()
    assert replicas.two.listed() == list(left.values())
    seen = replicas.wholes[0].actors()
    for number in numbers:
        wanted = (
            [{"READY": "RUNNING", "SUSPENDED": "SUSPENDED"}[state(left[number])]] if number in left else []
        )
        assert [actor.state for actor in of(number, seen)] == wanted


def test_one_that_is_told_to_end_leaves_everything_to_the_other(replicas: Pair) -> None:
    replicas.caller(4)
    made = replicas.one.made("coordinator", "first")
    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(replicas.two.create, "coordinator", f"r{place}") for place in range(4)]
        replicas.processes[1].end()
        codes = {asked.result().code for asked in asking}
    assert codes <= {"OK", "UNAVAILABLE", "CANCELLED"}
    for place in range(4):
        for reply in answers(partial(replicas.one.create, "coordinator", f"r{place}")):
            assert state(given(reply)) == "READY"
    assert state(replicas.one.done("Suspend", made.id)) == "SUSPENDED"
    assert len(replicas.one.settled()) == 5
