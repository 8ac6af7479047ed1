from __future__ import annotations

import pytest

from kagent_render.diagnostics.difference import first_difference


@pytest.mark.parametrize(
    ("wanted", "found", "line"),
    [
        pytest.param(b"a\nb\n", b"c\nb\n", 1, id="the first line"),
        pytest.param(b"a\nb\n", b"a\nc\n", 2, id="the last line"),
        pytest.param(b"a\nb\n", b"a\n", 2, id="a line less"),
        pytest.param(b"a\n", b"a\nb\n", 2, id="a line more"),
        pytest.param(b"a\n", b"a", 1, id="no line end"),
        pytest.param(b"a\nb\n", b"a\r\nb\r\n", 1, id="other line ends"),
        pytest.param(b"a\n", b"", 1, id="an empty file"),
    ],
)
def test_the_first_difference_is_a_line_from_1(wanted: bytes, found: bytes, line: int) -> None:
    assert first_difference(wanted, found) == line
