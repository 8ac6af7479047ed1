"""How values are kept alike in SQLite and PostgreSQL, and the clock of either."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import JSON, BigInteger, DateTime, Double, LargeBinary, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from kagent_apply.store.port import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Dialect
    from sqlalchemy.sql.compiler import SQLCompiler

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


class PlainText(TypeDecorator[str]):
    """Text that both databases hold and compare alike, by code point.

    A null character or half a surrogate pair is StoreError: PostgreSQL and UTF-8 have no place for these.
    """

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        """Text in the order of its bytes, whatever the database's locale."""
        return dialect.type_descriptor(Text(collation="C" if dialect.name == "postgresql" else None))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Refuse what cannot be stored."""
        if value is not None and _UNSTORABLE.search(value):
            raise StoreError("the store cannot hold a text with a null character or half a surrogate pair")
        return value


class UtcTime(TypeDecorator[datetime]):
    """A point in time, to the microsecond; ValueError for one without a time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """The same time in UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """The time in UTC; SQLite keeps no zone, and no other was stored."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


JSON_VALUE: Final = JSON(none_as_null=True)
"""JSON in ASCII, with escapes for what a database may have no place for."""

DIGEST: Final = LargeBinary()
COUNT: Final = BigInteger()
SECONDS: Final[Double[float]] = Double()
"""Seconds since 1970 of the database's clock."""


class Now(FunctionElement[float]):
    """The database's clock at the time of the statement, in seconds since 1970."""

    type = SECONDS
    inherit_cache = True
    name = "now"


@compiles(Now, "sqlite")
def _now_of_sqlite(element: Now, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(Now, "postgresql")
def _now_of_postgresql(element: Now, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"
