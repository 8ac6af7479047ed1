"""A Control that is killed at any point knows every actor when it is opened again, and none lives twice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from kagent_render.target.messages import ateapi_pb2
from tests.apply.embedded.calls import TEAM, Client
from tests.apply.embedded.processes import living, open_program, until
from tests.parts import REPOSITORY

pytestmark = pytest.mark.process

ROUNDS = 12


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _drive(folder: Path, seed: int, *behaviour: str) -> subprocess.Popen[bytes]:
    driver = subprocess.Popen(
        [sys.executable, "-m", "tests.apply.embedded.kill_driver", str(folder), str(seed), *behaviour],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert driver.stdout is not None
    assert driver.stdout.readline() == b"open\n"
    return driver


def _kill(driver: subprocess.Popen[bytes], *others: int) -> None:
    for pid in (driver.pid, *others):
        os.kill(pid, signal.SIGKILL)
    assert driver.wait() == -signal.SIGKILL
    assert driver.stdout is not None
    driver.stdout.close()


def _drive_and_kill(folder: Path, dice: random.Random) -> None:
    driver = _drive(folder, dice.getrandbits(30))
    time.sleep(dice.uniform(0.0, 0.8))  # the point where it is killed, not a wait for anything
    doomed = _children(driver.pid) if dice.random() < 0.3 else []
    _kill(driver, *doomed)


def _living(folder: Path) -> Counter[str]:
    """How many processes live, by the uid of their actor."""
    return Counter(Path(f"/proc/{pid}/cwd").readlink().parts[-3] for pid in living(folder))


def test_nobody_opens_a_folder_before_the_actors_of_who_was_killed_are_gone(tmp_path: Path) -> None:
    (tmp_path / "noted").mkdir()
    driver = _drive(tmp_path, 0, "stubborn")
    assert until(lambda: bool(living(tmp_path)))
    _kill(driver)
    client = Client(open_program(tmp_path, "stubborn"))
    assert living(tmp_path) == []
    client.control.close()


@pytest.mark.parametrize("seed", range(2))
def test_one_process_lives_for_each_actor_that_runs_and_none_for_others(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    (tmp_path / "noted").mkdir()
    states: Counter[str] = Counter()
    for _ in range(ROUNDS):
        _drive_and_kill(tmp_path, dice)
        client = Client(open_program(tmp_path, "serve"))
        assert until(lambda: not living(tmp_path)), "an actor outlived its Control"
        actors = client.call("ListActors", ateapi_pb2.ListActorsRequest(atespace=TEAM)).actors
        assert len({actor.metadata.name for actor in actors}) == len(actors)
        expected: Counter[str] = Counter()
        for actor in actors:
            state = ateapi_pb2.ActorState.Name(actor.status.state).removeprefix("ACTOR_STATE_")
            states[state] += 1
            assert state in ("RESUMING", "RUNNING", "SUSPENDED", "PAUSED")
            noted = (tmp_path / "noted" / actor.metadata.uid).exists()
            if state in ("RUNNING", "RESUMING") or noted:
                again = client.resume(actor.metadata.name).actor
                assert (again.metadata.uid, again.status.crash.message) == (actor.metadata.uid, "")
                expected[actor.metadata.uid] = 1
            if noted:
                note = client.control.folders.data(actor.metadata.uid) / "note"
                assert note.read_text() == actor.metadata.uid
        assert _living(tmp_path) == expected
        folders = {path.name for path in (tmp_path / "control" / "actors").iterdir()}
        assert folders <= {actor.metadata.uid for actor in actors}
        client.control.close()
    assert states["RUNNING"]
    assert states["SUSPENDED"]
