"""A file that cannot be merged holds markers with names, whatever its sides hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_render.merging.conflict import conflict_text
from kagent_render.merging.operation import Contents
from kagent_render.source.git_program import GitProgram


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        (b"a\nb\nc\n", b"a\nx\nc\n", b"a\ny\nc\n"),
        (
            b"a\nb\nc\nd\ne\nf\ng\n",
            b"x\nb\nc\nd\ne\nf\ng\n",
            b"a\nb\nc\nd\ne\nf\ny\n",
        ),  # lines could be merged
        (b"", b"x\n", b"y\n"),
        (b"", b"", b"y"),
        (b"a", b"x", b"y"),
        (b"a\0", b"x\0", b"y\0"),  # which Git takes for binary
    ],
)
def test_each_side_has_its_label(tmp_path: Path, base: bytes, ours: bytes, theirs: bytes) -> None:
    sides = Contents(base, ours, theirs)
    text = conflict_text(GitProgram(tmp_path), sides, "ours t/r/lead", "theirs t/r/lead")
    lines = text.splitlines()
    for marker in (b"<<<<<<< ours t/r/lead", b"=======", b">>>>>>> theirs t/r/lead"):
        assert lines.count(marker) >= 1
    assert lines.index(b"<<<<<<< ours t/r/lead") < lines.index(b"=======")


def test_a_label_cannot_leave_its_line(tmp_path: Path) -> None:
    text = conflict_text(
        GitProgram(tmp_path), Contents(b"a\n", b"x\n", b"y\n"), "o\n=======\n\x1b", "t" * 500
    )
    assert text.splitlines().count(b"=======") == 1
    assert b"\x1b" not in text
    assert max(map(len, text.splitlines())) < 200
