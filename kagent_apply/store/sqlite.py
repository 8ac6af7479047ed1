"""A store in one SQLite file, of one process."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import URL, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from kagent_apply.store.failures import StoreUnusableError, told_as_store_errors
from kagent_apply.store.group_commit import GroupCommit
from kagent_apply.store.instances import release_all_holds
from kagent_apply.store.migrations import migrate

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from kagent_apply.store.database import Work

T = TypeVar("T")

_READERS: Final = 16
"""Connections that stay open to read with; more threads than these wait for one."""

_PRAGMAS: Final = (
    "busy_timeout = 5000",
    "foreign_keys = ON",
    "journal_mode = WAL",
    "journal_size_limit = 16777216",
    "synchronous = FULL",
    "trusted_schema = OFF",
    "wal_autocheckpoint = 4000",
)
"""`synchronous = FULL` waits for the disk at each commit; a reader never waits for the writer in WAL.

A page that many commits change is copied out of the log once, when that has 16 MB.
"""


@dataclass(frozen=True, slots=True)
class SQLiteDatabase:
    """Implements `Database`; `lock` is the descriptor that keeps other processes out."""

    lock: int
    writer: Engine
    readers: Engine
    connection: Connection
    commits: GroupCommit

    def read(self, work: Work[T]) -> T:
        """Read beside the writer, on another connection."""
        with told_as_store_errors(changing=False), self.readers.connect() as connection:
            return work(connection)

    def write(self, work: Work[T]) -> T:
        """Write together with whoever else does."""
        return self.commits.run(work)

    def write_one(self, work: Work[T]) -> T:
        """The same of one statement."""
        return self.commits.run(work)

    def close(self) -> None:
        """Close the file, and let another process have it."""
        with told_as_store_errors(changing=False):
            self.readers.dispose()
            self.connection.close()
            self.writer.dispose()
        os.close(self.lock)


def open_sqlite(path: Path) -> SQLiteDatabase:
    """Open a file, made with its folder where it is missing, readable by its owner alone.

    Raises StoreUnusableError. What others held they hold no more: there is no other process.
    """
    try:
        lock = _locked(path)
    except OSError as error:
        raise StoreUnusableError(
            f"the file of the store cannot be used: {os.strerror(error.errno or 0)}",
            "give the path of a file that this user can write, with `sqlite:///PATH`",
        ) from None
    try:
        return _opened(path, lock)
    except (SQLAlchemyError, sqlite3.Error):
        os.close(lock)
        raise StoreUnusableError(
            "the file of the store is no SQLite database, is damaged, or cannot be written",
            "give another path with `sqlite:///PATH`, or restore the file from a backup",
        ) from None
    except BaseException:
        os.close(lock)
        raise


def _opened(path: Path, lock: int) -> SQLiteDatabase:
    writer = connections(path)
    readers = connections(path, "query_only = ON", pool_size=_READERS, max_overflow=0, pool_timeout=10)
    connection = writer.connect()
    try:
        with connection.begin():
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            migrate(connection)
            release_all_holds(connection)
    except BaseException:
        connection.close()
        writer.dispose()
        raise
    return SQLiteDatabase(lock, writer, readers, connection, GroupCommit(connection))


def connections(path: Path, *pragmas: str, **options: Any) -> Engine:
    """Connections that leave beginning a transaction to us: Python's module would begin it late."""
    url = URL.create("sqlite+pysqlite", database=str(path))
    arguments = {"check_same_thread": False, "isolation_level": None}
    engine = create_engine(url, connect_args=arguments, hide_parameters=True, **options)
    event.listen(engine, "connect", partial(_prepare, (*_PRAGMAS, *pragmas)))
    return engine


def _prepare(pragmas: tuple[str, ...], connection: sqlite3.Connection, _: object) -> None:
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}")


def _locked(path: Path) -> int:
    """Make the file, and lock another beside it: who locks SQLite's own file disturbs SQLite's locks.

    The system lets go of the lock when a process ends, however it ends; the file stays.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = path.resolve()
    os.close(_file(path))
    lock = _file(path.with_name(f"{path.name}.lock"))
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise StoreUnusableError(
            "another process has the store open",
            "end that process, or give another store; several processes can share one in PostgreSQL",
        ) from None
    return lock


def _file(path: Path) -> int:
    """A descriptor of a regular file, which nobody else can read if it is new."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise StoreUnusableError("the path of the store is not a file", "give that of a file")
    return descriptor
