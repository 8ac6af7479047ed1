"""Fifty clients create at once through a real server, and nothing is made twice."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from bench.instance_service import EXAMPLE, Served, served
from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
from tests.apply.embedded.calls import python
from tests.apply.embedded.processes import PROGRAM, living, until
from tests.apply.load.callers import Client, client_of, each_with_a_connection
from tests.postgresql import PostgreSQL

pytestmark = pytest.mark.server

CLIENTS = 50
EACH = 3


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest, tmp_path: Path, postgresql_server: PostgreSQL) -> Iterator[Served]:
    flags = ["--store", postgresql_server.fresh_database()] if request.param == "postgresql" else []
    with served(tmp_path, *flags) as running:
        yield running


def _request(client: int, number: int) -> str:
    """Of each three requests one is another client's as well."""
    return f"shared-{client // 2}" if number == 0 else f"own-{client}-{number}"


def _actors(server: Served) -> int:
    with sqlite3.connect(f"file:{server.state}/substrate/control.sqlite?mode=ro", uri=True) as records:
        (count,) = records.execute("SELECT count(*) FROM resource WHERE kind = 'actor'").fetchone()
    return int(count)


def test_a_request_that_is_sent_twice_makes_one_instance_with_one_actor(server: Served) -> None:
    def work(client: Client, number: int) -> list[api.AgentInstance]:
        return [client.create(_request(number, place)) for place in range(EACH)]

    given = each_with_a_connection(server.address, CLIENTS, work)
    asked = [_request(client, number) for client in range(CLIENTS) for number in range(EACH)]
    assert {instance.state for instance in given} == {api.AGENT_INSTANCE_STATE_READY}
    of_request: dict[str, set[str]] = {}
    for request, instance in zip(asked, given, strict=True):
        of_request.setdefault(request, set()).add(instance.id)
    assert Counter(map(len, of_request.values())) == {1: CLIENTS // 2 + CLIENTS * (EACH - 1)}
    with client_of(server.address) as client:
        assert sorted(client.ids()) == sorted({instance.id for instance in given})
    assert _actors(server) == len(of_request)


def _commands(folder: Path) -> Path:
    """A file in which a small program stands for every image of the example."""
    images = {
        container["image"]
        for path in EXAMPLE.glob("rendered/**/actortemplates/*.yaml")
        for container in yaml.safe_load(path.read_text())["containers"]
    }
    (folder / "lives").mkdir()
    entry = {"command": [*python(PROGRAM, "serve")], "env": {"LIVES": str(folder / "lives")}}
    place = folder / "commands.yaml"
    place.write_text(json.dumps(dict.fromkeys(sorted(images), entry)))
    return place


def test_fifty_actors_run_as_processes_and_end_with_their_instances(tmp_path: Path) -> None:
    flags = ["--commands", str(_commands(tmp_path))]
    with served(tmp_path, *flags, echo=False) as server:
        made = each_with_a_connection(server.address, CLIENTS, lambda client, n: [client.create(str(n))])
        assert {instance.state for instance in made} == {api.AGENT_INSTANCE_STATE_READY}
        assert len(living(tmp_path)) == CLIENTS

        def delete(client: Client, number: int) -> list[api.AgentInstance]:
            client.delete(made[number].id)
            return []

        each_with_a_connection(server.address, CLIENTS, delete)
        assert until(lambda: not living(tmp_path))
