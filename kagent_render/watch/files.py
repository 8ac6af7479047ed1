"""Changes of files on disk, as the operating system tells them."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

import watchfiles

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    Changes = Generator[set[tuple[watchfiles.Change, str]], None, None]

_STEP: Final = 20
_POLL: Final = 100
"""Milliseconds after which waiting looks whether the folders are still those that are watched."""


class WatchError(Exception):
    """The operating system does not tell changes; one sentence."""


class WatchedFiles:
    """Everything below some folders; those that vanish are awaited, and watched again when they are back."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = list(folders)
        self._changes: Changes | None = None
        self._watched: list[tuple[int, int] | None] = []
        self._open()

    def watch(self, folders: Sequence[Path]) -> None:
        """Watch these folders from now on."""
        if list(folders) != self._folders:
            self._folders = list(folders)
            self._open()

    def wait(self, seconds: float | None) -> frozenset[str]:
        """The paths that have changed; empty where `seconds` pass without any. Raises WatchError."""
        end = None if seconds is None else self.now() + seconds
        while True:
            changed = self._next()
            if changed or (end is not None and self.now() >= end):
                return changed

    def now(self) -> float:
        """Seconds from some moment on."""
        return time.monotonic()

    def close(self) -> None:
        """Watch nothing any more."""
        if self._changes is not None:
            self._changes.close()
            self._changes = None

    def _open(self) -> None:
        """Watch those folders that are there; what changes from now on is told."""
        self.close()
        self._watched = [_identity(folder) for folder in self._folders]
        present = [
            folder for folder, found in zip(self._folders, self._watched, strict=True) if found is not None
        ]
        if present:
            self._changes = watchfiles.watch(
                *present,
                watch_filter=None,
                debounce=_POLL,
                step=_STEP,
                rust_timeout=_POLL,
                yield_on_timeout=True,
                ignore_permission_denied=True,
            )
            self._pending = self._ask()

    def _next(self) -> frozenset[str]:
        """What has changed by now or within a moment, folders that are others than before included."""
        pending, self._pending = self._pending, frozenset()
        if self._changes is None:
            time.sleep(_POLL / 1000)
        elif not pending:
            pending = self._ask()
        now = [_identity(folder) for folder in self._folders]
        if now == self._watched:
            return pending
        others = zip(self._folders, now, self._watched, strict=True)
        replaced = frozenset(os.fspath(folder) for folder, one, other in others if one != other)
        self._open()
        return pending | replaced

    def _ask(self) -> frozenset[str]:
        assert self._changes is not None
        try:
            return frozenset(path for _, path in next(self._changes))
        except StopIteration:
            return frozenset()
        except (OSError, RuntimeError) as error:
            raise WatchError(f"files cannot be watched: {error}") from None

    _pending: frozenset[str] = frozenset()


def _identity(folder: Path) -> tuple[int, int] | None:
    """Which folder it is; None where there is none."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
