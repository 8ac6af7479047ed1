"""A replica that is frozen in the middle of an operation, and goes on when another has carried it out."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kagent_apply.instances.states import State
from tests.apply.whole import actors
from tests.apply.whole.paused_program import CREATION, CREATOR, replica
from tests.apply.whole.processes import control
from tests.parts import REPOSITORY
from tests.postgresql import PostgreSQL

pytestmark = pytest.mark.server

CALLS = [3, 5, 6, 8]
"""After so many calls of a creation the replica is frozen: before it makes an ActorTemplate, when it has made
the Actor, between its look at that and the egress policy, and before it has it run.
"""


@contextmanager
def frozen(store: str, address: str, calls: int) -> Iterator[subprocess.Popen[str]]:
    """A replica that stopped itself in the middle of a creation; what it says afterwards."""
    command = [sys.executable, "-m", "tests.apply.whole.paused_program", store, address, str(calls)]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY, env=env) as running:
        try:
            assert running.stdout is not None
            assert "stopped\n" in iter(running.stdout.readline, "")
            yield running
        finally:
            running.kill()


@pytest.mark.parametrize("calls", CALLS)
def test_a_frozen_replica_changes_nothing_once_another_took_over(
    postgresql_server: PostgreSQL, tmp_path: Path, calls: int
) -> None:
    url = postgresql_server.fresh_database()
    with control(tmp_path) as substrate, frozen(url, substrate.address, calls) as first:
        theirs: list[str] = []
        other = replica(url, substrate.address, theirs.append)
        made = other.create(CREATOR, CREATION, 60.0)
        assert made.standing.state is State.READY
        assert "ResumeActor" in theirs
        first.send_signal(signal.SIGCONT)
        *more, ended = list(first.stdout or ())
        assert all(call.startswith("Get") for call in more), more
        assert ended == f"ended READY {made.version}\n"
        (seen,) = actors.seen(actors.served_at(substrate.address)).values()
        assert seen.state == "RUNNING"
        assert other.drain(10)
