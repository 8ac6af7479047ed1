"""One suite for both databases."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kagent_apply.store.opening import open_store
from kagent_apply.store.port import Store

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.server)]


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the tables, to copy: making them takes longer than most tests."""
    path = tmp_path_factory.mktemp("empty") / "store.db"
    open_store(f"sqlite:///{path}").close()
    return path


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path, empty_file: Path) -> str:
    """Where nothing is stored yet."""
    if request.param == "sqlite":
        shutil.copy(empty_file, tmp_path / "store.db")
        return f"sqlite:///{tmp_path / 'store.db'}"
    return str(request.getfixturevalue("postgresql_server").fresh_database())


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """A store that is empty."""
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.fixture
def another(url: str, store: Store) -> Iterator[Callable[[], Store]]:
    """Gives another store over the same database, which SQLite has no second of: there it is the same one."""
    opened: list[Store] = []

    def open_another() -> Store:
        if url.startswith("sqlite"):
            return store
        opened.append(open_store(url))
        return opened[-1]

    yield open_another
    for one in opened:
        one.close()
