"""Times as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from kagent_apply.cli.client.times import age, moment

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0s"),
        (-5, "0s"),
        (59, "59s"),
        (60, "1m"),
        (3_599, "59m"),
        (3_600, "1h"),
        (86_399, "23h"),
        (864_000, "10d"),
    ],
)
def test_an_age_is_in_its_largest_unit(seconds: int, expected: str) -> None:
    assert age(NOW - timedelta(seconds=seconds), NOW) == expected


def test_a_moment_is_in_utc_with_its_age() -> None:
    assert moment(NOW - timedelta(hours=2), NOW) == "2026-09-01 10:00:00 UTC, 2h ago"
