"""Whatever a caller asks for, in any order and across restarts, the service says what a small model says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from kagent_apply.settings.model import Settings
from tests.apply.revisions.world import Upstream
from tests.apply.whole import actors, agents
from tests.apply.whole.agents import BOUNDARIES, NAMESPACE, edition, revision
from tests.apply.whole.client import ACTORS, Client, named, names, state, until
from tests.apply.whole.composition import composed
from tests.apply.whole.conftest import token, tokens_file

pytestmark = pytest.mark.server

EXAMPLE = "substrate-v0.4"
CALLERS = 400
NEVER = "00000000-0000-4000-8000-000000000001"

AFTER = {
    ("READY", "Suspend"): "SUSPENDED",
    ("SUSPENDED", "Resume"): "READY",
    ("READY", "Delete"): "DELETED",
    ("SUSPENDED", "Delete"): "DELETED",
}
VERBS = st.sampled_from(["Suspend", "Resume", "Delete"])
AGENTS = st.sampled_from(sorted(BOUNDARIES))


@dataclass
class Running:
    """A server of this process that is restarted now and then, for one example after the other."""

    settings: Settings
    folder: Path
    upstream: Upstream
    edition: int = 1
    address: str = ""
    _open: ExitStack = field(default_factory=ExitStack)
    _callers: Iterator[int] = field(default_factory=itertools.count)

    def start(self) -> None:
        """Serve, at another port than before."""
        server, self._assembled = self._open.enter_context(composed(self.settings, self.folder))
        self.address = f"127.0.0.1:{server.port}"

    def stop(self) -> None:
        """Serve no more."""
        self._open.close()

    def caller(self) -> Client:
        """Somebody who has nothing yet."""
        return Client(self.address, token(next(self._callers)))

    def commit(self, number: int, caller: Client) -> None:
        """Have another edition serve."""
        self.upstream.commit(edition(number, EXAMPLE))
        self._assembled.refresh()
        self.edition = number
        until(lambda: {pair.serving for pair in caller.call("ListRevisions").message.pairs} == self._wanted())

    def _wanted(self) -> set[str]:
        return {revision(name, edition(self.edition, EXAMPLE)) for name in BOUNDARIES}


@dataclass
class Known:
    """An instance as it should be."""

    id: str
    name: str
    revision: str
    stands: str = "READY"
    shares: list[str] = field(default_factory=list)

    @property
    def is_there(self) -> bool:
        """Whether it can be found."""
        return self.stands != "DELETED"

    def may(self, verb: str) -> str:
        """What asking for something gives."""
        if not self.is_there:
            return "NOT_FOUND"
        return "OK" if (self.stands, verb) in AFTER else "ABORTED"


class Machine(RuleBasedStateMachine):
    """One caller, another who has nothing, and all that the first may have."""

    running: Running

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = self.running.caller(), self.running.caller()
        self.requests: dict[str, Known] = {}

    def teardown(self) -> None:
        self.one.close()
        self.other.close()

    @rule(request=st.sampled_from("abcdef"), name=AGENTS)
    def creates(self, request: str, name: str) -> None:
        known = self.requests.get(request)
        reply = self.one.create(name, request)
        if known is None:
            assert reply.code == "OK", reply
            made = reply.message.agent_instance
            assert made.prepared_revision == revision(name, edition(self.running.edition, EXAMPLE))
            self.requests[request] = Known(made.id, name, made.prepared_revision)
        elif known.name != name:
            assert reply.code == "ALREADY_EXISTS"
        elif known.stands == "READY":
            assert reply.message.agent_instance.id == known.id
        else:
            assert reply.code == "FAILED_PRECONDITION"

    @rule(data=st.data(), verb=VERBS)
    def changes(self, data: st.DataObject, verb: str) -> None:
        known = self._any(data)
        reply = self.one.about(verb, known.id)
        assert reply.code == known.may(verb), reply
        if reply.code == "OK":
            known.stands = AFTER[known.stands, verb]
            assert state(reply.message.agent_instance) == known.stands

    @rule(data=st.data(), verbs=st.tuples(VERBS, VERBS))
    def asks_for_two_at_once(self, data: st.DataObject, verbs: tuple[str, str]) -> None:
        known = self._any(data)
        with ThreadPoolExecutor(2) as pool:
            codes = [reply.code for reply in pool.map(lambda verb: self.one.about(verb, known.id), verbs)]
        after, before = self._stands(known), known.stands
        assert after in {self._after(before, *verbs), self._after(before, *reversed(verbs))} | {
            self._after(before, verb) for verb in verbs
        }
        assert ("OK" in codes) == (after != before) or verbs[0] != verbs[1]
        known.stands = after

    @rule(data=st.data())
    def gets(self, data: st.DataObject) -> None:
        known = self._any(data)
        reply = self.one.about("Get", known.id)
        assert reply.code == ("OK" if known.is_there else "NOT_FOUND")
        if known.is_there:
            found = reply.message.agent_instance
            assert (state(found), found.prepared_revision) == (known.stands, known.revision)

    @rule(limit=st.integers(1, 4))
    def lists(self, limit: int) -> None:
        there = {known.id: known.stands for known in self.requests.values() if known.is_there}
        found = self.one.listed(limit)
        assert [one.id for one in found] == sorted(there)
        assert {one.id: state(one) for one in found} == there

    @rule(data=st.data(), verb=st.sampled_from(["Get", "Suspend", "Resume", "Delete"]))
    def is_somebody_else(self, data: st.DataObject, verb: str) -> None:
        assert self.other.about(verb, self._any(data).id).code == "NOT_FOUND"
        assert self.other.listed() == []

    @rule(data=st.data())
    def shares(self, data: st.DataObject) -> None:
        known = self._any(data)
        reply = self.one.call("CreateAgentInstanceShare", permission=2, **named(known.id))
        assert reply.code == ("OK" if known.is_there else "NOT_FOUND")
        if known.is_there:
            known.shares.append(reply.message.share.id)

    @rule(data=st.data())
    def revokes(self, data: st.DataObject) -> None:
        known = self._any(data)
        number = known.shares.pop() if known.shares else NEVER
        reply = self.one.call("RevokeAgentInstanceShare", namespace=NAMESPACE, share_id=number)
        assert reply.code == ("OK" if known.is_there and number != NEVER else "NOT_FOUND")
        left = self.one.call("ListAgentInstanceShares", **named(known.id))
        assert left.code == ("OK" if known.is_there else "NOT_FOUND")
        if known.is_there:
            assert [share.id for share in left.message.shares] == sorted(known.shares)

    @rule(number=st.integers(1, 3))
    def commits(self, number: int) -> None:
        self.running.commit(number, self.one)

    @rule()
    def restarts(self) -> None:
        self.running.stop()
        self.running.start()
        self.one.move(self.running.address)
        self.other.move(self.running.address)

    @invariant()
    def actors_are_as_the_instances(self) -> None:
        seen = actors.seen(actors.kept_in(self.running.folder / "substrate"))
        for known in self.requests.values():
            members = names(known.id, BOUNDARIES[known.name])
            found = [seen[name].state for name in members if name in seen]
            assert found == ([ACTORS[known.stands]] * len(members) if known.is_there else [])

    def _any(self, data: st.DataObject) -> Known:
        known = list(self.requests.values())
        never = Known(NEVER, "reviewer", "", "DELETED")
        return data.draw(st.sampled_from([*known, never]))

    def _stands(self, known: Known) -> str:
        reply = self.one.about("Get", known.id)
        return state(reply.message.agent_instance) if reply.code == "OK" else "DELETED"

    @staticmethod
    def _after(stands: str, *verbs: str) -> str:
        for verb in verbs:
            stands = AFTER.get((stands, verb), stands)
        return stands


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """A server over an SQLite file, with actors of its own."""
    upstream = agents.upstream(tmp_path / "repository", EXAMPLE)
    tokens = tokens_file(tmp_path / "tokens.yaml", CALLERS)
    given: dict[str, Any] = {"repo": str(upstream.folder), "ref": "main", "listen": "127.0.0.1:0"}
    made = Running(Settings(**given, echo=True, tokens=tokens), tmp_path / "state", upstream)
    made.start()
    yield made
    made.stop()


def test_the_service_says_what_the_model_says(running: Running) -> None:
    machine = type("RunningMachine", (Machine,), {"running": running})
    bounds = settings(
        max_examples=10,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=bounds)
