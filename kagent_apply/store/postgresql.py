"""A store in a PostgreSQL database, which several processes can share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from sqlalchemy import create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from kagent_apply.store.bounded_connection import bound
from kagent_apply.store.failures import StoreUnusableError, told_as_store_errors
from kagent_apply.store.migrations import migrate

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

    from kagent_apply.store.database import Work

T = TypeVar("T")

_POOL: Final = 16
"""Connections of one process at most; more threads than these wait for one."""

_CONNECT: Final = {
    "connect_timeout": "5",
    "keepalives": "1",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
    "application_name": "kagent-apply",
}
"""Given to libpq unless the URL says otherwise; a server that is gone is noticed within half a minute."""

_SETTINGS: Final = {
    "statement_timeout": "10s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "30s",
    "timezone": "UTC",
}
"""What the server is asked to hold statements to."""

_ANSWER: Final = 15.0
_MIGRATION_ANSWER: Final = 75.0
"""Seconds that an answer is waited for: longer than the server lets a statement take, which says more."""

_MIGRATION_LOCK: Final = 0x6B61_6765_6E74
"""The advisory lock of whoever changes the tables; the number says `kagent`."""


_WRITE: Final = (
    "write `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`, what is special in a part with `%` and its code"
)


@dataclass(frozen=True, slots=True)
class PostgreSQLDatabase:
    """Implements `Database`."""

    engine: Engine
    single: Engine
    """The same connections, each statement of which is a transaction by itself."""

    def read(self, work: Work[T]) -> T:
        """Read without a transaction."""
        with told_as_store_errors(changing=False), self.single.connect() as connection:
            return work(connection)

    def write(self, work: Work[T]) -> T:
        """Write in a transaction."""
        with told_as_store_errors(changing=True), self.engine.begin() as connection:
            return work(connection)

    def write_one(self, work: Work[T]) -> T:
        """Write by one statement, which needs no other to begin or commit it."""
        with told_as_store_errors(changing=True), self.single.connect() as connection:
            return work(connection)

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()


def read_url(url: str) -> URL:
    """The parts of a `postgresql://` URL; StoreUnusableError for one that can be read in two ways."""
    try:
        read = make_url(url)
    except (ArgumentError, ValueError):
        raise StoreUnusableError("the URL of the store cannot be read", _WRITE) from None
    if url.partition("?")[0].count("@") > 1:
        raise StoreUnusableError("the URL of the store has an `@` that is not encoded", _WRITE)
    return read


def open_postgresql(url: URL) -> PostgreSQLDatabase:
    """Connect to a database and bring its tables up to date; raises StoreUnusableError."""
    migrating = _engine(url, _MIGRATION_ANSWER)
    try:
        with migrating.begin() as connection:
            _migrate_alone(connection)
    except SQLAlchemyError as error:
        raise StoreUnusableError(
            f"the PostgreSQL server of the store {_complaint(error)}",
            "see that it runs, and that host, port, database, user and password of the store are right",
        ) from None
    finally:
        migrating.dispose()
    engine = _engine(url, _ANSWER)
    return PostgreSQLDatabase(engine, engine.execution_options(isolation_level="AUTOCOMMIT"))


def _engine(url: URL, answer: float) -> Engine:
    options = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
    given = url.query.get("options", "")
    arguments = {name: value for name, value in _CONNECT.items() if name not in url.query}
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        connect_args={**arguments, "options": f"{options} {given}".strip()},
        hide_parameters=True,
        isolation_level="READ COMMITTED",  # a statement after a lock sees what others did before it
        max_overflow=0,
        pool_pre_ping=True,
        pool_size=_POOL,
        pool_timeout=10,
    )
    return bound(engine, answer)


def _migrate_alone(connection: Connection) -> None:
    """Change the tables while no other process does; the lock ends with the transaction."""
    connection.execute(text("SET LOCAL statement_timeout = '60s'"))
    connection.execute(text("SET LOCAL lock_timeout = '60s'"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATION_LOCK})
    migrate(connection)


def _complaint(error: SQLAlchemyError) -> str:
    """What PostgreSQL says by its code; its own words may quote parts of a URL."""
    code = getattr(error.orig, "sqlstate", None) if isinstance(error, DBAPIError) else None
    return f"refuses with SQLSTATE `{code}`" if code else "cannot be reached or does not let this user in"
