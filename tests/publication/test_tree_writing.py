"""Trees that differ from another one in some files, held against what Git makes of the same files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from dulwich.objects import Commit, ObjectID
from dulwich.repo import Repo

from kagent_render.emit.folder import Entry, EntryKind, OutputBlockedError, OutputError
from kagent_render.publication.tree_folder import TreeFolder
from kagent_render.publication.tree_writing import write_tree
from tests.source.git_repositories import commit_files, git, stage_files

_FILES = {"a/b/one": b"1", "a/b/two": b"2", "a/b.txt": b"3", "z": b"4"}


@pytest.fixture
def repository(tmp_path: Path) -> Repo:
    commit_files(tmp_path, _FILES, executable=["z"], links={"a/link": "b"})
    return Repo(str(tmp_path))


def _base(repository: Repo) -> ObjectID:
    found = repository[repository.head()]
    assert isinstance(found, Commit)
    return ObjectID(found.tree)


def _listed(repository: Repo, tree: ObjectID) -> dict[str, str]:
    """Mode and kind of each file by its path, as Git reads the tree."""
    lines = git(Path(repository.path), "ls-tree", "-r", tree.decode()).splitlines()
    halves = (line.partition("\t") for line in lines)
    return {path: " ".join(kind.split()[:2]) for kind, _, path in halves}


@pytest.mark.parametrize(
    ("changes", "gone", "new"),
    [
        ({}, [], []),
        ({"a/b/one": b"new"}, [], []),
        ({"a/b/one": None}, ["a/b/one"], []),
        ({"a/b/one": None, "a/b/two": None}, ["a/b/one", "a/b/two"], []),
        ({"a/c/d/e": b"x", "q": b"y"}, [], ["a/c/d/e", "q"]),
        ({"nowhere/at/all": None}, [], []),
        ({"a/b.d/x": b"sorted between"}, [], ["a/b.d/x"]),
    ],
)
def test_a_tree_has_what_it_had_and_the_changes(
    repository: Repo, changes: dict[str, bytes | None], gone: list[str], new: list[str]
) -> None:
    before = _listed(repository, _base(repository))
    tree = write_tree(repository, _base(repository), changes)
    expected = {path: kind for path, kind in before.items() if path not in gone}
    assert _listed(repository, tree) == expected | dict.fromkeys(new, "100644 blob")
    assert git(Path(repository.path), "fsck", "--strict", "--no-dangling") == ""


def test_the_tree_is_the_one_that_git_makes(repository: Repo, tmp_path: Path) -> None:
    tree = write_tree(repository, _base(repository), {"a/c": b"new", "a/b/two": None})
    (tmp_path / "a" / "b" / "two").unlink()
    stage_files(tmp_path, {"a/c": b"new"})
    assert tree.decode() == git(tmp_path, "write-tree")


def test_a_tree_is_made_out_of_nothing(repository: Repo) -> None:
    assert _listed(repository, write_tree(repository, None, {"a/b": b"x"})) == {"a/b": "100644 blob"}
    assert _listed(repository, write_tree(repository, None, {})) == {}


@pytest.mark.parametrize(
    ("path", "blocking"),
    [("z/below", "z"), ("a/link", "a/link"), ("a/link/below", "a/link"), ("a/b", "a/b")],
)
def test_nothing_that_stands_in_the_way_is_replaced(repository: Repo, path: str, blocking: str) -> None:
    with pytest.raises(OutputBlockedError, match=f"`{blocking}`"):
        write_tree(repository, _base(repository), {path: b"x"})


def test_a_folder_of_a_tree_lists_what_is_no_file_as_other(repository: Repo) -> None:
    assert TreeFolder(repository, _base(repository), "a").entries() == [
        Entry("b.txt"),
        Entry("b/one"),
        Entry("b/two"),
        Entry("link", EntryKind.OTHER),
    ]
    assert TreeFolder(repository, _base(repository), "a/b", deepest=1).entries() == [
        Entry("one"),
        Entry("two"),
    ]
    assert TreeFolder(repository, _base(repository), "missing/at/all").entries() == []
    assert TreeFolder(repository, None, "a").entries() == []


@pytest.mark.parametrize("folder", ["z", "z/below", "a/link"])
def test_a_file_or_link_in_the_place_of_a_folder_is_told(repository: Repo, folder: str) -> None:
    with pytest.raises(OutputBlockedError, match="is no folder on the branch"):
        TreeFolder(repository, _base(repository), folder)


def test_an_object_that_a_killed_run_left_half_written_hinders_nobody(
    repository: Repo, tmp_path: Path
) -> None:
    tree = write_tree(repository, None, {"fresh": b"fresh"})
    blob = git(tmp_path, "rev-parse", f"{tree.decode()}:fresh")
    path = tmp_path / ".git" / "objects" / blob[:2] / blob[2:]
    path.unlink()
    path.with_name(f"{path.name}.lock").write_bytes(b"")
    path.with_name("tmp_obj_left").write_bytes(b"half")
    assert write_tree(repository, None, {"fresh": b"fresh"}) == tree
    assert git(tmp_path, "cat-file", "blob", blob) == "fresh"


@pytest.mark.parametrize("shared", ["false", "group"])
def test_objects_are_for_whom_the_repository_is(tmp_path: Path, shared: str) -> None:
    git(tmp_path, "init", "--quiet", "--template=", f"--shared={shared}", ".")
    before = os.umask(0o077)
    try:
        tree = write_tree(Repo(str(tmp_path)), None, {"fresh": b"fresh"}).decode()
    finally:
        os.umask(before)
    folder = tmp_path / ".git" / "objects" / tree[:2]
    modes = [oct(path.stat().st_mode & 0o7777) for path in (folder, folder / tree[2:])]
    assert modes == (["0o2770", "0o440"] if shared == "group" else ["0o700", "0o400"])


def test_a_store_that_cannot_be_written_is_told(repository: Repo, tmp_path: Path) -> None:
    objects = tmp_path / ".git" / "objects"
    for path in objects.iterdir():
        path.rename(tmp_path / path.name)
    objects.rmdir()
    objects.write_bytes(b"")
    with pytest.raises(OutputError, match="object store"):
        write_tree(repository, None, {"fresh": b"fresh"})
