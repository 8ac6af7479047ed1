"""Rows that may be there already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Column, Connection, Table


class NewRows:
    """An INSERT that does nothing where a row with the same `unique` column is there, or about to be.

    `computed` has what the database computes.
    """

    def __init__(
        self, table: Table, unique: Column[bytes], computed: Mapping[str, Any] | None = None
    ) -> None:
        values = dict(computed or {})
        of_postgresql = postgresql.insert(table).on_conflict_do_nothing(index_elements=[unique])
        of_sqlite = sqlite.insert(table).on_conflict_do_nothing(index_elements=[unique])
        self._statements = {
            "postgresql": (of_postgresql.values(values) if values else of_postgresql).returning(unique),
            "sqlite": (of_sqlite.values(values) if values else of_sqlite).returning(unique),
        }

    def execute(self, connection: Connection, values: dict[str, Any]) -> bool:
        """Insert one row; False where one was there."""
        return connection.execute(self._statements[connection.dialect.name], values).first() is not None
