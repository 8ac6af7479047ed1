"""A page is as much work among many instances as among few, whatever is asked for."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import psycopg
import pytest
from sqlalchemy import Connection

from kagent_apply.instances.requests import Page
from kagent_apply.store.keys import matching_keys
from kagent_apply.store.listing import list_instances, page_statement, page_values, short_first
from kagent_apply.store.postgresql import open_postgresql, read_url
from kagent_apply.store.sqlite import SQLiteDatabase, open_sqlite
from tests.apply.store.crowd import fill, middle
from tests.postgresql import PostgreSQL

LABELS: list[dict[str, str]] = [
    {},
    {"team": "payments"},
    {"name": "rare"},
    {"team": "payments", "tier": "gold"},
    {"team": "payments", "tier": "gold", "name": "rare"},
    {"team": "nobody"},
    {"team": "payments", "tier": "none"},
]
ASKED = list(itertools.product((None, "ann"), LABELS, (True, False)))
LIMIT = 50


def steps(database: SQLiteDatabase, count: int) -> list[int]:
    """How many steps SQLite's machine takes for each question, which no other program has a part in."""
    database.write(lambda connection: fill(connection, count))

    def work(connection: Connection) -> list[int]:
        driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        found = []
        for creator, labels, halfway in ASKED:
            taken = itertools.count()
            driver.set_progress_handler(lambda: next(taken) and 0, 1)  # noqa: B023
            page = Page(LIMIT, middle(count) if halfway else "")
            list_instances(connection, "payments", creator, labels, page)
            driver.set_progress_handler(None, 1)
            found.append(next(taken))
        return found

    return database.read(work)


@pytest.mark.process
def test_a_page_of_sqlite_takes_as_many_steps_among_many(tmp_path: Path) -> None:
    few, many = open_sqlite(tmp_path / "few.db"), open_sqlite(tmp_path / "many.db")
    for asked, less, more in zip(ASKED, steps(few, 3000), steps(many, 9000), strict=True):
        assert more < 1.3 * less + 200, asked
    few.close()
    many.close()


def visited(plan: dict[str, Any]) -> float:
    """How many rows a plan's scans looked at, those included that were not wanted."""
    own = 0.0
    if "Scan" in plan["Node Type"]:
        own = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return own + sum(visited(part) for part in plan.get("Plans", ()))


def explained(connection: Connection, creator: str | None, labels: Mapping[str, str], page: Page) -> float:
    """How many rows PostgreSQL looks at for a page."""
    keys = short_first(connection, matching_keys("payments", creator, labels), page.after)
    statement = page_statement(len(keys)).compile(
        dialect=connection.dialect, compile_kwargs={"render_postcompile": True}
    )
    values = statement.construct_params(page_values(keys, page))
    return visited(
        connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", values).scalar_one()[0][
            "Plan"
        ]
    )


@pytest.mark.server
@pytest.mark.parametrize("analyzed", [False, True])
def test_a_page_of_postgresql_looks_at_few_rows_among_many(
    postgresql_server: PostgreSQL, analyzed: bool
) -> None:
    url = postgresql_server.fresh_database()
    database = open_postgresql(read_url(url))
    database.write(lambda connection: fill(connection, 9000))
    if analyzed:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ANALYZE")

    def check(connection: Connection) -> None:
        for creator, labels, halfway in ASKED:
            page = Page(LIMIT, middle(9000) if halfway else "")
            assert explained(connection, creator, labels, page) < 10 * LIMIT, (creator, labels, halfway)

    database.read(check)
    database.close()
