"""The time of day goes forth and back by hours, and a server goes on: leases, tokens, pages and times."""

from __future__ import annotations

import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.apply.cli.calling import call
from tests.apply.cli.real_server import AGENT, NEWEST, PATIENCE, Running, commit, running, wait_for
from tests.apply.cli.test_substrates import serves
from tests.apply.substrate.fake_control import HANG
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.serving import Served, serve
from tests.apply.whole.client import Client
from tests.parts import missing

pytestmark = pytest.mark.process

HOUR = 3600
HERE = ("-n", "agent-team")


@dataclass(frozen=True)
class Scene:
    """A server whose time of day is what a file says, and its Substrate."""

    server: Running
    control: NewestControl
    served: Served
    clock: Path

    def jump(self, hours: int) -> None:
        """Have it be so many hours later than it is."""
        with self.clock.open("r+b") as file:
            file.write((hours * HOUR).to_bytes(8, "little", signed=True))

    def reply(self, command: str, *args: str) -> Any:
        return self.server.reply(command, *HERE, *args)


@pytest.fixture(scope="module")
def shifting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that shifts the time of day."""
    compiler = shutil.which("cc")
    if compiler is None:
        missing("no C compiler on PATH")
    built = tmp_path_factory.mktemp("clock") / "shifted_clock.so"
    source = Path(__file__).with_name("shifted_clock.c")
    subprocess.run([str(compiler), "-O1", "-fPIC", "-shared", "-o", str(built), str(source)], check=True)
    return built


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory, shifting: Path) -> Iterator[Scene]:
    """One server for all tests here."""
    place = tmp_path_factory.mktemp("jumps")
    clock = place / "clock"
    clock.write_bytes(bytes(8))
    repository, control = commit(place / "repository", NEWEST), NewestControl()
    env = {"LD_PRELOAD": str(shifting), "SHIFTED_CLOCK": str(clock)}
    with serve(control) as (served, port):
        flags = ("--substrate", f"dns:///127.0.0.1:{port}", "--substrate-plaintext")
        with running(place / "run", "--repo", str(repository), *flags, env=env) as server:
            wait_for(lambda: serves(server))
            yield Scene(server, control, served, clock)
            assert server.end(signal.SIGTERM) == 0
            assert "Traceback" not in server.said


@pytest.fixture(autouse=True)
def _as_it_is(scene: Scene) -> Iterator[None]:
    scene.jump(0)
    yield
    scene.jump(0)


def _times(made: Any) -> tuple[datetime, datetime]:
    created, updated = (datetime.fromisoformat(made[name]) for name in ("createdAt", "updatedAt"))
    return created, updated


def test_a_change_is_never_before_what_it_changes(scene: Scene) -> None:
    made = scene.reply("create", *AGENT[2:], "--request-id", "times")["agentInstance"]
    seen = [_times(made)]
    for hours, command in ((-5, "suspend"), (5, "resume"), (-5, "suspend"), (0, "resume"), (3, "delete")):
        scene.jump(hours)
        seen.append(_times(scene.reply(command, made["id"])["agentInstance"]))
    assert len({created for created, _ in seen}) == 1
    updated = [updated for _, updated in seen]
    assert updated == sorted(updated)
    assert all(created <= updated for created, updated in seen)
    assert (updated[2] - updated[0]).total_seconds() >= 5 * HOUR


def test_every_instance_is_on_one_page_whenever_it_was_made(scene: Scene) -> None:
    made = []
    for number, hours in enumerate((0, 7, -7, 2, -2)):
        scene.jump(hours)
        made.append(
            scene.reply("create", *AGENT[2:], "--request-id", f"page-{number}")["agentInstance"]["id"]
        )
    listed, token, client = list[str](), "", Client(scene.server.address, "")
    for hours in (9, -9, 4, -4, 0):
        scene.jump(hours)
        page = {"limit": 1, "page_token": token}
        reply = client.call("ListAgentInstances", namespace="agent-team", page=page).message
        listed += [found.id for found in reply.agent_instances]
        token = reply.page.next_page_token
    client.close()
    assert (listed, token) == (sorted(made), "")
    for number in made:
        scene.reply("delete", number)


@pytest.mark.parametrize("hours", [6, -6])
def test_an_operation_that_is_held_goes_on_and_is_done_once(scene: Scene, hours: int) -> None:
    """Its lease seems to be over, or to last for hours."""
    scene.served.release.clear()
    scene.control.fail("ResumeActor", HANG)
    args = ("create", *AGENT, "--request-id", f"held{hours}", "--server", scene.server.address, "-o", "json")
    asking = threading.Thread(target=call, args=args)
    asking.start()
    assert scene.served.hanging.acquire(timeout=PATIENCE)
    before = len(scene.control.actors)
    scene.jump(hours)
    scene.served.release.set()
    asking.join(PATIENCE)
    made = scene.reply("create", *AGENT[2:], "--request-id", f"held{hours}")["agentInstance"]
    assert made["state"].endswith("READY")
    assert len(scene.control.actors) == before == 2
    scene.reply("delete", made["id"])
    assert not scene.control.actors
