"""What the Control service keeps: resources in one SQLite file, in transactions that share commits."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeVar

from kagent_apply.embedded.refusal import ControlError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

Kind = Literal["atespace", "template", "actor", "policy"]

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
class Key:
    """What a resource is found by; `atespace` is empty for atespaces themselves."""

    kind: Kind
    atespace: str
    name: str


@dataclass(frozen=True, slots=True)
class View:
    """The resources as of one moment, in the serialised form of their messages."""

    connection: sqlite3.Connection

    def get(self, key: Key) -> bytes | None:
        """One resource; None where there is none."""
        row = self.connection.execute(
            "SELECT body FROM resource WHERE kind = ? AND atespace = ? AND name = ?",
            (key.kind, key.atespace, key.name),
        ).fetchone()
        return row[0] if row else None

    def page(self, kind: Kind, atespace: str, after: tuple[str, str], limit: int) -> Sequence[bytes]:
        """The next of a kind behind `after`, by atespace and name; of every atespace where that is empty."""
        where, values = ("AND atespace = ?", (atespace,)) if atespace else ("", ())
        rows = self.connection.execute(
            f"SELECT body FROM resource WHERE kind = ? {where} AND (atespace, name) > (?, ?)"  # noqa: S608
            " ORDER BY atespace, name LIMIT ?",
            (kind, *values, *after, limit),
        )
        return [row[0] for row in rows]

    def any_in(self, kind: Kind, atespace: str) -> bool:
        """Whether an atespace has something of a kind."""
        return bool(self.page(kind, atespace, ("", ""), 1))

    def any_referring(self, kind: Kind, atespace: str, name: str) -> bool:
        """Whether something of a kind refers to `name`."""
        found = self.connection.execute(
            "SELECT 1 FROM resource WHERE kind = ? AND atespace = ? AND refers = ? AND refers <> '' LIMIT 1",
            (kind, atespace, name),
        )
        return found.fetchone() is not None


@dataclass(frozen=True, slots=True)
class Change(View):
    """The same within one transaction, with what changes them."""

    def put(self, key: Key, body: bytes, refers: str = "") -> None:
        """Keep a resource in the place of what is there; `refers` names one of its atespace."""
        self.connection.execute(
            "INSERT OR REPLACE INTO resource (kind, atespace, name, refers, body) VALUES (?, ?, ?, ?, ?)",
            (key.kind, key.atespace, key.name, refers, body),
        )

    def drop(self, key: Key) -> None:
        """Forget a resource."""
        self.connection.execute(
            "DELETE FROM resource WHERE kind = ? AND atespace = ? AND name = ?",
            (key.kind, key.atespace, key.name),
        )

    def drop_in(self, kind: Kind, atespace: str) -> None:
        """Forget everything of a kind in an atespace."""
        self.connection.execute("DELETE FROM resource WHERE kind = ? AND atespace = ?", (kind, atespace))


class _Work(Generic[Result]):
    """One transaction that waits for its commit, and what came of it."""

    __slots__ = ("_do", "_failure", "_results", "is_done")

    def __init__(self, do: Callable[[Change], Result]) -> None:
        self._do = do
        self._results: list[Result] = []
        self._failure: Exception | None = None
        self.is_done = False

    def run(self, change: Change) -> None:
        """Do it within a savepoint, so that its failure undoes nothing of the others."""
        change.connection.execute("SAVEPOINT work")
        try:
            self._results = [self._do(change)]
        except Exception as error:  # whatever it is, it is its caller's
            change.connection.execute("ROLLBACK TO work")
            self._failure = error
        change.connection.execute("RELEASE work")

    def fail(self, failure: Exception) -> None:
        self._failure = failure

    def outcome(self) -> Result:
        if self._failure is not None:
            raise self._failure
        return self._results[0]


class Records:
    """The file, open; every method may be called from several threads at once.

    Whoever finds the file free commits what the others wait for as well: many changes, one commit.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or begin it; raises ControlError where another version wrote it."""
        with _as_unavailable():
            self._write = _connect(path)
            _prepare(self._write)
            self._read = _connect(path)
        self._waiting: deque[_Work[object]] = deque()
        self._writing = threading.Lock()
        self._reading = threading.Lock()

    def read(self, look: Callable[[View], Result]) -> Result:
        """What `look` finds in what was committed last."""
        with self._reading, _as_unavailable():
            return look(View(self._read))

    def change(self, do: Callable[[Change], Result]) -> Result:
        """What `do` gives, once all that it changed is on disk; nothing of it is where it raised."""
        work = _Work(do)
        self._waiting.append(work)  # type: ignore[arg-type] # its result is given back to who asked alone
        with self._writing:
            if not work.is_done:
                self._commit()
        return work.outcome()

    def close(self) -> None:
        """Let go of the file."""
        with self._writing, self._reading:
            self._write.close()
            self._read.close()

    def _commit(self) -> None:
        batch = [self._waiting.popleft() for _ in range(len(self._waiting))]
        failure: Exception = ControlError("INTERNAL", "the change was interrupted")
        try:
            with _as_unavailable(), _transaction(self._write) as change:
                for work in batch:
                    work.run(change)
            failure = None  # type: ignore[assignment]
        except ControlError as error:
            failure = error
        finally:
            for work in batch:
                if failure is not None:
                    work.fail(failure)
                work.is_done = True


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found not in (0, FORMAT):
        raise ControlError("FAILED_PRECONDITION", "another version wrote the state of the embedded Control")
    connection.executescript(_TABLE)
    connection.execute(f"PRAGMA user_version = {FORMAT}")


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[Change]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield Change(connection)
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
