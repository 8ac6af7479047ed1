"""The newest generation's Control service in this process: what clients call, and what it runs."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kagent_apply.embedded.actor_locks import ActorLocks
from kagent_apply.embedded.actor_templates import ActorTemplates
from kagent_apply.embedded.actors import Actors
from kagent_apply.embedded.atespaces import Atespaces
from kagent_apply.embedded.commands import images_of
from kagent_apply.embedded.egress_policies import EgressPolicies
from kagent_apply.embedded.folder_lock import lock_folder
from kagent_apply.embedded.folders import Folders
from kagent_apply.embedded.lifecycle import Lifecycle
from kagent_apply.embedded.records import Records
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.runner import Endpoint
from kagent_apply.embedded.views import Key
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from google.protobuf.message import Message

    from kagent_apply.embedded.runner import Runner, RunOrder

_SUFFIX: Final = "actors.resources.substrate.ate.dev"
_PAGE: Final = 500
_LONGEST: Final = 86_400.0
"""Seconds that a call may wait, whatever it says: there are clocks that do not go further."""

Reply = TypeVar("Reply", bound="Message")


class Control:
    """One folder's atespaces, templates, actors and policies; all may be called from several threads.

    Opening it carries on what a killed process left, and waits until the actors of that are gone.
    """

    def __init__(
        self, folder: Path, runner_for: Callable[[Control, int], Runner], patience: float = 10.0
    ) -> None:
        """Open a folder, or begin it; raises ControlError where it cannot be, or another process uses it."""
        self._closing = threading.Lock()
        self._lock = _locked(folder, patience)
        try:
            self._records = Records(folder / "control.sqlite")
            self.folders = Folders(folder / "actors")
            self.folders.prepare()
            self._runner = runner_for(self, self._lock)
        except BaseException:
            os.close(self._lock)
            raise
        self._lifecycle = Lifecycle(self._records, self._runner, self.folders, ActorLocks())
        self._calls = self._all_calls()
        self._runner.watch(self._crashed)
        try:
            self._recover()
        except BaseException:
            self.close()
            raise

    def call(self, method: str, request: Message, reply_type: type[Reply], timeout: float) -> Reply:
        """Call a method by its name, `GetActor`, and wait `timeout` seconds at most; raises ControlError."""
        handler = self._calls.get(method)
        if handler is None:
            raise ControlError("UNIMPLEMENTED", f"the embedded Control does not serve `{method}`")
        try:
            reply = handler(request, time.monotonic() + min(timeout, _LONGEST))
        except OSError as error:
            raise ControlError("UNAVAILABLE", "the embedded Control cannot use its folder") from error
        if not isinstance(reply, reply_type):
            raise ControlError("INTERNAL", f"`{method}` replies with another message")
        return reply

    def missing_commands(self, manifest: Mapping[str, Any]) -> tuple[str, ...]:
        """The images of an ActorTemplate's manifest, of either target, that nothing here can run."""
        return self._runner.missing_commands(images_of(manifest))

    def endpoint(self, atespace: str, name: str, timeout: float) -> Endpoint:
        """Where a RUNNING actor is reached, once it does run; raises ControlError."""
        try:
            actor = self._lifecycle.revived(Key("actor", atespace, name), time.monotonic() + timeout)
        except OSError as error:
            raise ControlError("UNAVAILABLE", "the embedded Control cannot use its folder") from error
        return Endpoint(self._runner.target(actor.metadata.uid), authority(atespace, name))

    def running(self, host: str) -> tuple[ateapi_pb2.Actor, ateapi_pb2.ActorTemplate]:
        """The RUNNING actor that an `:authority` names, with its template; raises ControlError."""
        ref = named_by(host)
        actor = self.call("GetActor", ateapi_pb2.GetActorRequest(actor=ref), ateapi_pb2.Actor, 0)
        if actor.status.state != ateapi_pb2.ACTOR_STATE_RUNNING:
            raise ControlError("UNAVAILABLE", f"actor `{ref.name}` does not run")
        asked = ateapi_pb2.GetActorTemplateRequest(actor_template=actor.actor_template)
        return actor, self.call("GetActorTemplate", asked, ateapi_pb2.ActorTemplate, 0)

    def close(self) -> None:
        """End every process and let go of the folder; what ran runs again when it is next used."""
        self._runner.close()
        self._records.close()
        with self._closing:
            if self._lock >= 0:
                os.close(self._lock)
                self._lock = -1

    def _all_calls(self) -> Mapping[str, Callable[[Any, float], Message]]:
        atespaces, templates = Atespaces(self._records), ActorTemplates(self._records)
        actors, policies, lifecycle = Actors(self._records), EgressPolicies(self._records), self._lifecycle
        at_once: Mapping[str, Callable[[Any], Message]] = {
            "CreateAtespace": atespaces.create,
            "GetAtespace": atespaces.get,
            "ListAtespaces": atespaces.list,
            "DeleteAtespace": atespaces.delete,
            "CreateActorTemplate": templates.create,
            "GetActorTemplate": templates.get,
            "ListActorTemplates": templates.list,
            "DeleteActorTemplate": templates.delete,
            "CreateActor": actors.create,
            "GetActor": actors.get,
            "ListActors": actors.list,
            "CreateActorEgressPolicy": policies.create,
            "GetActorEgressPolicy": policies.get,
            "UpdateActorEgressPolicy": policies.update,
            "DeleteActorEgressPolicy": policies.delete,
        }
        return {
            **{method: _without_deadline(handler) for method, handler in at_once.items()},
            "ResumeActor": lifecycle.resume,
            "SuspendActor": lifecycle.suspend,
            "PauseActor": lifecycle.pause,
            "DeleteActor": lifecycle.delete,
        }

    def _recover(self) -> None:
        known = set()
        for actor in self._actors():
            known.add(actor.metadata.uid)
            with contextlib.suppress(OSError):  # of one actor's folder, which the next call on it meets again
                self._lifecycle.recover(actor)
        self.folders.sweep(known.__contains__)

    def _actors(self) -> Iterator[ateapi_pb2.Actor]:
        request = ateapi_pb2.ListActorsRequest(page_size=_PAGE)
        while True:
            page = self.call("ListActors", request, ateapi_pb2.ListActorsResponse, 0)
            yield from page.actors
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    def _crashed(self, order: RunOrder, message: str) -> None:
        self._lifecycle.crashed(Key("actor", order.atespace, order.name), order.uid, message)


def _locked(folder: Path, patience: float) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        return lock_folder(folder, patience)
    except OSError as error:
        raise ControlError("UNAVAILABLE", "the folder of the embedded Control cannot be used") from error


def authority(atespace: str, name: str) -> str:
    """What a request to an actor is addressed to (facts 8.3)."""
    return f"{name}.{atespace}.{_SUFFIX}"


def named_by(host: str) -> ateapi_pb2.ObjectRef:
    """The actor that an `:authority` names, with or without a port; empty where it names none."""
    name, _, rest = host.partition(":")[0].removesuffix(f".{_SUFFIX}").partition(".")
    return ateapi_pb2.ObjectRef(atespace=rest, name=name)


def _without_deadline(handler: Callable[[Any], Message]) -> Callable[[Any, float], Message]:
    return lambda request, _deadline: handler(request)
