import math

import pytest

from kagent_render.source.scalar import (
    Scalar,
    ScalarError,
    is_timestamp,
    json_value,
    key_text,
    resolve_plain,
    resolve_tagged,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("yes", True),
        ("OFF", False),
        ("tRUE", "tRUE"),
        ("", None),
        ("~", None),
        ("010", 8),
        ("0o10", 8),
        ("08", 8.0),
        ("0x_1F", 31),
        ("0b11", 3),
        ("-0b11", -3),
        ("0b+1", 1),
        ("0b-1", -1),
        ("-0b-1", "-0b-1"),
        ("0b2", "0b2"),
        ("1_000", 1000),
        ("_1", "_1"),
        ("+", "+"),
        ("-", "-"),
        (".", "."),
        (".5", 0.5),
        (".1_0", 0.1),
        ("._5", "._5"),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("1e400", "1e400"),
        (".1e400", ".1e400"),
        ("1e-400", 0.0),
        ("1:30", "1:30"),
        ("0x", "0x"),
        ("18446744073709551615", 2**64 - 1),
        ("+18446744073709551615", 1.8446744073709552e19),
        ("-9223372036854775808", -(2**63)),
        ("99999999999999999999", 1e20),
        ("0x1ffffffffffffffff", "0x1ffffffffffffffff"),
        ("0" * 100_000 + "7", 7),
        ("1" * 100_000, "1" * 100_000),
        ("0x" + "f" * 100_000, "0x" + "f" * 100_000),
        ("١", "١"),
    ],
)
def test_a_plain_scalar_is_what_yaml_v2_takes_it_for(text: str, value: Scalar) -> None:
    resolved = resolve_plain(text)
    assert (type(resolved), resolved) == (type(value), value)


@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [
        ("str", "1", "1"),
        ("int", "7", 7),
        ("int", "1.0", None),
        ("int", "x", None),
        ("float", "1", 1.0),
        ("float", "1.5", 1.5),
        ("float", "18446744073709551615", None),
        ("bool", "yes", True),
        ("bool", "1", None),
        ("binary", "aGk=", "hi"),
        ("binary", "aG\nk=", "hi"),
        ("binary", "aGk", None),
        ("binary", "aGk==", None),
        ("binary", "4oJB", "\ufffd\ufffdA"),
        ("timestamp", "2024-01-01", "2024-01-01"),
        ("timestamp", "2024-13-01", None),
        ("merge", "<<", "<<"),
        ("set", "1", "1"),
    ],
)
def test_a_tag_says_what_a_scalar_is_or_is_refused(tag: str, text: str, value: Scalar) -> None:
    tag = f"tag:yaml.org,2002:{tag}"
    if value is None:
        with pytest.raises(ScalarError):
            resolve_tagged(tag, text)
    else:
        assert (type(resolve_tagged(tag, text)), resolve_tagged(tag, text)) == (type(value), value)


def test_a_null_tag_needs_a_null() -> None:
    assert resolve_tagged("tag:yaml.org,2002:null", "~") is None
    with pytest.raises(ScalarError):
        resolve_tagged("tag:yaml.org,2002:null", "x")


def test_a_tag_of_no_meaning_makes_a_string() -> None:
    assert resolve_tagged("!custom", "1") == "1"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1000.0, 1000),
        (-0.0, 0),
        (0.5, 0.5),
        (1e21, 10**21),
        (1.2345678901234568e20, 123456789012345680000),
        ("x", "x"),
    ],
)
def test_an_integral_float_becomes_the_integer_that_json_shows(value: Scalar, expected: Scalar) -> None:
    assert (type(json_value(value)), json_value(value)) == (type(expected), expected)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_json_has_no_infinity(value: float) -> None:
    with pytest.raises(ScalarError):
        json_value(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (7, "7"),
        (1.5, "1.5"),
        (-0.0, "-0"),
        (100000.0, "100000"),
        (1234567.0, "1.234567e+06"),
        (123456789.0, "1.2345679e+08"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (1e300, ".inf"),
        (-1e300, "-.inf"),
        (math.nan, ".nan"),
    ],
)
def test_a_key_becomes_the_text_that_go_writes(value: Scalar, text: str) -> None:
    assert key_text(value) == text


@pytest.mark.parametrize("value", [None, 2**63, -(2**63) - 1])
def test_a_key_may_not_be_null_or_beyond_int64(value: Scalar) -> None:
    with pytest.raises(ScalarError):
        key_text(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-02-29", True),
        ("2023-02-29", False),
        ("2000-02-29", True),
        ("1900-02-29", False),
        ("2024-1-1", True),
        ("2024-04-31", False),
        ("2024-01-01T10:00:00Z", True),
        ("2024-01-01t1:2:3.5+01:00", True),
        ("2024-01-01T10:00:00", False),
        ("2024-01-01 10:00:00", True),
        ("2024-01-01 10:00:00Z", False),
        ("2024-01-01T24:00:00Z", False),
        ("2024-01-01T10:00:00+25:00", False),
        ("24-01-01", False),
        ("2024-01", False),
    ],
)
def test_a_timestamp_has_one_of_four_shapes_and_a_day_that_exists(text: str, expected: bool) -> None:
    assert is_timestamp(text) is expected
