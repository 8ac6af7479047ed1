"""Actors as local processes: started, probed, ended, and never left behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import pytest

from kagent_apply.embedded.commands import read_commands
from kagent_apply.embedded.opening import open_processes
from kagent_apply.embedded.process_runner import Crash
from kagent_apply.embedded.refusal import ControlError
from kagent_render.target.messages import ateapi_pb2
from tests.apply.embedded.calls import IMAGE, TEAM, Client, code_of, template
from tests.apply.embedded.processes import daemons, is_alive, living, marked, open_program, until

pytestmark = pytest.mark.server


class _Opening(Protocol):
    def __call__(
        self, *behaviour: str, made: ateapi_pb2.ActorTemplate | None = None, grace: float = 5.0, **env: str
    ) -> Client: ...


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[_Opening]:
    clients: list[Client] = []

    def open_it(
        *behaviour: str, made: ateapi_pb2.ActorTemplate | None = None, grace: float = 5.0, **env: str
    ) -> Client:
        made = made or template()
        made.containers[0].env.add(name="KAGENT_NAME", value="agent")
        client = Client(open_program(tmp_path, *behaviour, env=env, grace=grace)).begin(made)
        clients.append(client)
        client.create("a")
        return client

    yield open_it
    for client in clients:
        client.control.close()
    assert until(lambda: not living(tmp_path)), "processes were left behind"


def _quick(seconds: int) -> ateapi_pb2.ActorTemplate:
    made = template()
    made.containers[0].wakeup_probe.timeout_seconds = seconds
    return made


def test_an_actor_runs_from_resume_to_suspend(opened: _Opening, tmp_path: Path) -> None:
    client = opened("serve")
    assert not marked(tmp_path)
    assert client.resume("a").resumed
    assert len(living(tmp_path)) == 1
    assert not client.resume("a").resumed
    client.suspend("a")
    assert living(tmp_path) == []
    client.resume("a")
    client.pause("a")
    assert living(tmp_path) == []
    client.resume("a")
    assert len(living(tmp_path)) == 1
    client.delete("a", any_state=True)
    assert living(tmp_path) == []
    assert list((tmp_path / "control" / "actors").iterdir()) == []


@pytest.mark.parametrize("everything", [False, True])
def test_a_snapshot_has_what_its_scope_says(opened: _Opening, everything: bool) -> None:
    made = template()
    scope = ateapi_pb2.SNAPSHOT_CONTENT_SCOPE_FULL if everything else ateapi_pb2.SNAPSHOT_CONTENT_SCOPE_DATA
    made.snapshot_config.on_commit = scope
    client = opened("serve", made=made)
    uid = client.resume("a").actor.metadata.uid
    folders = client.control.folders
    (folders.data(uid) / "kept").write_text("data")
    (folders.scratch(uid) / "tried").write_text("scratch")
    assert client.suspend("a").status.external_snapshot.content_scope == scope
    assert not folders.live(uid).exists()
    client.resume("a")
    assert (folders.data(uid) / "kept").read_text() == "data"
    assert (folders.scratch(uid) / "tried").exists() is everything
    modes = {
        folder.stat().st_mode & 0o777
        for folder in (folders.data(uid), folders.scratch(uid), folders.log(uid))
    }
    assert modes == {0o700}


def test_a_process_that_exits_has_crashed_at_once_and_says_how(opened: _Opening, tmp_path: Path) -> None:
    client = opened("die", "3", API_KEY="sk-0123456789abcdef")
    uid = client.resume("a").actor.metadata.uid
    (client.control.folders.data(uid) / "die").touch()
    assert until(lambda: client.state("a") == "CRASHED")
    assert client.get("a").status.crash.message == "it exited with status 3: gone with ***"
    assert code_of(lambda: client.resume("a")) == "FAILED_PRECONDITION"
    assert code_of(lambda: client.control.endpoint(TEAM, "a", 1)) == "FAILED_PRECONDITION"
    client.delete("a")
    client.create("a")
    assert client.resume("a").actor.status.state == ateapi_pb2.ACTOR_STATE_RUNNING


def test_a_process_that_is_killed_has_crashed(opened: _Opening, tmp_path: Path) -> None:
    client = opened("serve")
    client.resume("a")
    (pid,) = living(tmp_path)
    os.kill(pid, signal.SIGKILL)
    assert until(lambda: client.state("a") == "CRASHED")
    assert client.get("a").status.crash.message == "signal 9 ended it"


@pytest.mark.parametrize(
    ("behaviour", "told"),
    [
        (("exit", "7"), "it exited with status 7: the last words [31m"),
        (("unready",), "it was not ready within 1 seconds: 503"),
    ],
)
def test_what_does_not_become_ready_has_crashed(
    opened: _Opening, tmp_path: Path, behaviour: tuple[str, ...], told: str
) -> None:
    client = opened(*behaviour, made=_quick(1), grace=5)
    crashed = client.resume("a").actor
    assert crashed.status.state == ateapi_pb2.ACTOR_STATE_CRASHED
    assert crashed.status.crash.message == told
    assert living(tmp_path) == []
    client.delete("a")


@pytest.mark.parametrize(
    ("script", "how", "written"),
    [
        ("echo the last words; exit 7", "it exited with status 7", "the last words\n"),
        ("echo waiting; sleep 60", "it was not ready within 1 seconds", "waiting\n"),
    ],
)
def test_a_crash_is_told_once_by_its_status_and_its_log_without_what_was_written(
    tmp_path: Path, script: str, how: str, written: str
) -> None:
    told: list[Crash] = []
    commands = read_commands({IMAGE: ["/bin/sh", "-c", script]})
    client = Client(open_processes(tmp_path / "control", commands, {}, on_crash=told.append)).begin(_quick(1))
    client.create("a")
    crashed = client.resume("a").actor
    (crash,) = told
    assert (crash.atespace, crash.actor, crash.how) == (TEAM, "a", how)
    assert crash.log.read_text() == written
    assert crashed.status.crash.message == f"{how}: {written.strip()}"
    client.control.close()


def test_a_crash_of_what_was_ready_is_told_and_an_end_that_was_asked_for_is_not(tmp_path: Path) -> None:
    told: list[Crash] = []
    made = template()
    made.containers[0].env.add(name="KAGENT_NAME", value="agent")
    client = Client(open_program(tmp_path, "die", "3", on_crash=told.append)).begin(made)
    client.create("a")
    client.resume("a")
    client.suspend("a")
    uid = client.resume("a").actor.metadata.uid
    assert told == []
    (client.control.folders.data(uid) / "die").touch()
    assert until(lambda: client.state("a") == "CRASHED")
    client.control.close()
    assert [crash.how for crash in told] == ["it exited with status 3"]


def test_a_command_that_is_not_there_has_crashed(tmp_path: Path) -> None:
    commands = read_commands({IMAGE: [str(tmp_path / "nothing")]})
    client = Client(open_processes(tmp_path / "control", commands, {})).begin()
    client.create("a")
    crash = client.resume("a").actor.status.crash
    assert crash.message == "the command could not be started: No such file or directory"
    client.control.close()


def test_who_waits_too_briefly_is_told_so_and_joins_later(opened: _Opening, tmp_path: Path) -> None:
    client = opened("serve")
    client.timeout = 0.0
    assert code_of(lambda: client.resume("a")) == "DEADLINE_EXCEEDED"
    client.timeout = 30.0
    assert client.state("a") == "RESUMING"
    assert client.resume("a").actor.status.state == ateapi_pb2.ACTOR_STATE_RUNNING
    assert len(marked(tmp_path)) == 1


def test_who_ignores_sigterm_is_killed(opened: _Opening, tmp_path: Path) -> None:
    client = opened("stubborn", grace=0.2)
    client.resume("a")
    client.timeout = 0.0
    assert code_of(lambda: client.suspend("a")) == "DEADLINE_EXCEEDED"
    client.timeout = 30.0
    assert client.suspend("a").status.state == ateapi_pb2.ACTOR_STATE_SUSPENDED
    assert living(tmp_path) == []


def test_children_end_with_their_actor_also_in_a_session_of_their_own(
    opened: _Opening, tmp_path: Path
) -> None:
    client = opened("fork")
    client.resume("a")
    assert until(lambda: len(living(tmp_path)) == 3)
    client.suspend("a")
    assert until(lambda: not living(tmp_path))


def test_children_of_an_actor_that_crashed_end_and_those_of_others_go_on(
    opened: _Opening, tmp_path: Path
) -> None:
    client = opened("fork")
    client.create("b")
    client.resume("a")
    (first,) = [pid for pid in living(tmp_path) if os.getsid(pid) == pid and os.getpgid(pid) == pid][:1]
    before = set(living(tmp_path))
    client.resume("b")
    assert until(lambda: len(living(tmp_path)) == 6)
    client.suspend("a")
    assert until(lambda: not before & set(living(tmp_path)))
    assert len(living(tmp_path)) == 3
    assert client.state("b") == "RUNNING"
    assert first in before


def test_a_daemon_lives_as_long_as_its_actor_and_no_longer(opened: _Opening, tmp_path: Path) -> None:
    client = opened("daemon")
    client.create("b")
    client.resume("a")
    (of_a,) = daemons(tmp_path)
    client.resume("b")
    client.suspend("b")
    assert until(lambda: daemons(tmp_path) == [of_a])
    client.suspend("a")
    assert until(lambda: not daemons(tmp_path))


def test_no_generation_of_daemons_outlives_its_actor(opened: _Opening, tmp_path: Path) -> None:
    client = opened("generations")
    client.resume("a")
    assert len(daemons(tmp_path)) == 3
    client.suspend("a")
    assert until(lambda: not daemons(tmp_path))


def test_no_generation_of_daemons_outlives_the_service(opened: _Opening, tmp_path: Path) -> None:
    client = opened("generations")
    client.resume("a")
    client.control.close()
    assert len(list((tmp_path / "lives").glob("daemon.*"))) == 3
    assert not daemons(tmp_path)


def test_a_flood_of_output_fills_no_disk_and_nobody_else_waits(opened: _Opening, tmp_path: Path) -> None:
    client = opened("flood")
    uid = client.resume("a").actor.metadata.uid
    log = client.control.folders.log(uid)
    assert until(lambda: (log / "actor.log.1").exists())
    client.create("b")
    client.resume("b")
    assert {path.stat().st_mode & 0o777 for path in log.iterdir()} == {0o600}
    assert sum(path.stat().st_size for path in log.iterdir()) <= 2 << 20
    client.suspend("a")
    client.delete("a")
    assert not log.exists()


def test_an_image_without_a_command_is_refused_by_its_digest(tmp_path: Path) -> None:
    client = Client(open_processes(tmp_path / "control", read_commands({}), {})).begin()
    client.create("a")
    with pytest.raises(ControlError) as refused:
        client.resume("a")
    assert (refused.value.code, client.state("a")) == ("FAILED_PRECONDITION", "SUSPENDED")
    assert f"sha256:{'0' * 64}" in refused.value.text
    assert client.control.missing_commands({"containers": [{"image": IMAGE}]}) == (IMAGE,)
    client.control.close()


@pytest.mark.parametrize("made", [template(LD_PRELOAD="/data/x.so"), template(BASH_ENV="$(touch evil)")])
def test_a_template_that_would_run_something_else_is_refused(
    opened: _Opening, tmp_path: Path, made: ateapi_pb2.ActorTemplate
) -> None:
    client = opened("serve", made=made)
    assert code_of(lambda: client.resume("a")) == "FAILED_PRECONDITION"
    assert marked(tmp_path) == []


def test_a_template_of_several_containers_is_refused(opened: _Opening) -> None:
    made = template()
    made.containers.add().CopyFrom(made.containers[0])
    made.containers[1].name = "other"
    client = opened("serve", made=made)
    assert code_of(lambda: client.resume("a")) == "FAILED_PRECONDITION"


def test_closing_makes_no_crash_of_what_was_about_to_run(opened: _Opening, tmp_path: Path) -> None:
    client = opened("unready")
    with ThreadPoolExecutor(1) as pool:
        resuming = pool.submit(lambda: code_of(lambda: client.resume("a")))
        assert until(lambda: bool(living(tmp_path)))
        client.control.close()
        assert resuming.result(30) == "UNAVAILABLE"
    again = Client(open_program(tmp_path, "serve"))
    assert again.state("a") == "RESUMING"
    assert again.resume("a").actor.status.state == ateapi_pb2.ACTOR_STATE_RUNNING
    again.control.close()


def test_what_ran_runs_again_before_its_next_use(opened: _Opening, tmp_path: Path) -> None:
    client = opened("serve")
    running = client.resume("a").actor
    (before,) = living(tmp_path)
    (client.control.folders.data(running.metadata.uid) / "kept").write_text("data")
    client.control.close()
    assert not is_alive(before)
    again = Client(open_program(tmp_path, "serve"))
    assert again.get("a") == running
    assert again.control.endpoint(TEAM, "a", 30).target.startswith("127.0.0.1:")
    (now,) = living(tmp_path)
    assert now != before
    assert again.get("a") == running
    assert (again.control.folders.data(running.metadata.uid) / "kept").read_text() == "data"
    again.control.close()


def test_actors_of_a_supervisor_that_is_killed_have_crashed_and_none_lives_on(
    opened: _Opening, tmp_path: Path
) -> None:
    client = opened("serve")
    client.resume("a")
    (pid,) = living(tmp_path)
    os.kill(int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
    assert until(lambda: client.state("a") == "CRASHED")
    assert until(lambda: not living(tmp_path))
    client.create("b")
    assert client.resume("b").actor.status.state == ateapi_pb2.ACTOR_STATE_RUNNING


def test_fifty_actors_run_at_once(opened: _Opening, tmp_path: Path) -> None:
    client = opened("serve")
    names = [f"a{number}" for number in range(50)]
    for name in names:
        client.create(name)
    with ThreadPoolExecutor(8) as pool:
        states = [reply.actor.status.state for reply in pool.map(client.resume, names)]
    assert states == [ateapi_pb2.ACTOR_STATE_RUNNING] * 50
    assert len(living(tmp_path)) == 50
    assert len({client.control.endpoint(TEAM, name, 1).target for name in names}) == 50
    started = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(client.suspend, names))
    assert living(tmp_path) == []
    assert time.monotonic() - started < 3 * 20


def test_more_variables_than_a_process_can_have_are_a_crash(opened: _Opening) -> None:
    client = opened("serve", made=template(**{f"V{number}": "v" * 131_000 for number in range(31)}))
    crash = client.resume("a").actor.status.crash
    assert crash.message == "the command could not be started: Argument list too long"


def test_a_folder_that_cannot_be_used_is_unavailable(opened: _Opening, tmp_path: Path) -> None:
    client = opened("serve")
    (tmp_path / "control" / "actors").rename(tmp_path / "away")
    assert code_of(lambda: client.resume("a")) == "UNAVAILABLE"
    (tmp_path / "away").rename(tmp_path / "control" / "actors")
    assert client.resume("a").actor.status.state == ateapi_pb2.ACTOR_STATE_RUNNING
