"""One Control for one folder, and none while actors of an earlier one are still being ended."""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING, Final

from kagent_apply.embedded.refusal import ControlError

if TYPE_CHECKING:
    from pathlib import Path

_PAUSE: Final = 0.02


def lock_folder(folder: Path, patience: float) -> int:
    """A descriptor that holds the lock as long as it, or one that a child inherited, is open.

    Raises ControlError where another process holds it longer than `patience` seconds.
    """
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                os.close(descriptor)
                raise ControlError(
                    "UNAVAILABLE", "another process uses the folder of the embedded Control"
                ) from None
            time.sleep(_PAUSE)
        else:
            return descriptor
