"""A server that is told to end, and starts again, loses no call: who asks again is told what is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_apply.settings.model import Settings
from tests.apply.whole import actors, agents
from tests.apply.whole.client import Client
from tests.apply.whole.composition import composed
from tests.apply.whole.conftest import token, tokens_file
from tests.apply.whole.crowd import crowd

pytestmark = pytest.mark.server

CLIENTS = 8
RESTARTS = 6


def test_clients_of_a_server_that_is_restarted_are_told_what_is_so(tmp_path: Path) -> None:
    upstream = agents.upstream(tmp_path / "repository")
    tokens, state = tokens_file(tmp_path / "tokens.yaml"), tmp_path / "state"
    settings = Settings(repo=str(upstream.folder), ref="main", listen="127.0.0.1:0", echo=True, tokens=tokens)
    with composed(settings, state) as (server, _):
        address = f"127.0.0.1:{server.port}"
    there = settings.model_copy(update={"listen": address})
    clients = [Client(address, token(place)) for place in range(CLIENTS)]
    with crowd(clients, seed=3) as working:
        for _ in range(RESTARTS):
            with composed(there, state):
                working.until_each(lambda member: member.done, 2)
        with composed(there, state):
            working.until_each(lambda member: member.done, 1)
            working.stop()
            working.is_right(lambda: dict(actors.seen(actors.kept_in(state / "substrate"))))
