"""What a database's own errors are told as: never in its words, which may quote what was stored."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from kagent_apply.store.port import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator


class StoreUnusableError(StoreError):
    """The store cannot be opened: one sentence, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


UNANSWERED: Final = "the store did not say what became of the change"


@contextlib.contextmanager
def told_as_store_errors(*, changing: bool) -> Iterator[None]:
    """Raise StoreError for whatever a database or its driver raises inside."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error) as error:
        raise store_error(error, changing=changing) from error


def store_error(error: Exception, *, changing: bool) -> StoreError:
    """The StoreError for an error of a database or its driver, which only a traceback shows."""
    cause = error.orig if isinstance(error, DBAPIError) else error.__cause__
    if isinstance(cause, StoreError):
        return cause
    if isinstance(error, PoolTimeoutError):
        return StoreError("the store has no connection free")
    if isinstance(error, (OperationalError, InterfaceError, sqlite3.Error)):
        return StoreError(UNANSWERED if changing else "the store does not answer")
    return StoreError("the store refused the change" if changing else "the store refused the question")
