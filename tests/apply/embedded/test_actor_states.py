"""Whatever is called in whatever order: states, uids and versions are those of a model."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from kagent_apply.embedded.opening import open_echo
from kagent_apply.embedded.refusal import ControlError
from kagent_render.target.messages import ateapi_pb2
from tests.apply.embedded.calls import TEAM, Client

_NAMES = st.sampled_from(["a", "b", "c"])
_NOTE = "note"


@dataclass(frozen=True)
class _Actor:
    uid: str
    state: str = "SUSPENDED"
    version: int = 1
    note: str = ""


_MOVES = {
    "resume": ({"SUSPENDED", "PAUSED"}, "RUNNING", {"RUNNING"}),
    "suspend": ({"RUNNING", "PAUSED"}, "SUSPENDED", {"SUSPENDED"}),
    "pause": ({"RUNNING"}, "PAUSED", {"PAUSED"}),
}
"""By call: from which states it leads to which, and in which it changes nothing."""


class ActorStates(RuleBasedStateMachine):
    """Three names, and a note that each actor finds in its folder for as long as it lives."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.client = Client(open_echo(self.folder)).begin()
        self.model: dict[str, _Actor] = {}
        self.uids: set[str] = set()

    def teardown(self) -> None:
        self.client.control.close()
        shutil.rmtree(self.folder)

    @rule(name=_NAMES)
    def create(self, name: str) -> None:
        expected = "ALREADY_EXISTS" if name in self.model else ""
        made, code = self._try(lambda: self.client.create(name))
        assert code == expected
        if made is not None:
            assert made.metadata.uid not in self.uids
            self.uids.add(made.metadata.uid)
            self.model[name] = _Actor(made.metadata.uid)

    @rule(name=_NAMES, move=st.sampled_from(sorted(_MOVES)))
    def move(self, name: str, move: str) -> None:
        leads, to, stays = _MOVES[move]
        actor = self.model.get(name)
        _, code = self._try(lambda: getattr(self.client, move)(name))
        if actor is None:
            assert code == "NOT_FOUND"
        elif actor.state in leads:
            self.model[name] = replace(actor, state=to, version=actor.version + 1)
            assert code == ""
        else:
            assert code == ("" if actor.state in stays else "FAILED_PRECONDITION")

    @rule(name=_NAMES, text=st.sampled_from(["x", "y"]))
    def write(self, name: str, text: str) -> None:
        actor = self.model.get(name)
        if actor is not None and actor.state == "RUNNING":
            data = self.client.control.folders.data(actor.uid)
            data.mkdir(parents=True, exist_ok=True)
            (data / _NOTE).write_text(text)
            self.model[name] = replace(actor, note=text)

    @rule(name=_NAMES, any_state=st.booleans(), uid=st.sampled_from(["own", "other", ""]))
    def delete(self, name: str, any_state: bool, uid: str) -> None:
        actor = self.model.get(name)
        asked = {"own": actor.uid if actor else "none", "other": "other", "": ""}[uid]
        options = ateapi_pb2.DeleteOptions(uid=asked)
        _, code = self._try(lambda: self.client.delete(name, any_state=any_state, options=options))
        if actor is None:
            assert code == "NOT_FOUND"
        elif uid == "other" or (actor.state != "SUSPENDED" and not any_state):
            assert code == "FAILED_PRECONDITION"
        else:
            assert code == ""
            del self.model[name]

    @rule()
    def open_again(self) -> None:
        self.client.control.close()
        self.client = Client(open_echo(self.folder))

    @invariant()
    def all_is_as_in_the_model(self) -> None:
        listed = self.client.call("ListActors", ateapi_pb2.ListActorsRequest(atespace=TEAM)).actors
        found = {
            actor.metadata.name: _Actor(
                actor.metadata.uid,
                ateapi_pb2.ActorState.Name(actor.status.state).removeprefix("ACTOR_STATE_"),
                actor.metadata.version,
                self._note(actor.metadata.uid),
            )
            for actor in listed
        }
        assert found == {
            name: replace(actor, note="" if actor.state == "SUSPENDED" else actor.note)
            for name, actor in self.model.items()
        }
        folders = {path.name for path in (self.folder / "actors").iterdir()}
        assert folders <= {actor.uid for actor in self.model.values()}

    def _note(self, uid: str) -> str:
        note = self.client.control.folders.data(uid) / _NOTE
        return note.read_text() if note.exists() else ""

    def _try(self, call: Callable[[], Any]) -> tuple[Any, str]:
        try:
            return call(), ""
        except ControlError as error:
            return None, error.code


TestActorStates = ActorStates.TestCase
TestActorStates.settings = settings(max_examples=12, stateful_step_count=25)
