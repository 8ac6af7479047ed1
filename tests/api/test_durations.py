import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.api.durations import is_duration, seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30s", 30.0),
        ("1m30s", 90.0),
        ("1h2m3s4ms5us6ns", 3723.004005006),
        ("1.5h", 5400.0),
        (".5s", 0.5),
        ("1.s", 1.0),
        ("0", 0.0),
        ("+5s", 5.0),
        ("0s", 0.0),
        ("100µs", 0.0001),
        ("100μs", 0.0001),
        ("1m1m", 120.0),
        ("0.9999999999s", 0.999999999),
        ("2562047h47m16.854775807s", 9223372036.854775807),
    ],
)
def test_reads_what_go_reads(text: str, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "30", "s", ".s", "+", "-", "-1s", "1 s", "30S", "1d", "1m30", "٣s", "1e3s", "30s ", "++1s"),
        *("1..5s", "2562047h47m16.854775808s", "9" * 127 + "s", "9" * 10_000 + "s"),
    ],
)
def test_refuses_what_is_no_time_out(text: str) -> None:
    assert not is_duration(text)


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    assert is_duration(text) in (True, False)
