"""RFC 8785 and compact JSON: numbers, keys, text, refusals."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.revision.canonical_json import (
    CanonicalFormError,
    canonical,
    compact,
    digest,
    number_text,
)
from tests.parts import missing

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
INTEGERS = st.integers(-(2**53), 2**53)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
PLAIN_DATA = st.recursive(
    st.none() | st.booleans() | INTEGERS | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def double(bits: str) -> float:
    value: float = struct.unpack(">d", bytes.fromhex(bits))[0]
    return value


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_doubles_are_written_as_rfc_8785_appendix_b(bits: str, text: str) -> None:
    assert number_text(double(bits)) == text
    assert canonical({"n": [double(bits)]}) == f'{{"n":[{text}]}}'.encode()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ([], "[]"),
        ({}, "{}"),
        (1.0, "1"),
        (-0.5, "-0.5"),
        ([1e2, 1e-9], "[100,1e-9]"),
        (2**53, "9007199254740992"),
        ({"b": 1, "a": [{}, [], ()]}, '{"a":[{},[],[]],"b":1}'),
        ('€$\u000f\nA\'B"\\\\"/\u007f\u2028', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f\u2028"'),
        ("\b\f\t\r\u001f", '"\\b\\f\\t\\r\\u001f"'),
        ({"a": "1.5", "b": ":1.5e3", "c": "NaN"}, '{"a":"1.5","b":":1.5e3","c":"NaN"}'),
    ],
)
def test_values_have_one_spelling(value: Any, text: str) -> None:
    assert canonical(value).decode() == text


def test_keys_are_ordered_by_utf_16_units() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    ordered = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    assert list(json.loads(canonical(dict.fromkeys(keys, 0)))) == ordered


@pytest.mark.parametrize(
    ("value", "path", "problem"),
    [
        ({"a": [0, float("nan")]}, ("a", 1), "is not a finite number"),
        ({"a": float("inf")}, ("a",), "is not a finite number"),
        ([-float("inf")], (0,), "is not a finite number"),
        ({"a": {"b": 2**53 + 1}}, ("a", "b"), "is an integer beyond 2^53"),
        (-(2**53) - 1, (), "is an integer beyond 2^53"),
        ({"a": ["\ud800"]}, ("a", 0), "holds half a surrogate pair"),
        ({"a": {"\udfff": 1}}, ("a",), "has a key with half a surrogate pair"),
        ({"a": {b"k": 1}}, ("a",), "has a key that is not text"),
        ({"a": {1, 2}}, ("a",), "is no plain data but `set`"),
    ],
)
def test_what_has_no_canonical_form_is_refused_by_path(value: Any, path: Any, problem: str) -> None:
    with pytest.raises(CanonicalFormError) as caught:
        digest(value)
    assert (caught.value.path, caught.value.problem) == (path, problem)


def test_a_refusal_names_the_field_as_kubernetes_writes_it() -> None:
    with pytest.raises(CanonicalFormError, match=r"^`spec\.a\[1\]` is not a finite number$"):
        canonical({"spec": {"a": [1, float("nan")]}})


@pytest.mark.parametrize("encode", [canonical, compact])
def test_endless_and_very_deep_values_are_refused(encode: Any) -> None:
    loop: list[Any] = []
    loop.append(loop)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (loop, deep):
        with pytest.raises(CanonicalFormError, match="nested too deeply"):
            encode(value)


def test_a_digest_is_sha256_over_the_canonical_form() -> None:
    assert digest({}) == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_compact_keeps_the_order_of_keys_and_exact_integers() -> None:
    value = {"z": "<a&b>\u2028", "a": [2**60, 1.0, 1e21], "\U0001f600": None, "\ufb33": True}
    assert compact(value) == (
        '{"z":"<a&b>\u2028","a":[1152921504606846976,1,1e+21],"\U0001f600":null,"\ufb33":true}'
    )


@given(PLAIN_DATA)
def test_every_spelling_reads_back_as_the_same_value(value: Any) -> None:
    assert json.loads(canonical(value), parse_int=float) == value
    assert json.loads(compact(value), parse_int=float) == value


@given(st.dictionaries(TEXT, PLAIN_DATA), st.randoms())
def test_the_order_of_keys_does_not_count(value: dict[str, Any], chance: Any) -> None:
    shuffled = list(value.items())
    chance.shuffle(shuffled)
    assert canonical(dict(shuffled)) == canonical(value)


@settings(max_examples=8, deadline=None)
@given(st.lists(PLAIN_DATA, min_size=20, max_size=40))
def test_an_ecmascript_engine_writes_the_same(values: list[Any]) -> None:
    node = shutil.which("node")
    if node is None:
        missing("no ECMAScript engine on PATH to compare with")
    program = """
    const order = v => Array.isArray(v) ? '[' + v.map(order).join(',') + ']'
      : v && typeof v === 'object'
      ? '{' + Object.keys(v).sort().map(k => JSON.stringify(k) + ':' + order(v[k])).join(',') + '}'
      : JSON.stringify(v);
    process.stdout.write(order(JSON.parse(require('fs').readFileSync(0, 'utf8'))));
    """
    done = subprocess.run(
        [str(node), "-e", program], input=json.dumps(values).encode(), capture_output=True, check=True
    )
    assert canonical(values) == done.stdout
