"""Folders are removed whatever agents made of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_apply.embedded.removal import remove_folder


def _deep(folder: Path) -> None:
    """Deeper than any recursion, and longer than any path."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("below", dir_fd=here)
        below = os.open("below", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT, dir_fd=here))
    os.close(here)


def _locked(folder: Path) -> None:
    (folder / "a/b/c").mkdir(parents=True)
    (folder / "a/b/c/file").touch()
    for path in ("a/b/c", "a/b", "a", "."):
        (folder / path).chmod(0)


def _linked(folder: Path) -> None:
    (folder / "out").symlink_to("../kept")
    (folder / "nowhere").symlink_to("missing")
    os.mkfifo(folder / "pipe")


def _nothing(_: Path) -> None:
    pass


@pytest.mark.parametrize("make", [_deep, _locked, _linked, _nothing])
def test_a_folder_goes_and_nothing_else(tmp_path: Path, make: Callable[[Path], None]) -> None:
    folder, kept = tmp_path / "folder", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir()
    (kept / "file").touch()
    make(folder)
    remove_folder(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (kept / "file").exists()


def test_of_a_link_to_a_folder_the_link_goes(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    remove_folder(tmp_path / "link")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_where_no_folder_is_there_is_nothing_to_do(tmp_path: Path) -> None:
    remove_folder(tmp_path / "missing")
    assert not list(tmp_path.iterdir())
