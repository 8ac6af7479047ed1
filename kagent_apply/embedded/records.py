"""What the Control service keeps: resources in one SQLite file, in transactions that share commits."""

from __future__ import annotations

import contextlib
import dataclasses
import sqlite3
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from kagent_apply.batching.batches import Batches
from kagent_apply.embedded.refusal import ControlError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence, Set
    from contextlib import AbstractContextManager
    from pathlib import Path

    from kagent_apply.batching.batches import Turn

Kind = Literal["atespace", "template", "actor", "policy"]

_MOST: Final = 1024
"""Changes that one commit takes at most."""

_MOST_KNOWN: Final = 4096
"""Resources that are in memory as well: there may be more actors, few of which are asked for at once."""

_ALL: Final = ""
"""In the place of a name, which is never empty: everything of a kind in an atespace."""

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
    """The resources as they are committed, in the serialised form of their messages.

    What is `known` and not `stale` is so without asking the connection, which is one thread's at a time.
    """

    connection: sqlite3.Connection
    known: Mapping[Key, bytes]
    stale: Set[Key] = frozenset()
    alone: AbstractContextManager[object] = field(default_factory=contextlib.nullcontext)

    def get(self, key: Key) -> bytes | None:
        """One resource; None where there is none."""
        if key not in self.stale and (body := self.known.get(key)) is not None:
            return body
        rows = self._rows(
            "SELECT body FROM resource WHERE kind = ? AND atespace = ? AND name = ?",
            (key.kind, key.atespace, key.name),
        )
        return rows[0] if rows else None

    def page(self, kind: Kind, atespace: str, after: tuple[str, str], limit: int) -> Sequence[bytes]:
        """The next of a kind behind `after`, by atespace and name; of every atespace where that is empty."""
        where, values = ("AND atespace = ?", (atespace,)) if atespace else ("", ())
        return self._rows(
            f"SELECT body FROM resource WHERE kind = ? {where} AND (atespace, name) > (?, ?)"  # noqa: S608
            " ORDER BY atespace, name LIMIT ?",
            (kind, *values, *after, limit),
        )

    def any_in(self, kind: Kind, atespace: str) -> bool:
        """Whether an atespace has something of a kind."""
        return bool(self.page(kind, atespace, ("", ""), 1))

    def any_referring(self, kind: Kind, atespace: str, name: str) -> bool:
        """Whether something of a kind refers to `name`."""
        found = self._rows(
            "SELECT 1 FROM resource WHERE kind = ? AND atespace = ? AND refers = ? AND refers <> '' LIMIT 1",
            (kind, atespace, name),
        )
        return bool(found)

    def _rows(self, statement: str, values: tuple[object, ...]) -> list[Any]:
        """The first column of what is found."""
        with self.alone:
            return [row[0] for row in self.connection.execute(statement, values)]


@dataclass(frozen=True, slots=True)
class Change(View):
    """The same within one transaction, with what changes them: that is written where nothing raised.

    What is looked at is as it was before. `news` has what is known of resources then, None where one is gone.
    """

    writes: list[tuple[str, tuple[object, ...]]] = field(default_factory=list)
    news: dict[Key, bytes | None] = field(default_factory=dict)

    def put(self, key: Key, body: bytes, refers: str = "") -> None:
        """Keep a resource in the place of what is there; `refers` names one of its atespace."""
        statement = (
            "INSERT OR REPLACE INTO resource (kind, atespace, name, refers, body) VALUES (?, ?, ?, ?, ?)"
        )
        self.writes.append((statement, (key.kind, key.atespace, key.name, refers, body)))
        self.news[key] = body

    def drop(self, key: Key) -> None:
        """Forget a resource."""
        statement = "DELETE FROM resource WHERE kind = ? AND atespace = ? AND name = ?"
        self.writes.append((statement, (key.kind, key.atespace, key.name)))
        self.news[key] = None

    def drop_in(self, kind: Kind, atespace: str) -> None:
        """Forget everything of a kind in an atespace."""
        statement = "DELETE FROM resource WHERE kind = ? AND atespace = ?"
        self.writes.append((statement, (kind, atespace)))
        self.news[Key(kind, atespace, _ALL)] = None


class Records:
    """The file, open; every method may be called from several threads at once."""

    def __init__(self, path: Path) -> None:
        """Open the file, or begin it; raises ControlError where another version wrote it."""
        with _as_unavailable():
            self._write = _connect(path)
            _prepare(self._write)
            self._read = _connect(path)
        self._known: dict[Key, bytes] = {}
        self._batches: Batches[Callable[[Change], Any]] = Batches(self._commit, _MOST)
        self._writing = threading.Lock()
        self._reading = threading.Lock()

    def read(self, look: Callable[[View], Result]) -> Result:
        """What `look` finds in what was committed last, which is in memory where it was written lately."""
        with _as_unavailable():
            return look(View(self._read, self._known, alone=self._reading))

    def change(self, do: Callable[[Change], Result]) -> Result:
        """What `do` gives, once all that it changed is on disk; nothing of it is where it raised."""
        return cast("Result", self._batches.run(do))

    def close(self) -> None:
        """Let go of the file."""
        with self._writing, self._reading:
            self._write.close()
            self._read.close()

    def _commit(self, turns: Sequence[Turn[Callable[[Change], Any]]]) -> None:
        try:
            with self._writing, _as_unavailable(), _transaction(self._write):
                changes = self._do(turns)
        except ControlError as error:
            for turn in turns:
                turn.error = error
        else:
            self._learn(changes)

    def _do(self, turns: Sequence[Turn[Callable[[Change], Any]]]) -> list[Change]:
        """Each sees what those before it wrote, of which nothing is known yet."""
        changes: list[Change] = []
        stale: set[Key] = set()
        for turn in turns:
            is_known = all(key.name != _ALL for key in stale)
            changes.append(_do(turn, Change(self._write, self._known if is_known else {}, stale)))
            stale.update(changes[-1].news)
        return changes

    def _learn(self, changes: Sequence[Change]) -> None:
        """Know what is committed, before anybody is told that it is."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        for change in changes:
            for key, body in change.news.items():
                if body is not None:
                    self._known[key] = body
                elif key.name != _ALL:
                    self._known.pop(key, None)
                else:
                    self._known.clear()


def _do(turn: Turn[Callable[[Change], Any]], change: Change) -> Change:
    """Do it, and write what it changed where it did not raise; an error of SQLite's is everybody's."""
    try:
        turn.result = turn.work(change)
    except sqlite3.Error:
        raise
    except Exception as error:  # whatever it is, it is its caller's
        turn.error = error
        return dataclasses.replace(change, writes=[], news={})
    if not change.connection.in_transaction:  # nothing may be written outside of it
        raise sqlite3.OperationalError("the transaction is over")
    for statement, values in change.writes:
        change.connection.execute(statement, values)
    return change


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
