import sys
from typing import Any

import pytest

from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import MAX_BYTES, read_yaml


def values(text: str, *, strict: bool = True) -> list[Any]:
    return [document.value for document in read_yaml(text.encode(), strict=strict)]


def refusal(text: str | bytes) -> YAMLInvalidError:
    with pytest.raises(YAMLInvalidError) as caught:
        read_yaml(text if isinstance(text, bytes) else text.encode())
    return caught.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="empty"),
        pytest.param("# only a comment\n", [], id="comment"),
        pytest.param("---\n---\na: 1\n...\n", [None, {"a": 1}], id="every document of the stream"),
        pytest.param("\ufeffa: 1\n", [{"a": 1}], id="byte order mark"),
        pytest.param("%YAML 1.1\n---\na: 1\n", [{"a": 1}], id="YAML 1.1 directive"),
        pytest.param("%TAG !k! tag:yaml.org,2002:\n---\na: !k!str 1\n", [{"a": "1"}], id="tag directive"),
        pytest.param("a: ! 1\n", [{"a": "1"}], id="the tag that stands alone"),
        pytest.param(
            "a: !<!> 1\nb: &x ! yes\nc: ! &y 2\n", [{"a": "1", "b": "yes", "c": "2"}], id="its spellings"
        ),
        pytest.param("a: &x # not a tag !\n  1\n", [{"a": 1}], id="a comment is no tag"),
        pytest.param("a: !!set {x, y: }\n", [{"a": {"x": None, "true": None}}], id="set"),
        pytest.param("a: &x [1]\nb: *x\n", [{"a": [1], "b": [1]}], id="alias"),
        pytest.param("a: &x 1.5\n*x : b\n", [{"a": 1.5, "1.5": "b"}], id="alias as key"),
        pytest.param("a: &x 1\nb: &x 2\nc: *x\n", [{"a": 1, "b": 2, "c": 2}], id="anchor set anew"),
        pytest.param(
            "a: &x {p: 1}\nb: {<<: *x, q: 2}\n", [{"a": {"p": 1}, "b": {"p": 1, "q": 2}}], id="merge"
        ),
        pytest.param("b: {<<: [{p: 1}, {q: 2}]}\n", [{"b": {"p": 1, "q": 2}}], id="merge list"),
        pytest.param("a: {'<<': 1}\n", [{"a": {"<<": 1}}], id="quoted merge key is a key"),
        pytest.param("a: {! '<<': {p: 1}}\n", [{"a": {"p": 1}}], id="lone tag on a quoted merge key"),
        pytest.param('a: "\\\\/"\n', [{"a": "\\/"}], id="a backslash before a slash"),
    ],
)
def test_a_stream_is_read_as_kubernetes_reads_it(text: str, expected: list[Any]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        pytest.param("a: 1\nb:\n  c: 1\n  c: 2\n", 4, 3, "`c` is already set", id="duplicate"),
        pytest.param("1: a\n'1': b\n", 2, 1, "`1` is already set", id="duplicate as text"),
        pytest.param(
            "x: &x {p: 1}\na:\n  p: 2\n  <<: *x\n", 4, 7, "`p` a second time", id="merge over a key"
        ),
        pytest.param(
            "x: &x {p: 1}\na:\n  <<: *x\n  p: 2\n", 4, 3, "`p` is already set", id="key over a merge"
        ),
        pytest.param("a: {<<: 1}\n", 1, 9, "merges a mapping", id="merge of a scalar"),
        pytest.param(
            "x: &x [{p: 1}]\na: {<<: *x}\n", 2, 9, "merges a mapping", id="merge of an aliased list"
        ),
        pytest.param("a: {<<: [1]}\n", 1, 11, "merges a mapping", id="merge of a list of scalars"),
        pytest.param("a: *x\n", 1, 4, "anchor that is not before it", id="unknown anchor"),
        pytest.param(
            "a: &x 1\n---\nb: *x\n", 3, 4, "anchor that is not before it", id="anchor of another document"
        ),
        pytest.param("a: &x [*x]\n", 1, 8, "inside the anchor", id="alias inside its anchor"),
        pytest.param("a: &x {b: [*x]}\n", 1, 12, "inside the anchor", id="alias deep inside its anchor"),
        pytest.param("? [a]\n: b\n", 1, 5, "key is a collection", id="list as key"),
        pytest.param("x: &x {}\n*x : b\n", 2, 1, "key is a collection", id="aliased mapping as key"),
        pytest.param("é: .inf\n", 1, 4, "infinity", id="columns count characters"),
        pytest.param("a: 1\r\nb: ~\r\n~: 1\r\n", 3, 1, "may not be null", id="lines end with CR LF"),
        pytest.param(
            "a: x\u2028y\nb: .nan\n", 1, 6, "lacks its `:`", id="a line separator is no line of an editor"
        ),
        pytest.param("a:\n  b: 1\n  c x\n  d: 1\n", 3, 3, "lacks its `:`", id="key without a colon"),
        pytest.param('a: 1\nb: "x\nc: 2\nd: 3\n', 2, 4, "quoted text has no end", id="open quotes"),
        pytest.param("a: 'x\n---\nb: 1\n", 1, 4, "before the next document", id="open quotes of a document"),
        pytest.param("%YAML 1.2\n---\na: 1\n", 1, 1, "YAML version", id="YAML 1.2"),
        pytest.param("a: 1\n---\nb: [\n", 4, 1, "closing bracket", id="second document"),
        pytest.param("a: \x01\n", 1, 4, "control characters", id="control character"),
        pytest.param("a: 1\n\ufeffb: 2\n", 2, 1, "byte order mark", id="byte order mark inside"),
        pytest.param("a: {b: x?y}\n", 1, 8, "unquoted `?`", id="question mark in flow"),
        pytest.param('a: "\\/"\n', 1, 4, "escape `\\/`", id="slash escape"),
        pytest.param("a: [!!str,b]\n", 1, 10, "part of the tag", id="comma after a tag"),
        pytest.param("a: [b:]\n", 1, 6, "no space after it", id="colon before a bracket"),
        pytest.param("a: !!int x\n", 1, 4, "tag's type", id="tag of another type"),
        pytest.param("a:\n\tb: 1\n", 2, 1, "has to be quoted", id="tab"),
    ],
)
def test_a_refusal_says_what_and_where(text: str, line: int, column: int, words: str) -> None:
    error = refusal(text)
    assert (error.line, error.column) == (line, column)
    assert words in error.message


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"a: 1\nb: \xff\n", 2, 4),
        (b"\xff\xfea\x00", 1, 1),
        (b"a: \xed\xa0\x80", 1, 4),
        ("é: ".encode() + b"\x80", 1, 4),
    ],
)
def test_what_is_not_utf8_is_refused(data: bytes, line: int, column: int) -> None:
    error = refusal(data)
    assert (error.line, error.column, error.message) == (line, column, "the file is not UTF-8")


def test_lenient_lets_the_last_key_win() -> None:
    assert values("a: 1\na: 2\n", strict=False) == [{"a": 2}]
    assert values("x: &x {p: 1}\na:\n  p: 2\n  <<: *x\n", strict=False)[0]["a"] == {"p": 1}
    assert values("x: &x {p: 1}\na:\n  <<: *x\n  p: 2\n", strict=False)[0]["a"] == {"p": 2}
    assert values("a: {<<: [{p: 1}, {p: 2}]}\n", strict=False) == [{"a": {"p": 1}}]


ALIAS_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghij", "bcdefghijk", strict=True)
)
MANY_ALIASES = "k: [" + "x, " * 600_000 + "]\na: &a [" + "x, " * 1000 + "]\nb: [" + "*a, " * 400 + "]\n"
DEEP_ALIASES = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 102))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("[" * 101 + "]" * 101, "nested more than 100", id="flow nesting"),
        pytest.param("- " * 101 + "x", "nested more than 100", id="block nesting"),
        pytest.param("[" * 1_000_000, "nested too deep", id="nesting without an end"),
        pytest.param(DEEP_ALIASES, "nested more than 100", id="nesting through aliases"),
        pytest.param(ALIAS_BOMB, "comes from aliases", id="alias bomb"),
        pytest.param(MANY_ALIASES, "more than 1,000,000 nodes", id="nodes through aliases"),
        pytest.param("[" + "x," * 1_000_001 + "]", "more than 1,000,000 nodes", id="nodes"),
        pytest.param("---\n" * 100_001, "more than 100,000 documents", id="documents"),
        pytest.param("%TAG !a! b\n" * 101 + "--- x", "`%TAG` directives", id="tag directives"),
        pytest.param(b" " * (MAX_BYTES + 1), "larger than 32 MiB", id="bytes"),
    ],
)
def test_what_would_cost_too_much_is_refused(text: str | bytes, words: str) -> None:
    assert words in refusal(text).message


def test_without_the_c_extension_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    with pytest.raises(RuntimeError, match="C extension"):
        read_yaml(b"a: 1")


def test_nesting_of_100_is_read() -> None:
    assert values("[" * 100 + "]" * 100) != []


@pytest.mark.parametrize("digits", [5_000, 1_000_000])
def test_a_number_of_any_length_is_read(digits: int) -> None:
    assert values("a: " + "1" * digits) == [{"a": "1" * digits}]


@pytest.mark.parametrize(
    "text",
    [
        "password: *hunter2\n",
        "password: `hunter2\n",
        "password: !hunter2!x y\n",
        "password: 'hunter2\n",
        "p: %hunter2",
    ],
)
def test_an_error_never_repeats_the_text(text: str) -> None:
    error = refusal(text)
    assert "hunter2" not in f"{error.message} {error.hint}"


SECRET = """\
apiVersion: v1
kind: Secret
metadata:
  name: model
  namespace: agents
  annotations: {last-applied: hunter2}
data:
  token: hunter2
stringData:
  other: hunter2
extra: hunter2
"""
REDACTED = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "model", "namespace": "agents"},
    "data": {"token": None},
    "stringData": {"other": None},
}


def test_only_the_names_of_a_secrets_keys_are_kept() -> None:
    assert values(SECRET) == [REDACTED]


def test_a_secret_in_a_list_loses_its_values_too() -> None:
    item = "".join(f"    {line}\n" for line in SECRET.splitlines())
    text = f"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n-\n{item}"
    assert values(text)[0]["items"] == [{"apiVersion": "v1", "kind": "ConfigMap"}, REDACTED]


def test_a_secret_whose_data_is_no_mapping_loses_it() -> None:
    assert values("kind: Secret\ndata: hunter2\nstringData: [hunter2]\n") == [
        {"kind": "Secret", "data": None, "stringData": None}
    ]


def reachable(value: object, seen: set[int]) -> str:
    """All text that can be reached from an object, as one string."""
    if id(value) in seen:
        return ""
    seen.add(id(value))
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(reachable(part, seen) for entry in value.items() for part in entry)
    if isinstance(value, list | tuple):
        return "".join(reachable(part, seen) for part in value)
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    names = [*slots, *getattr(value, "__dict__", {})]
    return "".join(reachable(getattr(value, name, None), seen) for name in names)


def test_no_text_of_a_file_with_a_secret_outlives_reading_it() -> None:
    documents = read_yaml(f"a: hello\n---\n{SECRET}".encode())
    for document in documents:
        document.locator.locate(("data", "token"))
    assert "hunter2" not in reachable(documents, set())
    assert "hello" in reachable(documents, set())
