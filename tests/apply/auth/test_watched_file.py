"""Files that are read again when they change, and go on counting while a new one is broken."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from kagent_apply.auth.file_reading import MAX_BYTES, FileFault, FileFaultError
from kagent_apply.auth.watched_file import WatchedFile
from tests.apply.auth.files import Hand, Heard, put


def _number(path: str, data: bytes) -> int:
    try:
        return int(data)
    except ValueError:
        raise FileFaultError(FileFault(path, 1, "this is no number", "write one")) from None


def _watched(path: Path, hand: Hand, heard: Heard) -> WatchedFile[int]:
    return WatchedFile(str(path), _number, heard, hand, private=False)


def test_a_new_file_counts_a_second_later(tmp_path: Path) -> None:
    hand, path = Hand(), put(tmp_path / "n", "1")
    watched = _watched(path, hand, Heard())
    put(path, "2")
    assert watched.current() == 1
    hand.now += 1
    assert watched.current() == 2


def test_a_broken_file_is_told_once_and_the_old_one_counts(tmp_path: Path) -> None:
    hand, heard, path = Hand(), Heard(), put(tmp_path / "n", "1")
    watched = _watched(path, hand, heard)
    put(path, "one")
    for _ in range(3):
        hand.now += 1
        assert watched.current() == 1
    watched.reload()
    assert len(heard.lines) == 1
    assert heard.lines[0].startswith(
        f"the file as it was before goes on counting: {path}:1: this is no number"
    )
    assert "this is no number" in watched.problem
    put(path, "3")
    hand.now += 1
    assert watched.current() == 3
    assert watched.problem == ""


def test_a_file_that_is_gone_goes_on_counting(tmp_path: Path) -> None:
    hand, heard, path = Hand(), Heard(), put(tmp_path / "n", "1")
    watched = _watched(path, hand, heard)
    path.unlink()
    hand.now += 1
    assert watched.current() == 1
    assert "cannot be read: no such file" in watched.problem
    put(path, "2")
    hand.now += 1
    assert watched.current() == 2


def test_a_reload_neither_waits_for_the_second_nor_asks_whether_the_file_changed(tmp_path: Path) -> None:
    read: list[bytes] = []
    path = put(tmp_path / "n", "1")
    watched = WatchedFile(str(path), lambda _, data: read.append(data), Heard(), Hand(), private=False)
    watched.reload()
    assert read == [b"1", b"1"]


def test_a_link_that_is_turned_to_another_file_is_followed(tmp_path: Path) -> None:
    """As Kubernetes replaces the files of a mounted Secret."""
    hand = Hand()
    for name in ("1", "2"):
        (tmp_path / name).mkdir()
        put(tmp_path / name / "n", name)
    (tmp_path / "data").symlink_to("1")
    (tmp_path / "n").symlink_to("data/n")
    watched = _watched(tmp_path / "n", hand, Heard())
    (tmp_path / "next").symlink_to("2")
    (tmp_path / "next").replace(tmp_path / "data")
    hand.now += 1
    assert watched.current() == 2


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("none", "the file cannot be read"),
        ("folder", "this is no regular file"),
        ("pipe", "this is no regular file"),
        ("large", "the file is larger than 1 MiB"),
        ("open", "everybody may write the file"),
    ],
)
def test_what_is_no_file_to_trust_is_no_start(tmp_path: Path, kind: str, message: str) -> None:
    path = tmp_path / "n"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "large":
        path.write_bytes(b"1" * (MAX_BYTES + 1))
    elif kind == "open":
        put(path, "1", 0o666)
    with pytest.raises(FileFaultError, match=message):
        _watched(path, Hand(), Heard())


def test_nobody_waits_while_one_reads_the_new_file(tmp_path: Path) -> None:
    hand, path = Hand(), put(tmp_path / "n", "1")
    reading, go_on = threading.Event(), threading.Event()

    def slow(path: str, data: bytes) -> int:
        if data == b"2":
            reading.set()
            assert go_on.wait(10)
        return _number(path, data)

    watched = WatchedFile(str(path), slow, Heard(), hand, private=False)
    put(path, "2")
    hand.now += 1
    reader = threading.Thread(target=watched.current)
    reader.start()
    assert reading.wait(10)
    assert watched.current() == 1
    go_on.set()
    reader.join()
    assert watched.current() == 2
