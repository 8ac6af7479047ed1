"""Changes of many callers go into few commits, and none of them notices the others."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from kagent_apply.store.database import Work
from kagent_apply.store.port import StoreError
from kagent_apply.store.sqlite import SQLiteDatabase, open_sqlite


class RefusedError(Exception):
    """What a change raises on purpose."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SQLiteDatabase]:
    """A file with one more table, whose values have to be different."""
    opened = open_sqlite(tmp_path / "store.db")
    opened.write(lambda connection: connection.execute(text("CREATE TABLE t (n INTEGER UNIQUE)")))
    yield opened
    opened.close()


def insert(number: int) -> Work[int]:
    """A change that gives what it stored."""

    def work(connection: Connection) -> int:
        connection.execute(text("INSERT INTO t VALUES (:n)"), {"n": number})
        return number

    return work


def refusing(number: int) -> Work[int]:
    """A change that stores something, and then raises."""

    def work(connection: Connection) -> int:
        insert(number)(connection)
        raise RefusedError(number)

    return work


def stored(database: SQLiteDatabase) -> list[int]:
    """What is durable."""
    return database.read(lambda connection: list(connection.scalars(text("SELECT n FROM t ORDER BY n"))))


def driver(database: SQLiteDatabase) -> sqlite3.Connection:
    """The connection that writes."""
    found = database.connection.connection.driver_connection
    assert isinstance(found, sqlite3.Connection)
    return found


def together(database: SQLiteDatabase, works: list[Work[int]]) -> list[Future[int]]:
    """Have changes wait for one that takes as long as it needs for all of them to come."""
    begun, may_end = threading.Event(), threading.Event()

    def hold(connection: Connection) -> int:
        begun.set()
        assert may_end.wait(60)
        return 0

    with ThreadPoolExecutor(len(works) + 1) as pool:
        first = pool.submit(database.write, hold)
        assert begun.wait(60)
        others = [pool.submit(database.write, work) for work in works]
        while database.commits.waiting < len(works):
            threading.Event().wait(0.001)
        may_end.set()
    return [first, *others]


def test_who_waits_together_is_committed_together(database: SQLiteDatabase) -> None:
    statements: list[str] = []
    driver(database).set_trace_callback(statements.append)
    results = together(database, [insert(number) for number in range(20)])
    assert [result.result() for result in results] == [0, *range(20)]
    assert stored(database) == list(range(20))
    assert statements.count("COMMIT") == 2


def test_a_change_that_raises_takes_no_other_with_it(database: SQLiteDatabase) -> None:
    results = together(database, [insert(1), refusing(2), insert(1), insert(3), refusing(4), insert(5)])
    assert [result.exception() and type(result.exception()) for result in results] == [
        *(None, None, RefusedError, StoreError, None, RefusedError, None),
    ]
    assert stored(database) == [1, 3, 5]


def test_a_commit_that_fails_fails_all_of_it_and_nothing_after(database: SQLiteDatabase) -> None:
    orphan = text("INSERT INTO prepared_member VALUES ('k', 0, '', '', '', '', NULL)")
    deferred = text("PRAGMA defer_foreign_keys = ON")

    def break_commit(connection: Connection) -> int:
        connection.execute(deferred)
        connection.execute(orphan)
        return 0

    results = together(database, [insert(1), break_commit, insert(2)])
    assert results[0].result() == 0
    assert [type(result.exception()) for result in results[1:]] == [StoreError] * 3
    assert stored(database) == []
    assert database.write(insert(3)) == 3
    assert stored(database) == [3]


def test_a_full_disk_fails_the_commit_and_nothing_after(database: SQLiteDatabase) -> None:
    pages = database.connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    database.connection.rollback()

    def limit(count: int) -> None:
        driver(database).execute(f"PRAGMA max_page_count = {count}")

    def fill(connection: Connection) -> int:
        connection.execute(text("CREATE TABLE big AS SELECT randomblob(1000000)"))
        return 0

    limit(pages + 1)
    results = together(database, [insert(1), fill, insert(2)])
    assert isinstance(results[2].exception(), StoreError)
    outcomes = {number: results[place].exception() for number, place in ((1, 1), (2, 3))}
    limit(1_000_000)
    assert stored(database) == [number for number, error in outcomes.items() if error is None]
    assert database.write(insert(3)) == 3
    assert 3 in stored(database)


def test_readers_see_what_is_committed_and_cannot_write(database: SQLiteDatabase) -> None:
    def look(connection: Connection) -> int:
        insert(1)(connection)
        assert stored(database) == []
        return 1

    assert database.write(look) == 1
    assert stored(database) == [1]
    with pytest.raises(StoreError):
        database.read(insert(2))
    assert stored(database) == [1]
