import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_render.source.reader import GivenFiles, MemoryFiles, Reader, ReadError, StandardInput, Subfolder
from kagent_render.source.repository import open_repository
from kagent_render.source.worktree import WorkTree
from tests.source.git_repositories import commit_files, index_of, revision_of

FILES = {
    "kagent-render.yaml": b"config",
    "a/b/c.yaml": b"deep",
    "a/z.yaml": b"z",
    "a-b.yaml": b"dash sorts before slash",
    "A.yaml": b"capitals first",
    "é.yaml": b"non-ASCII last",
    "run.sh": b"#!/bin/sh\n",
    ".hidden/x.yaml": b"hidden folder",
    ".file.yaml": b"hidden file",
    ".kagent/artifacts/.claude/s.md": b"vendored",
    "rendered/out.yaml": b"output",
}
LISTED = [
    ".file.yaml",
    "A.yaml",
    "a-b.yaml",
    "a/b/c.yaml",
    "a/z.yaml",
    "kagent-render.yaml",
    "rendered/out.yaml",
]
LISTED += ["run.sh", "é.yaml"]


def in_memory(_: Path) -> Reader:
    return MemoryFiles(FILES, frozenset(["run.sh"]))


def in_subfolder(_: Path) -> Reader:
    files = {f"apps/one/{path}": data for path, data in FILES.items()} | {
        "other.yaml": b"",
        "apps/onetwo.yaml": b"",
    }
    return Subfolder(MemoryFiles(files, frozenset(["apps/one/run.sh"])), "apps/one")


def on_disk(folder: Path) -> Reader:
    for path, data in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    (folder / "run.sh").chmod(0o755)
    (folder / "link.yaml").symlink_to("a/z.yaml")
    (folder / "linked").symlink_to("a")
    (folder / "out").symlink_to("/")
    os.mkfifo(folder / "pipe.yaml")
    return WorkTree(folder)


def in_revision(folder: Path) -> Reader:
    return revision_of(folder, FILES, executable=["run.sh"], links={"link.yaml": "a/z.yaml", "linked": "a"})


def in_index(folder: Path) -> Reader:
    return index_of(folder, FILES, executable=["run.sh"], links={"link.yaml": "a/z.yaml", "linked": "a"})


READERS = [in_memory, in_subfolder, on_disk, in_revision, in_index]


@pytest.fixture(params=READERS, ids=lambda make: make.__name__)
def reader(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    make: Callable[[Path], Reader] = request.param
    return make(tmp_path)


def test_files_come_in_byte_order_without_hidden_folders_and_links(reader: Reader) -> None:
    listing = reader.files()
    assert list(listing.paths) == LISTED
    assert listing.unreadable == ()


def test_a_folder_can_be_left_out(reader: Reader) -> None:
    paths = reader.files(without=["rendered", "a/b"]).paths
    assert [path for path in LISTED if path not in ("rendered/out.yaml", "a/b/c.yaml")] == list(paths)


def test_a_folder_is_listed_alone_hidden_or_not(reader: Reader) -> None:
    assert reader.files("a").paths == ("a/b/c.yaml", "a/z.yaml")
    assert reader.files(".kagent/artifacts").paths == ()
    assert reader.files(".kagent/artifacts", hidden=True).paths == (".kagent/artifacts/.claude/s.md",)
    assert reader.files("absent").paths == ()
    assert reader.files("linked").paths == ()


def test_a_file_is_read_with_its_mode(reader: Reader) -> None:
    assert reader.read("a/b/c.yaml") == b"deep"
    assert reader.read(".kagent/artifacts/.claude/s.md") == b"vendored"
    assert reader.mode("a/b/c.yaml") == 0o644
    assert reader.mode("run.sh") == 0o755
    assert reader.exists("a/z.yaml")


@pytest.mark.parametrize(
    "path", ["absent", "a", "a/b", "a/z.yaml/x", "link.yaml", "linked/z.yaml", "pipe.yaml"]
)
def test_what_is_no_regular_file_is_not_there(reader: Reader, path: str) -> None:
    assert not reader.exists(path)
    assert reader.mode(path) is None
    with pytest.raises(ReadError):
        reader.read(path)


@pytest.mark.parametrize("path", ["../a", "a/../../x", "/etc/passwd", "a//z.yaml", "./a", "a/.", "a\0b"])
def test_a_path_never_leads_out_of_the_root(reader: Reader, path: str) -> None:
    with pytest.raises(ReadError):
        reader.read(path)
    with pytest.raises(ReadError):
        reader.files(path)


def test_a_file_larger_than_the_limit_is_not_read(reader: Reader) -> None:
    assert reader.read("a/b/c.yaml", limit=4) == b"deep"
    with pytest.raises(ReadError, match=r"`a/b/c.yaml` is larger than 3 bytes"):
        reader.read("a/b/c.yaml", limit=3)


def test_standard_input_is_the_one_source_and_the_rest_is_underneath() -> None:
    reader = StandardInput(MemoryFiles(FILES), b"typed")
    assert reader.files().paths == ("<stdin>",)
    assert reader.read("<stdin>") == b"typed"
    assert (reader.exists("<stdin>"), reader.mode("<stdin>")) == (True, 0o644)
    assert reader.read("kagent-render.yaml") == b"config"
    assert reader.files(".kagent", hidden=True).paths == (".kagent/artifacts/.claude/s.md",)
    assert reader.mode("absent") is None


def test_given_files_are_the_sources_and_stand_before_the_rest() -> None:
    given = {"items/1.yaml": b"one", "kagent-render.yaml": b"given"}
    reader = GivenFiles(MemoryFiles(FILES), given)
    assert reader.files().paths == ("items/1.yaml", "kagent-render.yaml")
    assert reader.read("kagent-render.yaml") == b"given"
    assert reader.read("a/b/c.yaml") == b"deep"
    with pytest.raises(ReadError, match="larger than 2 bytes"):
        reader.read("items/1.yaml", 2)


def test_a_scan_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = on_disk(tmp_path)
    scan = os.scandir

    def failing(path: str) -> object:
        if path.endswith("/a"):
            raise PermissionError(13, "Permission denied")
        if path.endswith("/rendered"):
            raise FileNotFoundError
        return scan(path)

    monkeypatch.setattr(os, "scandir", failing)
    listing = reader.files()
    assert [str(error) for error in listing.unreadable] == ["`a` cannot be read: permission denied"]
    assert "rendered/out.yaml" not in listing.paths


def test_a_file_that_changes_while_it_is_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = on_disk(tmp_path)
    status = os.fstat

    def shrunk(descriptor: int) -> os.stat_result:
        (tmp_path / "a/z.yaml").write_bytes(b"longer than before")
        found = status(descriptor)
        return os.stat_result((*found[:6], 1, *found[7:10]))

    monkeypatch.setattr(os, "fstat", shrunk)
    with pytest.raises(ReadError, match="changed while it was read"):
        reader.read("a/z.yaml")


def test_names_that_are_not_utf8_are_left_out(tmp_path: Path) -> None:
    reader = on_disk(tmp_path)
    os.close(os.open(os.fsencode(tmp_path) + b"/\xff.yaml", os.O_CREAT | os.O_WRONLY))
    assert list(reader.files().paths) == LISTED


def test_the_root_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    on_disk(tmp_path / "real")
    (tmp_path / "root").symlink_to("real")
    assert list(WorkTree(tmp_path / "root").files().paths) == LISTED


def test_a_repository_is_found_from_a_folder_below(tmp_path: Path) -> None:
    commit_files(tmp_path, {"a/b/c": b"x"})
    assert Path(open_repository(tmp_path / "a" / "b").path) == tmp_path.resolve()
