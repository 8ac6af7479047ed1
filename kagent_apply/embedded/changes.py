"""Changes of many callers within one transaction, written with as few statements as there can be."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.embedded.views import Key, View

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kagent_apply.embedded.views import Kind

_DELETE: Final = "DELETE FROM resource WHERE kind = ? AND atespace = ? AND name = ?"


@dataclass(frozen=True, slots=True)
class Row:
    """A resource, and the name of what it refers to in its atespace."""

    body: bytes
    refers: str


News = dict[Key, "Row | None"]
"""What became of resources; None where one is gone."""


class Change(View):
    """What one caller looks at and changes; that holds where nothing raised.

    What is looked at is as it was before, with what others of the batch changed.
    """

    def __init__(self, batch: Batch) -> None:
        super().__init__(batch.ask, batch.known)
        self._batch = batch
        self.news: News = {}
        self.emptied: list[tuple[Kind, str]] = []

    def get(self, key: Key) -> bytes | None:
        """One resource; None where there is none."""
        return self._batch.found[key] if key in self._batch.found else super().get(key)

    def page(self, kind: Kind, atespace: str, after: tuple[str, str], limit: int) -> Sequence[bytes]:
        """As a view has it, once everything is written."""
        self._batch.flush()
        return super().page(kind, atespace, after, limit)

    def any_referring(self, kind: Kind, atespace: str, name: str) -> bool:
        """As a view has it, once everything is written."""
        self._batch.flush()
        return super().any_referring(kind, atespace, name)

    def put(self, key: Key, body: bytes, refers: str = "") -> None:
        """Keep a resource in the place of what is there; `refers` names one of its atespace."""
        self.news[key] = Row(body, refers)

    def drop(self, key: Key) -> None:
        """Forget a resource."""
        self.news[key] = None

    def drop_in(self, kind: Kind, atespace: str) -> None:
        """Forget everything of a kind in an atespace, but for what this change puts there."""
        self.emptied.append((kind, atespace))


class Batch:
    """What the changes of one transaction did so far.

    `found` is what became of each resource, or what was there before; `known` is the same of many others.
    """

    def __init__(self, connection: sqlite3.Connection, known: Mapping[Key, bytes]) -> None:
        self.known = known
        self.found: dict[Key, bytes | None] = {}
        self.news: News = {}
        self._connection = connection
        self._unwritten: News = {}

    def look_for(self, keys: Iterable[Key]) -> None:
        """Find resources that changes will ask for, all of them at once."""
        wanted = [key for key in keys if key not in self.known]
        if wanted:
            self.found.update(dict.fromkeys(wanted))
            for *name, body in self._connection.execute(_look(len(wanted)), _values(wanted)):
                self.found[Key(*name)] = body

    def ask(self, statement: str, values: tuple[object, ...]) -> list[Any]:
        """The first column of what a statement finds."""
        return [row[0] for row in self._connection.execute(statement, values)]

    def keep(self, change: Change) -> None:
        """Have those that come next see a change."""
        if not self._connection.in_transaction:  # nothing may be written outside of it
            raise sqlite3.OperationalError("the transaction is over")
        for kind, atespace in change.emptied:
            self._empty(kind, atespace)
        self.news.update(change.news)
        self._unwritten.update(change.news)
        self.found.update({key: row.body if row else None for key, row in change.news.items()})

    def flush(self) -> None:
        """Write what is not in the tables yet."""
        gone = [_values([key]) for key, row in self._unwritten.items() if row is None]
        self._connection.executemany(_DELETE, gone)
        if kept := {key: row for key, row in self._unwritten.items() if row is not None}:
            values = [
                value
                for key, row in kept.items()
                for value in (key.kind, key.atespace, key.name, row.refers, row.body)
            ]
            into = "INSERT OR REPLACE INTO resource (kind, atespace, name, refers, body)"
            self._connection.execute(f"{into} VALUES {_rows(5, len(kept))}", values)
        self._unwritten.clear()

    def _empty(self, kind: Kind, atespace: str) -> None:
        """Nothing is known any more but what the tables have."""
        self.flush()
        statement = "DELETE FROM resource WHERE kind = ? AND atespace = ?"
        self._connection.execute(statement, (kind, atespace))
        of_this = [key for key in {*self.known, *self.found} if (key.kind, key.atespace) == (kind, atespace)]
        self.news.update(dict.fromkeys(of_this))
        self.found.update(dict.fromkeys(of_this))


def _look(count: int) -> str:
    """A join, since SQLite reads the whole table for rows that are IN others."""
    wanted = f"WITH wanted (kind, atespace, name) AS (VALUES {_rows(3, count)})"
    found = "SELECT kind, atespace, name, body FROM wanted CROSS JOIN resource USING (kind, atespace, name)"
    return f"{wanted} {found}"


def _rows(columns: int, count: int) -> str:
    return ", ".join([f"({', '.join('?' * columns)})"] * count)


def _values(keys: Iterable[Key]) -> list[str]:
    return [value for key in keys for value in (key.kind, key.atespace, key.name)]
