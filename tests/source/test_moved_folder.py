"""A folder that is read by the name that it will have."""

from __future__ import annotations

import pytest

from kagent_render.source.reader import MemoryFiles, MovedFolder, ReadError

_FILES = {"old/a": b"1", "old/b/c": b"2", "older/d": b"3", "x/old/e": b"4"}
_MOVED = MovedFolder(MemoryFiles(_FILES, frozenset({"old/a"})), ("old",), "new")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("new/a", b"1"),
        ("new/b/c", b"2"),
        ("older/d", b"3"),
        ("x/old/e", b"4"),
        ("newer/a", None),
        ("new", None),
    ],
)
def test_a_file_is_found_by_its_new_path(path: str, content: bytes | None) -> None:
    assert _MOVED.exists(path) is (content is not None)
    if content is not None:
        assert _MOVED.read(path) == content
    else:
        with pytest.raises(ReadError):
            _MOVED.read(path)


@pytest.mark.parametrize(
    ("folder", "paths"),
    [("new", ("new/a", "new/b/c")), ("new/b", ("new/b/c",)), ("older", ("older/d",)), ("nowhere", ())],
)
def test_a_folder_is_listed_by_its_new_path(folder: str, paths: tuple[str, ...]) -> None:
    assert _MOVED.files(folder).paths == paths


def test_modes_come_along() -> None:
    assert (_MOVED.mode("new/a"), _MOVED.mode("new/b/c"), _MOVED.mode("old/z")) == (0o755, 0o644, None)


def test_what_is_left_out_is_left_out_by_its_new_path() -> None:
    assert _MOVED.files("new", without=["new/b"]).paths == ("new/a",)


def test_of_several_folders_the_first_that_has_a_file_counts() -> None:
    moved = MovedFolder(MemoryFiles({"one/a": b"1", "two/a": b"2", "two/b": b"3"}), ("one", "two"), "new")
    assert moved.files("new").paths == ("new/a", "new/b")
    assert [moved.read(path) for path in ("new/a", "new/b")] == [b"1", b"3"]
