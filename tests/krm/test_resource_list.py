"""A ResourceList is read within bounds, and what nobody touched is written as it was."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from kagent_render.krm.resource_list import ResourceListError, item_of, read_resource_list
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"


def passed_through(text: str) -> str:
    """What comes out where nothing is added."""
    found = read_resource_list(text.encode())
    return found.dump(found.items, []).decode()


SPELLINGS = [
    "yes",
    "1.10",
    "1e3",
    "0o17",
    "0x1F",
    "1_000",
    "12:30:45",
    "~",
    "2001-01-01",
    "'1e3'",
    '"yes"',
    "=",
    "!custom x",
    '"\\e[31m"',
    "a" * 3000,
    "word " * 400 + "end",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_scalar_keeps_its_spelling(spelling: str) -> None:
    text = f"{HEAD}items:\n- apiVersion: v1\n  kind: X\n  value: {spelling}\n"
    if spelling == '"\\e[31m"':
        assert "\\e[31m" in passed_through(text)
    else:
        assert passed_through(text) == text


BLOCKS = ["|\n    two\n    lines\n", "|-\n    two\n\n    lines\n", "|+\n    kept\n\n", "|2\n      indented\n"]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_literal_block_stays_one(block: str) -> None:
    text = f"{HEAD}items:\n- text: {block}"
    assert "text: |" in passed_through(text)
    assert read_yaml(passed_through(text).encode())[0].value == read_yaml(text.encode())[0].value


_TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.text("a b\n\t:#-'\"|>%&*!", max_size=15)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    _TEXTS | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_STYLES = st.sampled_from(["|", ">", "'", '"', None])


@given(_VALUES, _STYLES, st.booleans())
def test_values_survive_in_every_style(value: object, style: str | None, flow: bool) -> None:
    document = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [value]}
    text = yaml.dump(
        document,
        Dumper=yaml.CSafeDumper,
        default_style=style,
        default_flow_style=flow,
        allow_unicode=True,
        width=20,
    )
    try:
        before = read_yaml(text.encode())[0].value
    except YAMLInvalidError:
        assume(False)
    assert read_yaml(passed_through(text).encode())[0].value == before


@given(_TEXTS)
def test_new_text_is_read_as_text_by_every_reader(text: str) -> None:
    out = read_resource_list(HEAD.encode()).dump([item_of({"text": text})], [])
    assert read_yaml(out)[0].value["items"] == [{"text": text}]
    assert yaml.safe_load(out)["items"] == [{"text": text}]


def test_aliases_across_items_survive() -> None:
    text = f"{HEAD}items:\n- a: &x {{b: c}}\n- d: *x\n"
    assert read_yaml(passed_through(text).encode())[0].value["items"] == [
        {"a": {"b": "c"}},
        {"d": {"b": "c"}},
    ]


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_the_answer_is_of_the_version_that_was_asked(version: str) -> None:
    text = f"apiVersion: config.kubernetes.io/{version}\nkind: ResourceList\nitems: []\n"
    assert passed_through(text) == text


def test_json_is_read_as_the_yaml_that_it_is() -> None:
    text = '{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"kind":"X"}]}'
    assert read_yaml(passed_through(text).encode())[0].value == read_yaml(text.encode())[0].value


REFUSED = {
    "nothing": b"",
    "another kind": b"apiVersion: v1\nkind: List\nitems: []\n",
    "another version": b"apiVersion: config.kubernetes.io/v9\nkind: ResourceList\n",
    "a list": b"- kind: ResourceList\n",
    "two documents": f"{HEAD}---\n{HEAD}".encode(),
    "items that are no list": f"{HEAD}items: {{a: b}}\n".encode(),
    "bytes that are no text": b"\xff\xfe\x00",
    "a number that JSON has not": f"{HEAD}items: [.inf]\n".encode(),
    "a null": f"{HEAD}items: ['\0']".encode(),
    "an open bracket": f"{HEAD}items: [".encode(),
    "a hundred thousand brackets": f"{HEAD}items: {'[' * 100_000}".encode(),
    "nested mappings": (HEAD + "items:\n- " + "{a: " * 50_000).encode(),
    "aliases of aliases": (
        HEAD
        + "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(9))
    ).encode(),
    "items that a merge key brings": f"{HEAD}<<: {{items: [{{kind: X}}]}}\n".encode(),
    "a configuration that a merge key brings": f"{HEAD}<<: {{functionConfig: {{kind: X}}}}\n".encode(),
    "too many bytes": b"#" * (32 * 1024 * 1024 + 1),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_what_is_no_resource_list_is_refused(data: bytes) -> None:
    with pytest.raises(ResourceListError) as refused:
        read_resource_list(data)
    assert len(str(refused.value)) < 300
