"""Many callers' changes in one commit: SQLite has one writer, and waiting for the disk is what takes long."""

from __future__ import annotations

import sqlite3
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from sqlalchemy.exc import SQLAlchemyError

from kagent_apply.store.failures import store_error

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from kagent_apply.store.database import Work

T = TypeVar("T")

_MOST: Final = 128
"""So many changes go into one commit at most, so that the first of them does not wait for long."""


@dataclass(slots=True, eq=False)
class _Turn(Generic[T]):
    """One caller's change, and what became of it."""

    work: Work[T]
    is_one: bool
    called: threading.Event = field(default_factory=threading.Event)
    ended: bool = False
    result: T | None = None
    error: Exception | None = None

    def outcome(self) -> T:
        if self.error is not None:
            raise self.error
        return cast("T", self.result)


class GroupCommit:
    """Runs changes on the one connection that writes, in the order in which they came.

    Whoever comes while nobody writes leads: it runs its change and all that wait in one transaction, commits,
    and calls their threads. Who came meanwhile is led by the first of them. A change of several statements is
    in a savepoint, so that one that raises takes none of the others with it; one statement needs none.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._waiting: deque[_Turn[Any]] = deque()
        self._led = False

    def run(self, work: Work[T]) -> T:
        """What a change gives, once it is durable; raises what it raises, or StoreError."""
        return self._run(_Turn(work, is_one=False))

    def run_one(self, work: Work[T]) -> T:
        """The same of a change that is one statement, which SQLite takes back by itself if it fails."""
        return self._run(_Turn(work, is_one=True))

    def _run(self, turn: _Turn[T]) -> T:
        with self._lock:
            self._waiting.append(turn)
            follows, self._led = self._led, True
        if follows:
            turn.called.wait()
        if not turn.ended:
            self._lead()
        return turn.outcome()

    def _lead(self) -> None:
        with self._lock:
            turns = [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST))]
        try:
            self._commit(turns)
        finally:
            self._call(turns)

    def _call(self, turns: list[_Turn[Any]]) -> None:
        """Call those whose change is durable or failed, and the one that leads next."""
        with self._lock:
            next_leader = self._waiting[0] if self._waiting else None
            self._led = next_leader is not None
        if next_leader is not None:
            next_leader.called.set()
        for turn in turns:
            turn.ended = True
            turn.called.set()

    def _commit(self, turns: list[_Turn[Any]]) -> None:
        try:
            with self._connection.begin():
                for turn in turns:
                    self._attempt(turn)
        except (SQLAlchemyError, sqlite3.Error) as error:
            self._driver().rollback()  # a COMMIT that fails leaves the transaction open
            for turn in turns:
                turn.error = store_error(error, changing=True)

    def _attempt(self, turn: _Turn[Any]) -> None:
        """Run one change; raises where SQLite took back the whole transaction, as it does on a full disk."""
        driver = self._driver()
        if not turn.is_one:
            driver.execute("SAVEPOINT change")
        try:
            turn.result = turn.work(self._connection)
        except Exception as error:
            if not driver.in_transaction:
                raise
            turn.error = store_error(error, changing=True) if isinstance(error, SQLAlchemyError) else error
            if not turn.is_one:
                driver.execute("ROLLBACK TO change")
        if not turn.is_one:
            driver.execute("RELEASE change")

    def _driver(self) -> sqlite3.Connection:
        return cast("sqlite3.Connection", self._connection.connection.driver_connection)
