"""Config is written with the bytes of the operator's own writer."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.agentplugin.config_text import config_text
from kagent_render.agentplugin.key_order import natural_order
from kagent_render.source.yaml import read_first_value
from tests.agentplugin.config_values import ValueMaker


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1, "1"),
        (-0.0, "0"),
        (1.0, "1"),
        (1.5, "1.5"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (2.0**-24, "5.960464477539063e-08"),
        (123456.5, "123456.5"),
        (1234567.5, "1.2345675e+06"),
        (12345678, "12345678"),
        (2**53 + 1, "9007199254740992"),
        (2**63, "9223372036854776000"),
        (2**64, "1.8446744073709552e+19"),
        (1e20, "1e+20"),
        (-1e20, "-1e+20"),
        (1e300, "1e+300"),
        ({}, "{}"),
        ([], "[]"),
        ("", '""'),
        ("plain text", "plain text"),
        ("a: b", "'a: b'"),
        ("it's", "it's"),
        ("'", "''''"),
        ("- a", "'- a'"),
        ("Kage is thinking…", "Kage is thinking…"),
        ("😀", '"\\U0001F600"'),
        ("a\tb", '"a\\tb"'),
        ("a\nb", "|-\n  a\n  b"),
        ("a\nb\n", "|\n  a\n  b"),
        ("a\n\n", "|+\n  a\n"),
        (" a\nb", "|2-\n   a\n  b"),
        ("a \nb", '"a \\nb"'),
        ("http://litellm.ns.svc.cluster.local/v1", "http://litellm.ns.svc.cluster.local/v1"),
        *[(word, f'"{word}"') for word in ("off", "y", "1", "1.0", "1e3", "0x1F", "010", "~", "null")],
        *[(word, f'"{word}"') for word in ("2024-01-01", "1:30", "1:30:00.5", ".5", ".inf", "-1", "1_0")],
        *[(word, word) for word in ("1e400", "08:60", "yEs", "2024-13-01", "v1", "=", "<<", "?a", "-a")],
    ],
)
def test_a_value_is_written_in_the_style_of_yaml_v2(value: Any, text: str) -> None:
    assert config_text({"k": value}) == f"k: {text}\n"


def test_dashes_stand_at_the_column_of_their_key_and_keys_are_sorted() -> None:
    value = {"platform_toolsets": {"slack": ["a", ["b"], {"y": 1, "x": []}]}, "approvals": {}}
    assert config_text(value) == textwrap.dedent(
        """\
        approvals: {}
        platform_toolsets:
          slack:
          - a
          - - b
          - x: []
            "y": 1
        """
    )


def test_long_text_is_folded_near_column_80() -> None:
    assert config_text({"k": "word " * 20 + "end", "q": "off: " * 20 + "end"}) == (
        f"k: {'word ' * 15}word\n  word word word word end\n"
        f"q: '{'off: ' * 15}off:\n  off: off: off: off: end'\n"
    )


@pytest.mark.parametrize("text", ["a\n\n", "a\n\n\n", "\n"])
def test_kept_line_breaks_at_the_end_leave_no_document_mark(text: str) -> None:
    written = config_text({"k": text})
    assert not written.endswith("...\n")
    assert read_first_value(written.encode()) == {"k": text}


@pytest.mark.parametrize(
    "keys",
    [
        ["9", "10"],
        ["a2", "a10"],
        ["_x", "A", "Z", "a", "b", "é"],
        ["-", "a"],
        ["a", "a1", "a1b", "ab"],
        ["a1", "a01", "a001", "a2"],
        ["a10", "a12", "a100", "a101", "a1002"],
        ["", "1", "a"],
        ["a-1", "a_1", "a1"],
        ["9223372036854775808", "1", "9223372036854775807"],
    ],
)
def test_keys_are_in_natural_order(keys: list[str]) -> None:
    assert natural_order(keys) == keys
    assert natural_order(reversed(keys)) == keys


@given(keys=st.lists(st.text("ab019-_é٣", max_size=6), unique=True))
def test_the_order_of_two_keys_does_not_depend_on_which_is_first(keys: list[str]) -> None:
    for one in keys:
        for other in keys:
            assert natural_order([one, other]) == natural_order([other, one])


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x7f\x85\ufeff"), max_size=120)
KEYS = TEXTS.filter(lambda key: key != "<<")
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e15, 1e15) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
)


@given(value=st.dictionaries(KEYS, VALUES, max_size=4))
def test_what_is_written_is_read_again_as_it_was(value: dict[str, Any]) -> None:
    assert read_first_value(config_text(value).encode()) == value


@pytest.mark.parametrize("seed", range(20))
def test_the_pods_reader_reads_the_same_texts(seed: int) -> None:
    value = only_texts(ValueMaker(seed).config())
    assert yaml.safe_load(config_text(value)) == value


def only_texts(value: Any) -> Any:
    """The value less what PyYAML itself reads otherwise: numbers with an exponent, `=` and `<<`."""
    if isinstance(value, dict):
        return {key: only_texts(entry) for key, entry in value.items() if key not in ("=", "<<")}
    if isinstance(value, list):
        return [only_texts(item) for item in value]
    return value if isinstance(value, str | bool) and value not in ("=", "<<") else None
