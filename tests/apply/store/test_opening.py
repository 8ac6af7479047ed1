"""Which URLs are stores, what is made of them, and what is told where they cannot be opened."""

from __future__ import annotations

import os
import socket
import sqlite3
import stat
from pathlib import Path

import pytest

from kagent_apply.store.failures import StoreUnusableError
from kagent_apply.store.opening import open_store
from tests.apply.store.values import name, reserved
from tests.postgresql import PASSWORD, PostgreSQL

SECRET = "s3cr3t"

REFUSED = [
    "",
    "store.db",
    "sqlite://",
    "sqlite:///",
    "sqlite:///:memory:",
    "sqlite:///store.db?mode=memory",
    "sqlite:///a\0b",
    "sqlite:relative.db",
    f"mysql://ann:{SECRET}@db/kagent",
    f"postgresql+psycopg2://ann:{SECRET}@db/kagent",
    f"POSTGRESQL://ann:{SECRET}@db/kagent",
    f"postgresql://ann:x@{SECRET}@db/kagent",
    f"postgresql://ann:x@db:{SECRET}/kagent",
    f"postgresql://[{SECRET}",
    f"postgresql://ann:{SECRET}@\0/kagent",
    f"postgresql://ann:{SECRET}@db/kagent?no_such_option=1",
    f"postgresql://ann:{SECRET}@db.invalid/kagent?connect_timeout={SECRET}",
]


@pytest.mark.parametrize("url", REFUSED)
def test_what_is_no_url_of_a_store_is_refused_by_a_message_without_it(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreUnusableError) as refused:
        open_store(url)
    told = f"{refused.value.message} {refused.value.hint} {refused.value!r}"
    assert SECRET not in told
    assert not refused.value.message.endswith(".")
    assert refused.value.__cause__ is None
    assert not list(tmp_path.iterdir())


def mode(path: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_and_its_folder_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        store = open_store(f"sqlite:///{tmp_path}/new/folder/store.db")
        reserved(store)
        files = sorted((tmp_path / "new" / "folder").iterdir())
        assert [path.name for path in files] == ["store.db", "store.db-shm", "store.db-wal", "store.db.lock"]
        assert {mode(path) for path in files} == {0o600}
        assert mode(tmp_path / "new" / "folder") == 0o700
        store.close()
    finally:
        os.umask(before)


def test_a_path_is_relative_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_store("sqlite:///a b%20#.db").close()
    assert (tmp_path / "a b%20#.db").exists()


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    found = reserved(store)
    with sqlite3.connect(tmp_path / "store.db") as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert other.execute("SELECT id FROM instance").fetchall() == [(found.id,)]
    other.close()
    store.close()


@pytest.mark.parametrize("path", ["store.db", "./store.db", "link.db"])
def test_a_file_that_is_open_is_refused(tmp_path: Path, path: str) -> None:
    store = open_store(f"sqlite:///{tmp_path}/store.db")
    (tmp_path / "link.db").symlink_to("store.db")
    with pytest.raises(StoreUnusableError, match="another process has the store open"):
        open_store(f"sqlite:///{tmp_path}/{path}")
    found = reserved(store)
    store.close()
    store = open_store(f"sqlite:///{tmp_path}/{path}")
    assert store.instance(name(found)) is not None
    store.close()


def folder(path: Path) -> None:
    """Something else than a file."""
    path.mkdir()


def pipe(path: Path) -> None:
    """Something that who opens it waits for."""
    os.mkfifo(path)


def text(path: Path) -> None:
    """A file that is no database."""
    path.write_text(f"password: {SECRET}\n" * 100)


def damaged(path: Path) -> None:
    """A store of which the middle was overwritten."""
    store = open_store(f"sqlite:///{path}")
    reserved(store)
    store.close()
    data = bytearray(path.read_bytes())
    data[100 : len(data) // 2] = b"\xff" * (len(data) // 2 - 100)
    path.write_bytes(data)


@pytest.mark.parametrize("make", [folder, pipe, text, damaged])
def test_what_is_no_database_is_refused_and_left(tmp_path: Path, make: object) -> None:
    assert callable(make)
    path = tmp_path / "store.db"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    for _ in range(2):
        with pytest.raises(StoreUnusableError) as refused:
            open_store(f"sqlite:///{path}")
        assert SECRET not in str(refused.value)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnusableError, match="cannot be used"):
        open_store(f"sqlite:///{tmp_path}/file/store.db")


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(StoreUnusableError, match="cannot be reached") as refused:
            open_store(f"postgresql://ann:{SECRET}@127.0.0.1:{port}/kagent")
    assert SECRET not in f"{refused.value} {refused.value.hint}"


@pytest.mark.server
def test_a_store_does_not_show_its_password(postgresql_server: PostgreSQL) -> None:
    url = postgresql_server.fresh_database()
    store = open_store(url)
    assert PASSWORD in url
    assert PASSWORD not in repr(store)
    store.close()


@pytest.mark.server
def test_a_server_that_does_not_let_us_in_is_told(postgresql_server: PostgreSQL) -> None:
    for url in (postgresql_server.url(password=SECRET), postgresql_server.url("no_such_database")):
        with pytest.raises(StoreUnusableError, match="does not let this user in") as refused:
            open_store(url)
        assert SECRET not in f"{refused.value} {refused.value.hint}"
        assert refused.value.__cause__ is None
