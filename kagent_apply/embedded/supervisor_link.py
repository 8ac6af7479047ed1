"""The Control's end of the supervisor: orders out, and the ends of runs in."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CLOSING: Final = 5.0
"""Seconds that the supervisor has to end everything, which takes it about one."""


class SupervisorLink:
    """A supervisor of its own, which is started at once and ends with `close`, or with this process.

    `ended` is called in a thread of the link's with each run that is over, how, and its last line; `lost`
    once, where the supervisor itself is over.
    """

    def __init__(
        self, lock: int, ended: Callable[[str, str, str], None], lost: Callable[[SupervisorLink], None]
    ) -> None:
        self._ended, self._lost = ended, lost
        self._link, far = socket.socketpair()
        with far:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, by this Python
                [sys.executable, "-P", "-m", "kagent_apply.embedded.supervisor", str(far.fileno())],
                pass_fds=(far.fileno(), lock),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._sending = threading.Lock()
        self._is_over = threading.Event()
        self._reader = threading.Thread(target=self._listen, name="supervisor", daemon=True)
        self._reader.start()

    @property
    def is_alive(self) -> bool:
        """Whether orders can be given."""
        return not self._is_over.is_set()

    def send(self, order: Mapping[str, Any]) -> bool:
        """Give an order; False where the supervisor is gone."""
        with self._sending, contextlib.suppress(OSError):
            self._link.sendall(json.dumps(order).encode() + b"\n")
            return True
        return False

    def close(self) -> None:
        """End the supervisor, which ends everything before."""
        with contextlib.suppress(OSError):
            self._link.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(_CLOSING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._link.close()

    def _listen(self) -> None:
        with self._link.makefile("rb") as lines, contextlib.suppress(OSError):
            for line in lines:
                told = json.loads(line)
                self._ended(told["ended"], told["how"], told["last"])
        self._is_over.set()
        self._lost(self)
        self._process.wait()
