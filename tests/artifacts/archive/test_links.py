"""Links that stay inside become their targets' bytes, and are remembered for where these really are."""

from __future__ import annotations

import stat

import pytest

from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.package import Package
from tests.artifacts.archive.archives import ZipEntry, tar_entry, tar_of, zip_of

Members = list[tuple[str, str]]


def package_of(members: Members, kind: str) -> Package:
    """A package of files and, with `-> ` before the target, symbolic links."""
    if kind == "zip":
        entries = []
        for name, text in members:
            link = text.startswith("-> ")
            mode = stat.S_IFLNK | 0o777 if link else stat.S_IFREG | 0o644
            entries.append(ZipEntry(name.encode(), text.removeprefix("-> ").encode(), mode=mode))
        return read_archive(zip_of(*entries), "a.zip")
    blocks = [
        tar_entry(name.encode(), kind=b"2", link=text[3:].encode())
        if text.startswith("-> ")
        else tar_entry(name.encode(), text.encode())
        for name, text in members
    ]
    return read_archive(tar_of(*blocks), "a.tar")


CASES: list[tuple[str, Members, dict[str, str]]] = [
    ("file", [("a", "1"), ("l", "-> a")], {"a": "1", "l": "1"}),
    ("before-its-target", [("l", "-> d/a"), ("d/a", "1")], {"d/a": "1", "l": "1"}),
    ("upwards", [("a", "1"), ("d/e/l", "-> ../../a")], {"a": "1", "d/e/l": "1"}),
    ("chain", [("a", "1"), ("l", "-> m"), ("m", "-> ./a")], {"a": "1", "l": "1", "m": "1"}),
    ("directory", [("d/a", "1"), ("d/e/b", "2"), ("l", "-> d")],
     {"d/a": "1", "d/e/b": "2", "l/a": "1", "l/e/b": "2"}),
    ("through-a-directory", [("d/a", "1"), ("e", "-> d"), ("l", "-> e/a")],
     {"d/a": "1", "e/a": "1", "l": "1"}),
    ("dots-after-a-link", [("d/e/a", "1"), ("d/b", "2"), ("k", "-> d/e"), ("l", "-> k/../b")],
     {"d/b": "2", "d/e/a": "1", "k/a": "1", "l": "2"}),
    ("neighbours", [("d/a", "1"), ("e/l", "-> ../d"), ("e/b", "2")], {"d/a": "1", "e/b": "2", "e/l/a": "1"}),
    ("normalized", [("\u00e9", "1"), ("l", "-> e\u0301")], {"\u00e9": "1", "l": "1"}),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize(("members", "files"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_link_inside_is_its_targets_bytes(kind: str, members: Members, files: dict[str, str]) -> None:
    package = package_of(members, kind)
    assert {path: file.data.decode() for path, file in package.files.items()} == files
    assert list(package.files) == sorted(files)


def test_a_link_to_a_program_is_executable() -> None:
    archive = tar_of(tar_entry(b"a", mode=0o755), tar_entry(b"l", kind=b"2", link=b"a", mode=0o777))
    assert read_archive(archive, "a.tar").files["l"].executable


def test_a_hard_link_is_a_second_name_of_an_earlier_file() -> None:
    archive = tar_of(tar_entry(b"d/a", b"1", mode=0o755), tar_entry(b"l", kind=b"1", link=b"./d/a"))
    package = read_archive(archive, "a.tar")
    assert package.files["l"] == package.files["d/a"]
    assert package.links == {}


MONOREPO: Members = [
    ("shared/notes.md", "shared"),
    ("plugins/a/plugin.json", "{}"),
    ("plugins/a/common/x.md", "x"),
    ("plugins/a/skills/s/x.md", "-> ../../common/x.md"),
    ("plugins/a/skills/s/notes.md", "-> ../../../../shared/notes.md"),
    ("plugins/a/more", "-> ../../shared"),
    ("current", "-> plugins/a"),
]


@pytest.mark.parametrize("path", ["plugins/a", "current", "/plugins/a/"])
def test_a_subtree_leaves_out_what_is_really_outside_of_it(path: str) -> None:
    subtree = package_of(MONOREPO, "tar").subtree(path)
    assert list(subtree.files) == ["common/x.md", "plugin.json", "skills/s/x.md"]
    assert subtree.outside == ("more/notes.md", "skills/s/notes.md")
    assert subtree.links == {"skills/s/x.md": "common/x.md"}


def test_a_subtree_of_a_subtree_has_a_narrower_root() -> None:
    skill = package_of(MONOREPO, "tar").subtree("plugins/a").subtree("skills/s")
    assert list(skill.files) == []
    assert skill.outside == ("notes.md", "x.md")


def test_a_subtree_that_does_not_exist_is_empty() -> None:
    package = package_of(MONOREPO, "tar")
    assert package.subtree("plugins/b").files == {}
    assert package.subtree("plugins/a/plugin.json").files == {}
    assert package.subtree("").files == package.files
