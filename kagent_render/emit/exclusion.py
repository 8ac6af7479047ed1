"""Keeps two runs of one output folder apart.

The lock is the folder itself (`flock`): there is no lock file that Git could see, that a crash could leave
behind, or that a temporary folder of one's own could hide from another run.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from kagent_render.emit.folder import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_render.emit.disk import DiskOutput

LONGEST_WAIT: Final = 60.0
"""Seconds for which a run waits for another one."""

_PAUSE: Final = 0.05
# Network file systems cannot lock a folder; files still change in one step each there.
_UNSUPPORTED: Final = (errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


@contextmanager
def hold(output: DiskOutput, on_wait: Callable[[], None], longest: float = LONGEST_WAIT) -> Iterator[None]:
    """Be the only run that writes the folder, which is made if it is missing.

    `on_wait` is called once if another run holds it. Raises OutputError after `longest` seconds.
    """
    deadline = time.monotonic() + longest
    handle = _take(output)
    if handle is None:
        on_wait()
    while handle is None:
        if time.monotonic() >= deadline:
            problem = f"is held by another kagent-render, which did not finish in {longest:g} s"
            raise OutputError(output.output, problem, "wait for the other run or end it")
        time.sleep(_PAUSE)
        handle = _take(output)
    try:
        yield
    finally:
        os.close(handle)


def _take(output: DiskOutput) -> int | None:
    """A handle that holds the lock; None while another run has it or has just replaced the folder."""
    handle = output.handle()
    if _try_lock(handle):
        now = output.handle()
        same = os.path.sameopenfile(handle, now)
        os.close(now)
        if same:
            return handle
    os.close(handle)
    return None


def _try_lock(handle: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise OutputError(
                "the output folder", f"cannot be locked: {os.strerror(error.errno or 0)}"
            ) from None
    return True
