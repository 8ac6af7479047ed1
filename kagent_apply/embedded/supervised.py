"""One process of the supervisor's: its group, its output, and how it is ended."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.embedded.bounded_log import BoundedLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MARK: Final = "KAGENT_EMBEDDED_RUN"
"""The variable that tells which run a process came of, also one that left its group."""

_READ: Final = 1 << 16
_PR_SET_PDEATHSIG: Final = 1


@dataclass(slots=True)
class Supervised:
    """A process that leads its own group; `kill_at` is when patience with it ends, in monotonic seconds."""

    run: str
    process: subprocess.Popen[bytes]
    output: int
    log: BoundedLog
    kill_at: float | None = None

    def stop(self, grace: float) -> None:
        """Ask the group to end, and allow it some seconds; asking again allows it no more."""
        at = time.monotonic() + grace
        if self.kill_at is None:
            self.signal(signal.SIGTERM)
            self.kill_at = at
        self.kill_at = min(at, self.kill_at)

    def signal(self, number: signal.Signals) -> None:
        """Signal the whole group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)

    def pump(self) -> bool:
        """Move what was written to the log; False once nothing more can come."""
        try:
            data = os.read(self.output, _READ)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.log.write(data)
        return bool(data)

    def close(self) -> None:
        """Take what is left of the output, and let go of the files."""
        for _ in range(16):  # who left the group may write on for ever
            if not self.pump():
                break
        os.close(self.output)
        self.log.close()


def spawn(order: Mapping[str, Any]) -> Supervised:
    """Start what an order names; raises OSError or ValueError where that cannot be."""
    reading, writing = os.pipe2(os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
    os.set_blocking(reading, False)
    try:
        process = subprocess.Popen(  # noqa: S603 - the configured command, and no shell
            order["command"],
            cwd=order["data"],
            env={**order["environment"], MARK: order["run"]},
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
            preexec_fn=_die_with_parent(),  # noqa: PLW1509 - this process has one thread
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return Supervised(order["run"], process, reading, BoundedLog(Path(order["log"])))


def _die_with_parent() -> Callable[[], None] | None:
    """Have the kernel kill the process if the supervisor is killed; only Linux can."""
    if sys.platform != "linux":
        return None
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def bind() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it was killed before this process could ask to be told
            os._exit(1)

    return bind
