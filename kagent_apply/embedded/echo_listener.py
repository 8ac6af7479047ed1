"""The one listener of all echo actors: a call's `:authority` says which of them it is for."""

from __future__ import annotations

import os
import tempfile
import threading
from concurrent import futures
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc
from a2a.types import a2a_pb2_grpc

from kagent_apply.embedded.refusal import ControlError
from kagent_apply.runtime.service import Agent, EchoService
from kagent_apply.runtime.tasks import Tasks

if TYPE_CHECKING:
    from kagent_apply.embedded.control import Control

_LONGEST_FOLDER: Final = 90
"""Bytes of a folder's path that leave room for the name of a socket, on Linux and on macOS."""

_THREADS: Final = 8
_CARD: Final = "KAGENT_AGENT_CARD_JSON"


class EchoListener:
    """A Unix socket in a folder that only this user can enter, begun with the first call of `target`.

    That is the Control's folder, unless its path is too long for a socket.
    """

    def __init__(self, control: Control) -> None:
        self._control = control
        self._guard = threading.Lock()
        self._server: grpc.Server | None = None
        self._socket = Path()
        self._elsewhere: tempfile.TemporaryDirectory[str] | None = None

    def target(self) -> str:
        """What a gRPC channel is opened to."""
        with self._guard:
            if self._server is None:
                self._socket = self._place() / "a2a.sock"
                self._server = self._begin(f"unix:{self._socket}")
            return f"unix:{self._socket}"

    def close(self) -> None:
        """End the listener."""
        with self._guard:
            if self._server is not None:
                self._server.stop(None).wait()
                self._socket.unlink(missing_ok=True)
            if self._elsewhere is not None:
                self._elsewhere.cleanup()
            self._server = self._elsewhere = None

    def _place(self) -> Path:
        own = self._control.folders.root.parent.absolute()
        if len(os.fsencode(own)) <= _LONGEST_FOLDER:
            return own
        self._elsewhere = tempfile.TemporaryDirectory(prefix="kagent-echo-")
        return Path(self._elsewhere.name)

    def _begin(self, target: str) -> grpc.Server:
        server = grpc.server(futures.ThreadPoolExecutor(_THREADS))
        a2a_pb2_grpc.add_A2AServiceServicer_to_server(  # type: ignore[no-untyped-call]
            EchoService(self._agent), _Unregistered(server)
        )
        server.add_insecure_port(target)
        server.start()
        return server

    def _agent(self, context: grpc.ServicerContext) -> Agent:
        try:
            actor, template = self._control.running(_host(context))
        except ControlError as error:
            context.abort(grpc.StatusCode[error.code], error.text)
            raise AssertionError from error
        data = self._control.folders.data(actor.metadata.uid)
        cards = [entry.value for entry in template.containers[0].env if entry.name == _CARD]
        return Agent(Tasks(Path(data) / "tasks"), cards[0] if cards else "{}")


class _Unregistered:
    """A server whose methods are found by path: grpcio tells no authority of those it has registered."""

    def __init__(self, server: grpc.Server) -> None:
        self.add_generic_rpc_handlers = server.add_generic_rpc_handlers

    def add_registered_method_handlers(self, service: str, handlers: object) -> None:
        """Register nothing."""


def _host(context: Any) -> str:
    """The call's `:authority`, which grpcio keeps and has no public name for."""
    host: bytes = context._rpc_event.call_details.host
    return host.decode(errors="replace")
