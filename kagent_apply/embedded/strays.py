"""Processes that left the group of their actor, which are found by who becomes their parent. Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_apply.embedded.supervised import MARK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PR_SET_CHILD_SUBREAPER: Final = 36
_PAUSE: Final = 0.005


def adopt() -> None:
    """Have this process be the parent of what its children leave behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_strays(leaders: Collection[int], runs: Collection[str]) -> bool:
    """Kill adopted processes whose run is not one of `runs`; whether there were any.

    The children of those are adopted once they are dead, so that this is to be done again then.
    """
    strays = [pid for pid in _children() if pid not in leaders and not _belongs(pid, runs)]
    for pid in strays:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return bool(strays)


def end_strays(patience: float) -> None:
    """Kill everything that is adopted, generation after generation, for so many seconds at most."""
    until = time.monotonic() + patience
    while kill_strays((), ()) and time.monotonic() < until:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_PAUSE)


def _children() -> Iterator[int]:
    with contextlib.suppress(OSError):
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        yield from map(int, text.split())


def _belongs(pid: int, runs: Collection[str]) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(f"{MARK}={run}".encode() in variables for run in runs)
