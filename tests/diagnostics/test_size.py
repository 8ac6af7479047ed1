"""Sizes for people."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.size import size_text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (1023, "1,023 bytes"),
        (1024, "1.0 KiB"),
        (3 << 19, "1.5 MiB"),
        (5 << 30, "5.0 GiB"),
        (2 << 40, "2,048.0 GiB"),
    ],
)
def test_a_size_is_told_in_the_largest_unit_that_it_fills(size: int, text: str) -> None:
    assert size_text(size) == text
