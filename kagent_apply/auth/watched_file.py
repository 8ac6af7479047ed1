"""A file's meaning, read again when the file changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from kagent_apply.auth.file_reading import FileFaultError, read_small, stamp

if TYPE_CHECKING:
    from kagent_apply.auth.file_reading import Stamp

T = TypeVar("T")

Clock = Callable[[], float]
"""Seconds that only ever grow: `time.monotonic`."""

Told = Callable[[str], None]
"""Tells the operator of what calls go on in spite of: a log."""

_LOOK_EVERY: Final = 1.0


class WatchedFile(Generic[T]):
    """What `read` makes of a file; looked at once a second at most, by whoever needs it.

    What was understood last stays while a new file is not, and that is told once. Raises FileFaultError
    where the first cannot be understood. `read` raises it too.
    """

    def __init__(
        self, path: str, read: Callable[[str, bytes], T], told: Told, clock: Clock, *, private: bool
    ) -> None:
        self._path = path
        self._read = read
        self._told = told
        self._clock = clock
        self._private = private
        self._lock = threading.Lock()
        self._stamp: Stamp | None
        self._value, self._stamp = self._load()
        self._next = clock() + _LOOK_EVERY
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why the file as it is now does not count; empty if it does."""
        return self._problem

    def current(self) -> T:
        """The meaning of the file; several threads at once get it, and one of them looks."""
        if self._clock() >= self._next and self._lock.acquire(blocking=False):
            try:
                self._look(force=False)
            finally:
                self._lock.release()
        return self._value

    def reload(self) -> None:
        """Read the file again, whether or not it seems to have changed."""
        with self._lock:
            self._look(force=True)

    def _look(self, *, force: bool) -> None:
        self._next = self._clock() + _LOOK_EVERY
        found = stamp(self._path)
        if found == self._stamp and not force:
            return
        try:
            self._value, self._stamp = self._load()
        except FileFaultError as error:
            self._stamp = found
            self._keep(str(error))
        else:
            self._problem = ""

    def _load(self) -> tuple[T, Stamp]:
        data, found = read_small(self._path, private=self._private)
        return self._read(self._path, data), found

    def _keep(self, problem: str) -> None:
        if problem != self._problem:
            self._told(f"the file as it was before goes on counting: {problem}")
        self._problem = problem
