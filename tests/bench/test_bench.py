"""The measurements run; how long anything takes is not looked at here."""

from __future__ import annotations

import itertools

import pytest

from bench.__main__ import main
from bench.alternation import alternate
from bench.rows import ROWS

pytestmark = pytest.mark.process


@pytest.mark.parametrize("row", ROWS)
def test_a_row_measures_and_prints_its_ratio(row: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([row, "--templates", "2", "--factor", "2", "--rounds", "1", "--plugins", "2"])
    lines = capsys.readouterr().out.splitlines()[2:]
    assert lines
    assert all(line.split("(")[0].rstrip().endswith(("kept", "MISSED")) for line in lines)


def test_a_row_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["speed"])
    assert "no row `speed`" in capsys.readouterr().err


def test_the_ratio_is_the_median_of_neighbours_and_leaves_the_first_round_out() -> None:
    ours, other = iter([100.0, 1.0, 4.0, 9.0]), itertools.chain([1.0, 1.0, 2.0, 3.0])
    ratio = alternate(lambda: next(ours), lambda: next(other), 3)
    assert (ratio.value, ratio.other_seconds) == (2.0, 2.0)
