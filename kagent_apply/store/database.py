"""What the store asks of a database: transactions, one after the other or side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")
Work = Callable[["Connection"], T]
"""Statements of one transaction, and what comes of them; it neither commits nor takes back."""


class Database(Protocol):
    """Transactions of one database, from several threads at once; each method raises StoreError."""

    def read(self, work: Work[T]) -> T:
        """Do statements that change nothing, each of which sees what is committed when it begins."""
        ...

    def write(self, work: Work[T]) -> T:
        """Do statements that hold together, durable when this returns; where one raises, none was done."""
        ...

    def write_one(self, work: Work[T]) -> T:
        """Do one statement, durable when this returns."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
