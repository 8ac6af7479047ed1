"""The steps of the tables lead to what the program uses, once, and never back."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, create_engine, inspect, text
from sqlalchemy.types import TypeEngine

from kagent_apply.store.failures import StoreUnusableError
from kagent_apply.store.opening import open_store
from kagent_apply.store.tables import METADATA
from tests.apply.store.values import name, reserved
from tests.postgresql import PostgreSQL


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """A connection beside the store's."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def test_the_steps_lead_to_the_tables_that_the_program_uses(url: str) -> None:
    open_store(url).close()
    with connected(url) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, METADATA) == []
        found = inspect(connection)
        for table in METADATA.tables.values():
            assert {column.name: kind(column.type, connection) for column in table.columns} == {
                column["name"]: kind(column["type"], connection) for column in found.get_columns(table.name)
            }
            indexes = {index["name"] for index in found.get_indexes(table.name)}
            assert {index.name for index in table.indexes} <= indexes
            keys = {key["name"]: key["options"] for key in found.get_foreign_keys(table.name)}
            assert {key.name: (key.ondelete, key.initially) for key in table.foreign_key_constraints} == {
                name: (found.get("ondelete"), found.get("initially")) for name, found in keys.items()
            }


def kind(column: TypeEngine[Any], connection: Connection) -> str:
    """A type as the database writes it; SQLAlchemy names text in two ways, which are one here."""
    return column.compile(connection.dialect).replace("VARCHAR", "TEXT")


def test_tables_of_a_newer_program_are_refused_and_left(url: str) -> None:
    store = open_store(url)
    found = reserved(store)
    store.close()
    with connected(url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnusableError, match="newer version"):
        open_store(url)
    with connected(url) as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == "9999"
        assert connection.scalar(text("SELECT id FROM instance")) == found.id


def test_a_step_that_fails_leaves_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with connected(url) as connection:
        connection.execute(text("CREATE TABLE share (mine TEXT)"))
    with pytest.raises(StoreUnusableError):
        open_store(url)
    with connected(url) as connection:
        assert inspect(connection).get_table_names() == ["share"]


@pytest.mark.server
def test_programs_that_start_at_once_take_the_steps_once(postgresql_server: PostgreSQL) -> None:
    url = postgresql_server.fresh_database()
    with ThreadPoolExecutor(6) as pool:
        stores = list(pool.map(lambda _: open_store(url), range(6)))
    found = reserved(stores[0])
    assert all(store.instance(name(found)) for store in stores)
    for store in stores:
        store.close()
