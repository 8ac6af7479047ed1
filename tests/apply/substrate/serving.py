"""Fake Control services over real sockets, and a connection to them that can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from kagent_apply.substrate.transport import StatusError
from kagent_render.target.messages import call_path
from tests.apply.substrate.fake_control import HANG, FakeControl

PREFIX = call_path("")


class Served(grpc.GenericRpcHandler):  # type: ignore[misc] # grpcio has no types
    """A fake Control service for gRPC: a call that hangs does so until `release`, or the caller is gone.

    `raw` has replies that are sent instead of the fake's, byte for byte, and with `packed` are compressed.
    `peers` are the names in the certificates of callers.
    """

    def __init__(self, control: FakeControl) -> None:
        self.control = control
        self.raw: dict[str, bytes] = {}
        self.packed = False
        self.peers: list[str] = []
        self.hanging = threading.Semaphore(0)
        self.release = threading.Event()

    def service(self, handler_call_details: Any) -> Any:
        method = handler_call_details.method.removeprefix(PREFIX)
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: self._answer(method, request, context)
        )

    def _answer(self, method: str, request: bytes, context: Any) -> bytes:
        names = context.auth_context().get("x509_subject_alternative_name", [b""])
        self.peers.append(names[0].decode())
        if self.packed:
            context.set_compression(grpc.Compression.Gzip)
        return self._reply(method, request, context)

    def _reply(self, method: str, request: bytes, context: Any) -> bytes:
        try:
            return self.raw.get(method, self.control.answer(method, request))
        except DecodeError:
            context.abort(grpc.StatusCode.INTERNAL, "grpc: error unmarshalling request")
        except StatusError as error:
            if error.code != HANG.code:
                context.abort(getattr(grpc.StatusCode, error.code), error.text)
        self.hanging.release()
        self.release.wait(30)
        return self._reply(method, request, context)


@contextlib.contextmanager
def serve(control: FakeControl, credentials: Any = None, port: int = 0) -> Iterator[tuple[Served, int]]:
    """A server on a port of this machine, or on a free one."""
    served = Served(control)
    with ThreadPoolExecutor(8) as threads:
        server = grpc.server(threads, handlers=[served])
        place = f"127.0.0.1:{port}"
        port = server.add_secure_port(place, credentials) if credentials else server.add_insecure_port(place)
        server.start()
        try:
            yield served, port
        finally:
            served.release.set()
            server.stop(None).wait()


class Wire:
    """Connections to a port that are handed on byte for byte, until they are cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._ends: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.opened = 0
        self._open = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection; the next is handed on as before."""
        ends, self._ends = self._ends, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def wait_for_open(self, connections: int, seconds: float) -> bool:
        """Wait until clients have just so many connections open."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == connections, seconds)

    def close(self) -> None:
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self.opened += 1
            self._count(1)
            self._ends += [near, far]
            threading.Thread(target=self._from_client, args=(near, far), daemon=True).start()
            threading.Thread(target=_hand_on, args=(far, near), daemon=True).start()

    def _from_client(self, near: socket.socket, far: socket.socket) -> None:
        _hand_on(near, far)
        self._count(-1)

    def _count(self, more: int) -> None:
        with self._changed:
            self._open += more
            self._changed.notify_all()


def _hand_on(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while content := one.recv(65536):
            other.sendall(content)
        other.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def wire(target: int) -> Iterator[Wire]:
    """A connection to a port that can be cut."""
    made = Wire(target)
    try:
        yield made
    finally:
        made.close()
