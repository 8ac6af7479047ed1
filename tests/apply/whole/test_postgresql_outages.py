"""PostgreSQL is killed under load: what the service acknowledged is so, and it goes on by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import postgresql
from tests.apply.whole import actors, agents
from tests.apply.whole.agents import edition
from tests.apply.whole.client import Client
from tests.apply.whole.conftest import Whole, token, tokens_file
from tests.apply.whole.crowd import crowd
from tests.apply.whole.processes import serving

pytestmark = pytest.mark.server

CLIENTS = 8
OUTAGES = 2


def test_a_database_that_is_killed_under_load_takes_back_nothing(tmp_path: Path) -> None:
    upstream = agents.upstream(tmp_path / "repository")
    arguments = ["--repo", str(upstream.folder), "--ref", "main", "--echo"]
    arguments += ["--tokens", str(tokens_file(tmp_path / "tokens.yaml"))]
    with postgresql.running(fsync=True) as database:
        arguments += ["--store", database.fresh_database()]
        with serving(tmp_path / "state", *arguments) as process:
            page = actors.kept_in(tmp_path / "state" / "substrate")
            way = ("postgresql", "embedded", "substrate-v0.4")
            Whole(way, process.address, upstream, page).until_serving(edition(1, way[2]))
            with crowd(
                [Client(process.address, token(place)) for place in range(CLIENTS)], seed=2
            ) as working:
                for _ in range(OUTAGES):
                    working.until_each(lambda member: member.done, 3)
                    database.kill()
                    working.until_each(lambda member: member.unclear, 1)
                    database.start()
                working.until_each(lambda member: member.done, 3)
            working.is_right(lambda: dict(actors.seen(page)))
            process.end()
