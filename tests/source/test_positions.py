from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.diagnostics.diagnostic import FieldPath
from kagent_render.source.yaml import read_yaml

TEXT = """\
# a comment
---
apiVersion: v1
spec:
  tools:
  - name: one
    list: [a, {b: c}]
  -
    name: two
  "quoted key": é
  é: {x: 1, z: 2}
"""


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ((), (3, 1)),
        (("apiVersion",), (3, 1)),
        (("spec", "tools"), (5, 3)),
        (("spec", "tools", 0), (6, 5)),
        (("spec", "tools", 0, "name"), (6, 5)),
        (("spec", "tools", 0, "list", 0), (7, 12)),
        (("spec", "tools", 0, "list", 1, "b"), (7, 16)),
        (("spec", "tools", 1), (9, 5)),
        (("spec", "quoted key"), (10, 3)),
        (("spec", "é", "z"), (11, 13)),
        (("spec", "absent"), (4, 1)),
        (("spec", "tools", 7, "name"), (5, 3)),
        (("spec", "tools", "name"), (5, 3)),
        (("spec", 0), (4, 1)),
        (("absent", "deeper"), (3, 1)),
    ],
)
def test_a_field_is_at_its_key_an_item_at_its_start_an_absent_one_at_its_ancestor(
    field: FieldPath, place: tuple[int, int]
) -> None:
    assert read_yaml(TEXT.encode())[0].locator.locate(field) == place
    assert read_yaml((TEXT + "---\nkind: Secret\n").encode())[0].locator.locate(field) == place


@pytest.mark.parametrize(
    ("text", "document", "field", "place"),
    [
        pytest.param("a: 1\n---\nb:\n  c: 2\n", 1, ("b", "c"), (4, 3), id="second document"),
        pytest.param(
            "a: 1\n...\n# x\n%TAG !k! tag:k,\n---\nb: !k!x 2\n", 1, ("b",), (6, 1), id="after directives"
        ),
        pytest.param("\n  ---x: 1\n", 0, ("---x",), (2, 3), id="dashes that start no document"),
        pytest.param("\ufeffa: 1\n", 0, ("a",), (1, 1), id="byte order mark"),
        pytest.param("a: 1\r\nb: 2\r\n", 0, ("b",), (2, 1), id="CR LF"),
        pytest.param("a: |\n  x\u2028  y\nb: 2\n", 0, ("b",), (3, 1), id="a line separator starts no line"),
        pytest.param("on: 1\n1e3: 2\n", 0, ("1000",), (2, 1), id="key of another type"),
        pytest.param("a: &x {p: 1}\nb: *x\n", 0, ("b", "p"), (1, 8), id="alias points to the anchor"),
        pytest.param("a: &x {p: 1}\nb: *x\n", 0, ("b",), (2, 1), id="an aliased field is at its key"),
        pytest.param("a: &x [1]\nb: [*x]\n", 0, ("b", 0), (2, 5), id="an aliased item is at its alias"),
        pytest.param("a: &x {p: 1}\nb: {<<: *x}\n", 0, ("b", "p"), (1, 8), id="merge points to the anchor"),
        pytest.param("b: {<<: [{p: 1}, {q: 2}]}\n", 0, ("b", "q"), (1, 19), id="merge list"),
        pytest.param("&k a: 1\nb: {*k : 2}\n", 0, ("b", "a"), (2, 5), id="alias as key"),
        pytest.param("a: &x on\n? *x\n: 2\n", 0, ("true",), (2, 3), id="aliased boolean as key"),
        pytest.param("- \n- x\n", 0, (1,), (2, 3), id="list root"),
        pytest.param("kind: Secret\ndata:\n  token: x\n", 0, ("data", "token"), (3, 3), id="Secret"),
        pytest.param(
            "kind: Secret\ntype: y\ndata: {}\n", 0, ("type",), (1, 1), id="dropped field of a Secret"
        ),
    ],
)
def test_positions_hold(text: str, document: int, field: FieldPath, place: tuple[int, int]) -> None:
    assert read_yaml(text.encode())[document].locator.locate(field) == place


def test_positions_of_many_documents_in_one_file() -> None:
    documents = read_yaml(b"".join(b"---\nname: d%d\n" % number for number in range(2000)))
    assert [document.locator.locate(("name",)) for document in documents] == [
        (2 * number + 2, 1) for number in range(2000)
    ]


@pytest.mark.parametrize(
    ("text", "field", "lines"),
    [
        ("a: |\n  x\n", ("a",), (2, 2)),
        ("- |\n x\n", (0,), (2, 1)),
        ("a:\n- b: |-\n\n    x\n", ("a", 0, "b"), (3, 4)),
        ("a: |2\n    x\n", ("a",), (2, 2)),
        ("a: !x &y\n # |\n |\n  x\n", ("a",), (4, 2)),
        ("a: &x |\n  x\nb: *x\n", ("b",), (2, 2)),
        ("a: &x {c: 1}\nb:\n  <<: *x\n  d: |\n   x\n", ("b", "d"), (5, 3)),
        ("a: &x\n  c: |\n   x\nb: {<<: *x}\n", ("b", "c"), (3, 3)),
        ("a: |\n", ("a",), None),
        ("a: >\n  x\n", ("a",), None),
        ("a: x\n", ("a",), None),
        ("a: '|'\n", ("a",), None),
        ("a: {b: 1}\n", ("a",), None),
        ("a: |\n  x\n", ("a", "b"), None),
        ("a: |\n  x\n", ("b",), None),
        ("a: |\n  x\n", (), None),
        ("a: |\n  x\x85  y\n", ("a",), None),
    ],
)
def test_the_lines_of_a_literal_block_are_known_with_their_indentation(
    text: str, field: FieldPath, lines: tuple[int, int] | None
) -> None:
    assert read_yaml(text.encode())[0].locator.locate_literal(field) == lines
    assert read_yaml((text + "---\nkind: Secret\n").encode())[0].locator.locate_literal(field) == lines


def test_of_a_secrets_values_not_even_the_lines_are_kept() -> None:
    secret = read_yaml(b"kind: Secret\nstringData:\n  token: |\n    hidden\n")[0]
    assert secret.locator.locate_literal(("stringData", "token")) is None


KEYS = st.sampled_from(["alpha", "beta", "gamma", "delta"])
TREES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(["x", "'y'", "|-\n  text"]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3) | st.dictionaries(KEYS, inner, min_size=1, max_size=3)
    ),
    max_leaves=12,
)


def write(tree: Any, indent: int) -> str:
    pad = " " * indent
    if isinstance(tree, dict):
        return "\n" + "".join(f"{pad}{key}: {write(value, indent + 2)}\n" for key, value in tree.items())
    if isinstance(tree, list):
        return "\n" + "".join(f"{pad}- {write(value, indent + 2)}\n" for value in tree)
    return str(tree).replace("\n  ", f"\n{pad}  ")


def keys(tree: Any, path: FieldPath) -> list[tuple[FieldPath, str]]:
    if isinstance(tree, dict):
        return [
            entry
            for key, value in tree.items()
            for entry in [((*path, key), key), *keys(value, (*path, key))]
        ]
    if isinstance(tree, list):
        return [entry for at, value in enumerate(tree) for entry in keys(value, (*path, at))]
    return []


@given(tree=st.dictionaries(KEYS, TREES, min_size=1, max_size=3))
def test_every_key_is_found_where_its_text_stands(tree: dict[str, Any]) -> None:
    text = write(tree, 0)
    locator = read_yaml(text.encode())[0].locator
    places = {path: locator.locate(path) for path, _ in keys(tree, ())}
    for path, key in keys(tree, ()):
        line, column = places[path]
        assert text.split("\n")[line - 1][column - 1 :].startswith(f"{key}:")
    assert len(set(places.values())) == len(places)
