"""The process that all processes of actors are children of, and that ends them when the Control is gone.

`python -m kagent_apply.embedded.supervisor FD` reads orders from the socket FD, a JSON object in each line:

- `{"start": RUN, "run", "command", "environment", "data", "log"}`
- `{"stop": RUN, "grace": SECONDS}`

and writes `{"ended": RUN, "how", "last"}` for each run once, `last` being the last line of its output. At the
end of the socket it ends everything, and then itself. The lock on the Control's folder is inherited here, so
that nobody opens it before that.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import sys
import time
from typing import Any, Final

from kagent_apply.embedded.strays import adopt, end_strays, kill_strays
from kagent_apply.embedded.supervised import Supervised, spawn

_LAST_GRACE: Final = 1.0
"""Seconds that processes have to end once the Control is gone."""

_READ: Final = 1 << 16


class Supervisor:
    """One loop over the socket, the outputs, and the ends of children."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._buffer = bytearray()
        self._running: dict[str, Supervised] = {}
        self._is_closing = False
        self._selector = selectors.DefaultSelector()

    def serve(self) -> None:
        """Do as is ordered until the socket ends, and everything else with it."""
        woken = _wake_on_child()
        self._selector.register(self._link, selectors.EVENT_READ, self._receive)
        self._selector.register(woken, selectors.EVENT_READ, lambda: _drain(woken))
        while not self._is_closing or self._running:
            for key, _ in self._selector.select(self._patience()):
                key.data()
            self._reap()
            self._kill_the_late()
        end_strays(_LAST_GRACE)

    def _receive(self) -> None:
        try:
            data = self._link.recv(_READ)
        except OSError:
            data = b""
        if not data:
            self._close()
        self._buffer += data
        while (end := self._buffer.find(b"\n")) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._obey(json.loads(line))

    def _obey(self, order: dict[str, Any]) -> None:
        if "start" in order:
            self._start(order)
        elif running := self._running.get(order["stop"]):
            running.stop(order["grace"])

    def _start(self, order: dict[str, Any]) -> None:
        try:
            started = spawn(order)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else "it cannot be run"
            self._tell(order["run"], f"the command could not be started: {why}", "")
            return
        self._running[started.run] = started
        self._selector.register(started.output, selectors.EVENT_READ, lambda: self._pump(started))

    def _pump(self, running: Supervised) -> None:
        if not running.pump():
            self._selector.unregister(running.output)

    def _reap(self) -> None:
        by_pid = {running.process.pid: running for running in self._running.values()}
        strayed = False
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not pid:
                break
            if ended := by_pid.get(pid):
                self._end(ended, os.waitstatus_to_exitcode(status))
            else:
                strayed = True
        if strayed:  # whose children are ours from now on
            self._kill_strays()

    def _kill_strays(self) -> None:
        kill_strays({running.process.pid for running in self._running.values()}, self._running)

    def _end(self, ended: Supervised, code: int) -> None:
        ended.process.returncode = code
        ended.signal(signal.SIGKILL)
        del self._running[ended.run]
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(ended.output)
        ended.close()
        self._kill_strays()
        how = f"it exited with status {code}" if code >= 0 else f"signal {-code} ended it"
        self._tell(ended.run, how, ended.log.last_line())

    def _kill_the_late(self) -> None:
        for running in self._running.values():
            if running.kill_at is not None and running.kill_at <= time.monotonic():
                running.signal(signal.SIGKILL)
                running.kill_at = time.monotonic() + _LAST_GRACE

    def _patience(self) -> float | None:
        times = [running.kill_at for running in self._running.values() if running.kill_at is not None]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _tell(self, run: str, how: str, last: str) -> None:
        if not self._is_closing:
            with contextlib.suppress(OSError):
                self._link.sendall(json.dumps({"ended": run, "how": how, "last": last}).encode() + b"\n")

    def _close(self) -> None:
        self._is_closing = True
        self._selector.unregister(self._link)
        for running in self._running.values():
            running.stop(_LAST_GRACE)


def _wake_on_child() -> socket.socket:
    """A socket that can be read after a child ended."""
    reading, writing = socket.socketpair()
    reading.setblocking(False)
    writing.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing.detach(), warn_on_full_buffer=False)
    return reading


def _drain(woken: socket.socket) -> None:
    with contextlib.suppress(BlockingIOError):
        while woken.recv(_READ):
            pass


def main() -> None:
    """Supervise for the Control at the other end of the socket that is inherited."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)  # what is ignored would be ignored by the processes, too
    adopt()
    Supervisor(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
