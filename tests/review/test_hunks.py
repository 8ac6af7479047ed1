"""Hunks are those of `diff -u`, whatever the texts are, and never take long."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.review.change import Kind
from kagent_render.review.hunks import unified
from kagent_render.review.skill_files import LARGEST_TEXT, compare_files

_RANGE = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_TEXTS = st.lists(st.sampled_from(["a", "b", "", "@@ -1 +1 @@", "-x", "+y"]), max_size=30).map("\n".join)


def applied(before: str, hunks: tuple[str, ...]) -> str:
    """What a text is after its hunks, which have to fit."""
    old = before.split("\n") if before else []
    new: list[str] = []
    at = taken = 0
    wanted = (0, 0)
    for line in hunks:
        head = _RANGE.fullmatch(line) if wanted == (0, 0) else None
        if head is not None:
            length = int(head[2] or 1)
            start = int(head[1]) - (1 if length else 0)
            new += old[at:start]
            at, wanted = start, (length, int(head[4] or 1))
            assert len(new) == int(head[3]) - (1 if wanted[1] else 0)
            continue
        sign, text = line[0], line[1:]
        if sign in " -":
            assert old[at] == text
            at += 1
            wanted = wanted[0] - 1, wanted[1]
        if sign in " +":
            new.append(text)
            wanted = wanted[0], wanted[1] - 1
        taken += 1
    assert wanted == (0, 0)
    return "\n".join(new + old[at:])


@settings(max_examples=60, deadline=None)
@given(_TEXTS, _TEXTS)
def test_hunks_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    hunks = unified(before, after)
    assert applied(before, hunks) == after
    assert bool(hunks) == (before != after)


@pytest.mark.parametrize(
    ("before", "after", "hunks"),
    [
        ("a\nb\nc", "a\nB\nc", ("@@ -1,3 +1,3 @@", " a", "-b", "+B", " c")),
        ("", "a", ("@@ -0,0 +1 @@", "+a")),
        ("a", "", ("@@ -1 +0,0 @@", "-a")),
        ("a", "a\n", ("@@ -1 +1,2 @@", " a", "+")),
        ("a\nb\n", "a\nc\n", ("@@ -1,2 +1,2 @@", " a", "-b", "+c")),
        ("a\n", "a\n\n", ("@@ -1 +1,2 @@", " a", "+")),
    ],
)
def test_a_hunk_is_written_as_diff_writes_it(before: str, after: str, hunks: tuple[str, ...]) -> None:
    assert unified(before, after) == hunks


def test_far_edits_are_hunks_of_their_own() -> None:
    lines = [str(number) for number in range(40)]
    after = ["x", *lines[1:-1], "y"]
    hunks = unified("\n".join(lines), "\n".join(after))
    assert [line for line in hunks if line.startswith("@@")] == ["@@ -1,4 +1,4 @@", "@@ -37,4 +37,4 @@"]


@pytest.mark.parametrize("count", [20, 2_000])
def test_of_a_long_text_only_what_changes_is_shown(count: int) -> None:
    before = [f"version: 1\nname: {n}\nincluded: yes\n" + "word\n" * 9 for n in range(count)]
    after = [text.replace("1", "2", 1).replace("included: yes\n", "") for text in before]
    hunks = unified("---\n".join(before), "---\n".join(after))
    assert sum(line.startswith("-") for line in hunks) == 2 * count
    assert sum(line.startswith("+") for line in hunks) == count


def test_lines_that_long_texts_share_in_another_order_are_no_obstacle() -> None:
    lines = [str(number) for number in range(300)]
    before, after = "\n".join(lines), "\n".join([*lines[200:], "x", *lines[:200]])
    hunks = unified(before, after)
    assert applied(before, hunks) == after
    assert sum(line.startswith("-") for line in hunks) == 100


def test_no_text_makes_it_slow() -> None:
    started = time.perf_counter()
    unified("\n".join(map(str, range(50_000))), "\n".join(map(str, range(50_000, 0, -1))))
    unified("\n".join(["a", "b"] * 100_000), "\n".join(["b", "a", "c"] * 100_000))
    unified("\n".join(["a"] * 999), "\n".join(["b", "a"] * 500))
    assert time.perf_counter() - started < 5


def package(**files: bytes) -> Package:
    return Package({name: PackageFile(data) for name, data in files.items()})


def test_files_of_a_skill_are_compared_one_by_one() -> None:
    before = package(same=b"x", gone=b"x\n", text=b"a\nb\n", binary=b"\0a")
    after = package(same=b"x", new=b"y\n", text=b"a\nc\n", binary=b"\0b")
    found = {patch.path: patch for patch in compare_files(before, after)}
    assert {path: patch.kind for path, patch in found.items()} == {
        "binary": Kind.CHANGED,
        "gone": Kind.REMOVED,
        "new": Kind.ADDED,
        "text": Kind.CHANGED,
    }
    assert "-b" in found["text"].lines
    assert found["binary"].lines == ()
    assert "before: 2 bytes, sha256:" in found["binary"].note


def test_a_long_file_and_a_mode_are_told_without_lines() -> None:
    large = Package({"a": PackageFile(b"x" * (LARGEST_TEXT + 1))})
    program = Package({"a": PackageFile(b"x", executable=True)})
    (patch,) = compare_files(large, program)
    assert patch.lines == ()
    assert patch.note.startswith("can be executed; before: 256.0 KiB")
