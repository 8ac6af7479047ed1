"""The tree digest: fixed by names, modes and bytes, and by nothing else."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.tree_digest import tree_digest

PLAIN = {"a": PackageFile(b"text"), "b/c": PackageFile(b"#!", executable=True)}


def test_the_digest_is_over_one_line_for_each_file() -> None:
    text, program = hashlib.sha256(b"text").hexdigest(), hashlib.sha256(b"#!").hexdigest()
    lines = f"644 a\0004\0{text}\n755 b/c\0002\0{program}\n".encode()
    assert tree_digest(Package(PLAIN)) == f"sha256:{hashlib.sha256(lines).hexdigest()}"


def test_an_empty_package_has_the_digest_of_nothing() -> None:
    assert tree_digest(Package({})) == f"sha256:{hashlib.sha256(b'').hexdigest()}"


@pytest.mark.parametrize(
    "changed",
    [
        {**PLAIN, "a": PackageFile(b"texT")},
        {**PLAIN, "a": PackageFile(b"text", executable=True)},
        {"A": PLAIN["a"], "b/c": PLAIN["b/c"]},
        {"a": PLAIN["a"]},
        {**PLAIN, "d": PackageFile(b"")},
        {"b": PLAIN["a"], "a": PLAIN["b/c"]},
    ],
    ids=["bytes", "mode", "name", "missing", "extra", "swapped"],
)
def test_any_change_changes_the_digest(changed: dict[str, PackageFile]) -> None:
    assert tree_digest(Package(changed)) != tree_digest(Package(PLAIN))


@given(st.permutations(["a", "a/b", "a-b", "\u00e9", "\U0001f600", "\uffee"]))
def test_paths_are_in_byte_order_whatever_order_they_came_in(paths: list[str]) -> None:
    package = Package({path: PackageFile(b"") for path in paths})
    assert list(package.files) == sorted(paths, key=str.encode)


def test_a_selection_keeps_paths_and_takes_no_neighbours() -> None:
    names = ["plugin.json", "skills/a/x", "skills/a-b/x", "skills/ab", "skills/a0", "mcp.json"]
    package = Package({name: PackageFile(b"") for name in names})
    assert list(package.selection("plugin.json", "skills/a").files) == ["plugin.json", "skills/a/x"]
    assert package.children("skills") == ("a", "a-b")
    assert package.children("") == ("skills",)
