"""TOML that any reader takes back as what was given."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kagent_render.compile.adapters.codex.toml import toml_text

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = (
    TEXTS
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
)
TABLES = st.recursive(
    st.dictionaries(TEXTS, SCALARS | st.lists(SCALARS)),
    lambda tables: st.dictionaries(TEXTS, SCALARS | st.lists(SCALARS) | tables),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TABLES)
def test_what_is_written_is_read_back(table: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text(table)) == table


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        pytest.param({}, "", id="nothing"),
        pytest.param({"a": {"b": {}}}, "[a.b]\n", id="an empty table"),
        pytest.param({"a": {"b": 1}, "c": True}, "c = true\n\n[a]\nb = 1\n", id="values before tables"),
        pytest.param({"a b": {"ü": []}}, '["a b"]\n"ü" = []\n', id="keys in quotes where they need them"),
        pytest.param({"a": 'q" \\ \n\x00\x7f'}, 'a = "q\\" \\\\ \\n\\u0000\\u007f"\n', id="escapes"),
        pytest.param({"a": ["x]", "\n[b]"]}, 'a = ["x]", "\\n[b]"]\n', id="text that looks like a table"),
        pytest.param({"a": 30.0, "b": 0.5}, "a = 30.0\nb = 0.5\n", id="seconds"),
    ],
)
def test_the_same_data_has_one_spelling(table: dict[str, Any], expected: str) -> None:
    assert toml_text(table) == expected
