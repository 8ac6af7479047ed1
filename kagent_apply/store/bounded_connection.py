"""A connection to PostgreSQL on which nothing is waited for without end.

The server holds statements to a time of its own, and TCP notices a machine that is gone. Neither helps
against a server that is frozen: its machine acknowledges what it is sent, and nobody answers.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from sqlalchemy import event

if TYPE_CHECKING:
    from collections.abc import Generator

    from sqlalchemy import Engine

T = TypeVar("T")


class BoundedConnection(psycopg.Connection[Any]):
    """Closes itself and raises OperationalError where an answer takes longer than `answer_within` seconds."""

    answer_within: float

    def wait(self, gen: Generator[Any, Any, T], *arguments: Any, **named: Any) -> T:
        """Wait for what `gen` asks the server, which psycopg calls for every statement."""
        bounded = _bounded(gen, time.monotonic() + self.answer_within)
        try:
            return super().wait(bounded, *arguments, **named)
        except _TooLateError:
            self.pgconn.finish()  # what the server answers later belongs to nothing
            raise psycopg.OperationalError("the server did not answer in time") from None


class _TooLateError(Exception):
    pass


def _bounded(gen: Generator[Any, Any, T], until: float) -> Generator[Any, Any, T]:
    """The same, as long as there is time; psycopg sends nothing at short intervals while nothing arrives."""
    try:
        wanted = next(gen)
        while True:
            arrived = yield wanted
            if not arrived and time.monotonic() >= until:
                raise _TooLateError
            wanted = gen.send(arrived)
    except StopIteration as end:
        result: T = end.value
        return result


def bound(engine: Engine, seconds: float) -> Engine:
    """An engine with connections on which each answer is waited for so long at most."""
    event.listen(engine, "do_connect", partial(_connect, seconds))
    return engine


def _connect(seconds: float, _dialect: Any, _record: Any, given: Any, named: Any) -> BoundedConnection:
    connection = BoundedConnection.connect(*given, **named)
    connection.answer_within = seconds
    return connection
