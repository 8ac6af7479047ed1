"""A store by its URL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_apply.store.failures import StoreUnusableError

if TYPE_CHECKING:
    from kagent_apply.store.sql_store import SqlStore

_SQLITE: Final = "sqlite:///"
_POSTGRESQL: Final = "postgresql://"
_HINT: Final = (
    "give `sqlite:///PATH`, with four slashes for an absolute path, or `postgresql://USER@HOST/DATABASE`"
)


def open_store(url: str) -> SqlStore:
    """The store of `sqlite:///PATH` or `postgresql://…`, with its tables brought up to date.

    Raises StoreUnusableError, which never shows a part of the URL.
    """
    from kagent_apply.store.sql_store import SqlStore  # SQLAlchemy and its drivers take long to load

    if url.startswith(_SQLITE):
        from kagent_apply.store.sqlite import open_sqlite

        return SqlStore(open_sqlite(_path(url)))
    if url.startswith(_POSTGRESQL):
        from kagent_apply.store.postgresql import open_postgresql, read_url

        return SqlStore(open_postgresql(read_url(url)))
    raise StoreUnusableError("the URL of the store has a scheme that is not known", _HINT)


def _path(url: str) -> Path:
    path = url.removeprefix(_SQLITE)
    if not path or path.startswith(":") or "?" in path or "\0" in path:
        raise StoreUnusableError("the URL of the store does not name a file", _HINT)
    return Path(path)
