"""The memo on disk: one SQLite file in the user's cache folder, shared by all roots and processes."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kagent_render import __version__
from kagent_render.cli.cache_folder import own_cache_folder
from kagent_render.preparation.memo import Memo, MemoryMemo

if TYPE_CHECKING:
    import sqlite3

    from _typeshed import ReadableBuffer as Buffer

_FILE = "memo.sqlite"
_LARGEST = 512 * 1024 * 1024
"""Bytes of the file beyond which it is begun anew."""

_BUSY_SECONDS = 2.0
_DIGEST_LENGTH = 32
_SCHEMA = "CREATE TABLE IF NOT EXISTS memo (key TEXT PRIMARY KEY, content BLOB NOT NULL)"
_SELECT = "SELECT key, content FROM memo WHERE key IN (SELECT value FROM json_each(?))"


@functools.cache
def program_identity() -> str:
    """A digest over Python, what is installed beside click, and the program's own files by size and time."""
    installed = sorted(path.name for path in Path(click.__file__).parents[1].glob("*-info"))
    digest = hashlib.sha256("\n".join([__version__, sys.version, *installed]).encode())
    package = Path(__file__).parent.parent
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".yaml"):
            found = path.stat()
            digest.update(f"{path.relative_to(package)} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


@contextmanager
def open_memo(*, wanted: bool) -> Iterator[Memo]:
    """The user's memo; one that forgets at once where there is none, or where it is not the user's own."""
    folder = own_cache_folder() if wanted else None
    if folder is None:
        yield MemoryMemo()
        return
    import sqlite3

    memo: DiskMemo | None = None
    try:
        memo = DiskMemo(_connect(folder))
    except (sqlite3.OperationalError, OSError):
        pass  # busy, full or not to be written
    except sqlite3.DatabaseError:
        remove_memo(folder)
    if memo is None:
        yield MemoryMemo()
        return
    try:
        yield memo
    finally:
        memo.close()


class DiskMemo:
    """A memo in a database; whatever is wrong with that, nothing is remembered and nothing fails."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._new: list[tuple[str, bytes]] = []

    def recall(self, keys: Iterable[str]) -> dict[str, bytes]:
        """What was remembered under those of the keys that are known and whose digests still fit."""
        import sqlite3

        found: dict[str, bytes] = {}
        with suppress(sqlite3.Error):
            rows = self._connection.execute(_SELECT, (json.dumps(list(keys)),))
            found.update((key, content[_DIGEST_LENGTH:]) for key, content in rows if _is_whole(key, content))
        return found

    def remember(self, key: str, content: bytes) -> None:
        """Keep content; it is written when the memo is closed."""
        self._new.append((key, _digest(key, content) + content))

    def close(self) -> None:
        """Write what is new in one transaction."""
        import sqlite3

        with suppress(sqlite3.Error):
            if self._new:
                with self._connection:
                    self._connection.executemany("INSERT OR REPLACE INTO memo VALUES (?, ?)", self._new)
            self._connection.close()


def _digest(key: str, content: Buffer) -> bytes:
    digest = hashlib.sha256(key.encode())
    digest.update(content)
    return digest.digest()


def _is_whole(key: str, content: object) -> bool:
    """Whether a row's content is what was remembered under its key."""
    return isinstance(content, bytes) and content[:_DIGEST_LENGTH] == _digest(
        key, memoryview(content)[_DIGEST_LENGTH:]
    )


def memo_size(folder: Path) -> int:
    """The bytes of the memo in a cache folder, with what SQLite keeps beside it."""
    size = 0
    for path in _files(folder):
        with suppress(OSError):
            size += path.lstat().st_size
    return size


def remove_memo(folder: Path) -> None:
    """Remove the memo in a cache folder, with what SQLite keeps beside it."""
    for path in _files(folder):
        with suppress(OSError):
            path.unlink()


def _files(folder: Path) -> list[Path]:
    return [folder / name for name in (_FILE, f"{_FILE}-wal", f"{_FILE}-shm")]


def _connect(folder: Path) -> Any:
    import sqlite3

    path = folder / _FILE
    if path.exists() and path.stat().st_size > _LARGEST:
        remove_memo(folder)
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(_SCHEMA)
    return connection
