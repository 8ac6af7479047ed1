"""Servers over every store and every way to Substrate, that all tests of a session share."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.apply.revisions.world import Upstream
from tests.apply.whole import actors, agents
from tests.apply.whole.agents import edition, revision
from tests.apply.whole.client import Client, answers, until
from tests.apply.whole.processes import control, serving

WAYS = [
    ("sqlite", "embedded", "substrate-v0.4"),
    ("sqlite", "socket", "substrate-v0.4"),
    ("postgresql", "embedded", "substrate-v0.4"),
    ("postgresql", "socket", "substrate-v0.4"),
    ("sqlite", "embedded", "incident"),
]
"""Store, way to Substrate, and example; that of June runs embedded alone."""

_CALLERS = 100


def token(number: int) -> str:
    """What a caller shows."""
    return f"{number:032}-only-for-tests"


def tokens_file(place: Path, callers: int = _CALLERS) -> Path:
    """A file with the tokens of many callers."""
    listed = [
        {"subject": f"caller-{number}", "sha256": hashlib.sha256(token(number).encode()).hexdigest()}
        for number in range(callers)
    ]
    content = {"apiVersion": "apply.kagent.dev/v1alpha1", "kind": "TokenList", "spec": {"tokens": listed}}
    place.touch(0o600)
    place.write_text(json.dumps(content))
    return place


@dataclass
class Whole:
    """A server of a way: its address, its repository, and what Substrate itself says."""

    way: tuple[str, str, str]
    address: str
    upstream: Upstream
    page: actors.Page
    _callers: Iterator[int] = field(default_factory=itertools.count)

    def caller(self) -> Client:
        """A caller who has nothing yet."""
        return Client(self.address, token(next(self._callers)))

    def actors(self) -> dict[str, actors.Seen]:
        """Every Actor that there is."""
        return dict(actors.seen(self.page))

    @property
    def example(self) -> str:
        """Which example the repository has."""
        return self.way[2]

    def serves(self, caller: Client) -> dict[str, str]:
        """Which revision serves, by the agents' short names."""
        (reply,) = answers(lambda: caller.call("ListRevisions"))
        assert reply.code == "OK", reply
        pairs = reply.message.pairs
        return {pair.agent_template.removeprefix("incident-"): pair.serving for pair in pairs}

    def until_serving(self, files: Mapping[str, bytes], *removed: str) -> None:
        """Wait until all agents of an edition serve, but for those that were removed."""
        wanted = {name: revision(name, files) for name in agents.BOUNDARIES if name not in removed}
        caller = Client(self.address, token(_CALLERS - 1))
        until(lambda: self.serves(caller) == wanted)
        caller.close()


@pytest.fixture(scope="session", params=WAYS, ids="-".join)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """One server for each way."""
    store, substrate, example = way = request.param
    place = tmp_path_factory.mktemp("whole")
    state = place / "state"
    upstream = agents.upstream(place / "repository", example)
    arguments = ["--repo", str(upstream.folder), "--ref", "main", "--poll", "0.1"]
    arguments += ["--tokens", str(tokens_file(place / "tokens.yaml"))]
    if store == "postgresql":
        arguments += ["--store", request.getfixturevalue("postgresql_server").fresh_database()]
    with ExitStack() as closing:
        address, page = "", actors.kept_in(state / "substrate")
        if substrate == "socket":
            address = closing.enter_context(control(place / "control")).address
            page = actors.served_at(address)
            arguments += ["--substrate", f"dns:///{address}", "--substrate-plaintext"]
        else:
            arguments += ["--echo"]
        process = closing.enter_context(serving(state, *arguments))
        made = Whole(way, process.address, upstream, page)
        made.until_serving(edition(1, example))
        yield made
        process.end()
