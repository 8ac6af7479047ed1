"""Instances that come and go leave nothing behind: no memory, no open file, no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.instance_service import served
from bench.lives import held, live

pytestmark = pytest.mark.process

CLIENTS = 8
FIRST = 1000
MORE = 1500
LEAK = 4096
"""Bytes for each instance that would be too many."""


def test_a_server_holds_no_more_after_many_lives(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        live(server.address, FIRST, CLIENTS)
        before = held(server)
        live(server.address, MORE, CLIENTS)
        after = held(server)
    assert after.memory - before.memory < MORE * LEAK, (before, after)
    assert after.handles - before.handles < MORE / 50, (before, after)
    assert after.files - before.files < MORE / 50, (before, after)
