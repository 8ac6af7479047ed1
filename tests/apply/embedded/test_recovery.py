"""What a Control that was killed between two steps left, as it is after the next opening."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kagent_apply.embedded.actors import put_actor
from kagent_apply.embedded.changes import Change
from kagent_apply.embedded.opening import open_echo
from kagent_apply.embedded.views import Key
from kagent_render.target.messages import ateapi_pb2
from tests.apply.embedded.calls import STATE, TEAM, Client, code_of

_KEY = Key("actor", TEAM, "a")
_ANOTHER = "00000000-0000-4000-8000-000000000000"


def _opened(folder: Path) -> Client:
    return Client(open_echo(folder))


def _left(client: Client, state: str) -> str:
    """Have an actor be in a state that only a kill leaves, with a file in its folder; its uid."""
    client.begin()
    actor = client.create("a")
    uid = str(actor.metadata.uid)
    client.control.folders.make(uid)
    (client.control.folders.data(uid) / "kept").write_text("data")
    actor.status.state = STATE[state]

    def keep(change: Change) -> None:
        put_actor(change, actor)

    client.control._records.change(keep)
    client.control.close()
    return uid


@pytest.mark.parametrize(
    ("left", "found"),
    [("SUSPENDING", "SUSPENDED"), ("PAUSING", "PAUSED"), ("RESUMING", "RESUMING"), ("RUNNING", "RUNNING")],
)
def test_what_was_begun_is_carried_on_and_loses_nothing(tmp_path: Path, left: str, found: str) -> None:
    uid = _left(_opened(tmp_path), left)
    client = _opened(tmp_path)
    assert client.state("a") == found
    assert (tmp_path / "actors" / uid / "snapshot").exists() is (found == "SUSPENDED")
    assert client.resume("a").actor.metadata.uid == uid
    assert (client.control.folders.data(uid) / "kept").read_text() == "data"
    client.control.close()


def test_a_deletion_that_was_begun_is_finished(tmp_path: Path) -> None:
    uid = _left(_opened(tmp_path), "DELETING")
    client = _opened(tmp_path)
    assert code_of(lambda: client.get("a")) == "NOT_FOUND"
    assert not (tmp_path / "actors" / uid).exists()
    client.control.close()


def test_folders_of_actors_that_are_no_more_are_removed_and_nothing_else_is(tmp_path: Path) -> None:
    kept = _left(_opened(tmp_path), "PAUSED")
    (tmp_path / "actors" / _ANOTHER / "live").mkdir(parents=True)
    (tmp_path / "actors" / "notes").mkdir()
    _opened(tmp_path).control.close()
    assert {path.name for path in (tmp_path / "actors").iterdir()} == {kept, "notes"}


def _moved(client: Client, uid: str) -> None:
    """The folder was moved, and the process killed before that was stored."""
    client.control.folders.keep(uid, everything=False)


def _restored(client: Client, uid: str) -> None:
    client.control.folders.keep(uid, everything=False)
    client.control.folders.restore(uid)


@pytest.mark.parametrize("between", [_moved, _restored])
@pytest.mark.parametrize("then", [Client.suspend, Client.resume])
def test_a_folder_is_found_wherever_a_kill_left_it(
    tmp_path: Path, between: Callable[[Client, str], None], then: Callable[[Client, str], Any]
) -> None:
    uid = _left(_opened(tmp_path), "RUNNING")
    client = _opened(tmp_path)
    between(client, uid)
    then(client, "a")
    client.suspend("a")
    assert (tmp_path / "actors" / uid / "snapshot" / "data" / "kept").read_text() == "data"
    client.resume("a")
    client.control.close()


def test_an_end_is_told_of_the_actor_that_ended_alone(echo: Client) -> None:
    echo.begin()
    made = echo.create("a")
    crashed = echo.control._lifecycle.crashed
    crashed(_KEY, made.metadata.uid, "not running")
    assert echo.state("a") == "SUSPENDED"
    version = echo.resume("a").actor.metadata.version
    crashed(_KEY, _ANOTHER, "another")
    assert echo.state("a") == "RUNNING"
    crashed(_KEY, made.metadata.uid, "this")
    found = echo.get("a")
    assert (found.status.state, found.status.crash.message) == (ateapi_pb2.ACTOR_STATE_CRASHED, "this")
    assert found.metadata.version == version + 1
    for refused in (echo.resume, echo.suspend, echo.pause):
        assert code_of(partial(refused, "a")) == "FAILED_PRECONDITION"
    echo.delete("a")
