"""Steps that may be the last of a process: what is stored, and what is asked of Substrate."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from kagent_apply.store.port import Store
    from kagent_apply.substrate.transport import ReplyT, Transport

_STORED = ("reserve", "replace")
"""Calls of the store that an operation leaves something behind with; leases are renewed at any time."""


@dataclass
class Fatal:
    """Kills this process by the number in a file: 0 is before the next step, 1 after it, and so on."""

    armed: Path
    met: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def step(self) -> Iterator[None]:
        """A step, which is over however it ends."""
        self._meet(0)
        try:
            yield
        finally:
            self._meet(1)

    def _meet(self, steps: int) -> None:
        with self._lock:
            try:
                at = int(self.armed.read_text())
            except FileNotFoundError:
                return
            self.met += steps
            if self.met >= at:
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class FatalTransport:
    """A transport whose calls are steps."""

    fatal: Fatal
    transport: Transport

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        """As the transport does."""
        with self.fatal.step():
            return self.transport.call(method, request, reply_type, timeout)

    def close(self) -> None:
        """Let go of connections."""
        self.transport.close()


def fatal_store(fatal: Fatal, store: Store) -> Store:
    """A store whose changes of instances are steps."""

    def stepping(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            with fatal.step():
                return method(*arguments)

        return call

    names = [name for name in dir(type(store)) if not name.startswith("_")]
    methods = {name: getattr(store, name) for name in names if callable(getattr(store, name))}
    steps = {name: stepping(methods[name]) for name in _STORED}
    wrapped = {name: staticmethod(method) for name, method in {**methods, **steps}.items()}
    return cast("Store", type("FatalStore", (), wrapped)())
