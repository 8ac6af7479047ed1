"""What the Control service keeps: resources in one SQLite file, in transactions that share commits."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from kagent_apply.batching.batches import Batches
from kagent_apply.embedded.changes import Batch, Change
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.views import Key, View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kagent_apply.batching.batches import Turn

_MOST: Final = 1024
"""Changes that one commit takes at most."""

_MOST_KNOWN: Final = 4096
"""Resources that are in memory as well: there may be more actors, few of which are asked for at once."""

FORMAT: Final = 1
"""The version of the tables, as the file says it."""

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS resource (
  kind TEXT NOT NULL,
  atespace TEXT NOT NULL,
  name TEXT NOT NULL,
  refers TEXT NOT NULL DEFAULT '',
  body BLOB NOT NULL,
  PRIMARY KEY (kind, atespace, name)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS reference ON resource (kind, atespace, refers) WHERE refers <> '';
"""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Work:
    """What one caller does in a transaction, and the resources that it will ask for."""

    do: Callable[[Change], Any]
    asks_for: tuple[Key, ...]


class Records:
    """The file, open; every method may be called from several threads at once."""

    def __init__(self, path: Path) -> None:
        """Open the file, or begin it; raises ControlError where another version wrote it."""
        with _as_unavailable():
            self._write = _connect(path)
            _prepare(self._write)
            self._read = _connect(path)
        self._known: dict[Key, bytes] = {}
        self._batches: Batches[_Work] = Batches(self._commit, _MOST)
        self._writing = threading.Lock()
        self._reading = threading.Lock()

    def read(self, look: Callable[[View], Result]) -> Result:
        """What `look` finds in what was committed last, which is in memory where it was written lately."""
        with _as_unavailable():
            return look(View(self._ask, self._known))

    def change(self, do: Callable[[Change], Result], *asks_for: Key) -> Result:
        """What `do` gives, once all that it changed is on disk; nothing of it is where it raised.

        What it `asks_for` is found together with what others ask for.
        """
        return cast("Result", self._batches.run(_Work(do, asks_for)))

    def close(self) -> None:
        """Let go of the file."""
        with self._writing, self._reading:
            self._write.close()
            self._read.close()

    def _ask(self, statement: str, values: tuple[object, ...]) -> list[Any]:
        with self._reading:
            return [row[0] for row in self._read.execute(statement, values)]

    def _commit(self, turns: Sequence[Turn[_Work]]) -> None:
        batch = Batch(self._write, self._known)
        try:
            with self._writing, _as_unavailable(), _transaction(self._write):
                batch.look_for(key for turn in turns for key in turn.work.asks_for)
                for turn in turns:
                    _do(turn, batch)
                batch.flush()
        except ControlError as error:
            for turn in turns:
                turn.error = error
        else:
            self._learn(batch)

    def _learn(self, batch: Batch) -> None:
        """Know what is committed, before anybody is told that it is."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        for key, row in batch.news.items():
            if row is None:
                self._known.pop(key, None)
            else:
                self._known[key] = row.body


def _do(turn: Turn[_Work], batch: Batch) -> None:
    """Have a change be one of the batch where it did not raise; an error of SQLite's is everybody's."""
    change = Change(batch)
    try:
        turn.result = turn.work.do(change)
    except sqlite3.Error:
        raise
    except Exception as error:  # whatever it is, it is its caller's
        turn.error = error
    else:
        batch.keep(change)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found not in (0, FORMAT):
        raise ControlError("FAILED_PRECONDITION", "another version wrote the state of the embedded Control")
    connection.executescript(_TABLE)
    connection.execute(f"PRAGMA user_version = {FORMAT}")


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextlib.contextmanager
def _as_unavailable() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise ControlError("UNAVAILABLE", "the state of the embedded Control cannot be used") from error
