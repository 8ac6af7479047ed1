"""Many callers' changes in one commit: SQLite has one writer, and waiting for the disk is what takes long."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from sqlalchemy.exc import SQLAlchemyError

from kagent_apply.batching.batches import Batches
from kagent_apply.store.failures import store_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from kagent_apply.batching.batches import Turn
    from kagent_apply.store.database import Work

    Turns = Sequence[Turn[Work[Any]]]

T = TypeVar("T")

_MOST: Final = 128
"""So many changes go into one commit at most, so that the first of them does not wait for long."""


class GroupCommit:
    """Runs changes on the one connection that writes, in the order in which they came.

    All that wait are in one transaction. Where one of them raises, none was done, and each is done again in a
    transaction of its own: savepoints would cost every change two statements, and hardly any raises.
    Transactions are the driver's, and SQLAlchemy's connection knows nothing of them.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._batches: Batches[Work[Any]] = Batches(self._commit, _MOST)

    @property
    def waiting(self) -> int:
        """How many changes wait for the commit after the one that is under way."""
        return self._batches.waiting

    def run(self, work: Work[T]) -> T:
        """What a change gives, once it is durable; raises what it raises, or StoreError."""
        return cast("T", self._batches.run(work))

    def _commit(self, turns: Turns) -> None:
        driver, done = self._driver(), False
        try:
            driver.execute("BEGIN IMMEDIATE")
            for turn in turns:
                turn.result = turn.work(self._connection)
            done = True
            driver.execute("COMMIT")
        except Exception as error:
            driver.rollback()  # a COMMIT that fails leaves the transaction open
            self._failed(turns, error, committing=done)

    def _failed(self, turns: Turns, error: Exception, *, committing: bool) -> None:
        if not committing and len(turns) > 1:
            for turn in turns:
                self._commit([turn])
            return
        told = store_error(error, changing=True) if _is_of_database(error) else error
        for turn in turns:
            turn.error = told

    def _driver(self) -> sqlite3.Connection:
        return cast("sqlite3.Connection", self._connection.connection.driver_connection)


def _is_of_database(error: Exception) -> bool:
    return isinstance(error, (SQLAlchemyError, sqlite3.Error))
