"""What an edit does to a text, case by case."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from kagent_render.migration.changes import AddKeys, Change, RemoveKey, RenameKey, SetText
from kagent_render.migration.objects import read_source
from kagent_render.migration.rewriting import Task, rewrite

TEMPLATE = "apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\n"
HARNESS = "apiVersion: kagent.dev/v1alpha2\nkind: Harness\n"
REMOVE = RemoveKey(("spec", "harnesses"))
IMAGE = AddKeys(("spec",), "python", {"workload": {"image": "i"}})
INTO = AddKeys(("spec", "workload"), "", {"image": "i"})
SERVER: dict[str, Any] = {
    "apiVersion": "kagent.dev/v1alpha3",
    "kind": "RemoteMCPServer",
    "spec": {"url": "u"},
}
ADDED = "apiVersion: kagent.dev/v1alpha3\nkind: RemoteMCPServer\nspec:\n  url: u\n"


def rewritten(text: str, *changes: Change, at: int = 0, addition: dict[str, Any] | None = None) -> str | None:
    """The text with changes made to one of its objects."""
    source = read_source("a.yaml", text.encode())
    found = rewrite(source, [Task(source.objects[at], changes, addition)])
    return found.text if found is not None else None


REMOVALS = {
    "the last entry": ("spec:\n  a: 1\n  harnesses:\n    include:\n    - name: x\n", "spec:\n  a: 1\n"),
    "the first entry": ("spec:\n  harnesses: {}\n  a: 1\n", "spec:\n  a: 1\n"),
    "without a last line feed": ("spec:\n  a: 1\n  harnesses:\n    include: []", "spec:\n  a: 1"),
    "without a last line feed, behind a text that ends in one": (
        "spec:\n  a: |\n    1\n  harnesses: {}",
        "spec:\n  a: |\n    1\n",
    ),
    "with a comment of its own above": ("spec:\n  a: 1\n  # who\n  harnesses: {}\n", "spec:\n  a: 1\n"),
    "with comments inside": (
        "spec:\n  a: 1\n  harnesses: # here\n  # still inside\n    include: # there\n    - name: x # x\n",
        "spec:\n  a: 1\n",
    ),
    "with an item that was commented out": (
        "spec:\n  harnesses:\n    include:\n    - name: x\n    # - name: y\n  # of b\n  b: 1\n",
        "spec:\n  # of b\n  b: 1\n",
    ),
    "below a comment of the list above": (
        "spec:\n  l:\n  - a\n  # - b\n  harnesses: {}\n",
        "spec:\n  l:\n  - a\n  # - b\n",
    ),
    "below a comment that a line is between": (
        "spec:\n  a: 1\n  # part\n\n  harnesses: {}\n\n  b: 2\n",
        "spec:\n  a: 1\n  # part\n\n\n  b: 2\n",
    ),
    "below a deeper comment": (
        "spec:\n  a:\n    b: 1\n    # of a\n  harnesses: {}\n",
        "spec:\n  a:\n    b: 1\n    # of a\n",
    ),
    "above the end of the document": (
        "spec:\n  a: 1\n  harnesses: {}\n# end\n---\na: 1\n",
        "spec:\n  a: 1\n# end\n---\na: 1\n",
    ),
    "that says nothing": ("spec:\n  a: 1\n  harnesses:\n  b: 2\n", "spec:\n  a: 1\n  b: 2\n"),
    "quoted": ("spec:\n  a: 1\n  'harnesses': ~\n", "spec:\n  a: 1\n"),
    "as an explicit key": ("spec:\n  a: 1\n  ? harnesses\n  : {}\n  b: 2\n", "spec:\n  a: 1\n  b: 2\n"),
    "with an anchor": ("spec:\n  a: 1\n  harnesses: &h {include: []}\n", "spec:\n  a: 1\n"),
    "in carriage returns": ("spec:\r\n  a: 1\r\n  harnesses: {}\r\n  b: 1", "spec:\r\n  a: 1\r\n  b: 1"),
    "in flow, last": ("spec: {a: 1, harnesses: {include: [{name: x}]}}\n", "spec: {a: 1}\n"),
    "in flow, last with a comma": ("spec: {a: 1, harnesses: {}, }\n", "spec: {a: 1, }\n"),
    "in flow, first": ("spec: {harnesses: {}, a: 1}\n", "spec: {a: 1}\n"),
    "in flow, alone": ("spec: {harnesses: {}}\n", "spec: {}\n"),
    "in flow, as an explicit key": ("spec: {? harnesses : {}, a: 1}\n", "spec: {a: 1}\n"),
    "in broad flow, as an explicit key": (
        "spec: {\n  ? harnesses : {},\n  a: 1\n}\n",
        "spec: {\n  a: 1\n}\n",
    ),
    "in broad flow": (
        "spec: {\n  a: 1, # a\n  harnesses: {}, # h\n  b: 2 # b\n}\n",
        "spec: {\n  a: 1, # a\n  b: 2 # b\n}\n",
    ),
    "in broad flow, last": (
        "spec: {\n  a: 1, # a\n  harnesses: {} # h\n  # end\n}\n",
        "spec: {\n  a: 1 # a\n  # end\n}\n",
    ),
    "in broad flow, at its end": ("spec: {a: 1,\n  harnesses: {}}\n", "spec: {a: 1\n  }\n"),
    "in JSON": ('spec: {"a": 1,\n  "harnesses": {}\n}\n', 'spec: {"a": 1\n}\n'),
    "of a merged mapping": (
        "base: &b\n  a: 1\n  harnesses: {}\nspec:\n  <<: *b\n  c: 2\n",
        "base: &b\n  a: 1\nspec:\n  <<: *b\n  c: 2\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), REMOVALS.values(), ids=REMOVALS)
def test_an_entry_is_removed(before: str, after: str) -> None:
    # A merged mapping has its entry where it is written, too, which is more than what was asked for.
    expected = None if "<<" in before else TEMPLATE + after
    assert rewritten(TEMPLATE + before, REMOVE) == expected


ADDITIONS = {
    "in block": ("spec:\n  python: {}\n  a: 1\n", "spec:\n  python: {}\n  workload:\n    image: i\n  a: 1\n"),
    "by the step of the document": (
        "metadata:\n    name: x\nspec:\n    python: {}\n",
        "metadata:\n    name: x\nspec:\n    python: {}\n    workload:\n        image: i\n",
    ),
    "behind a comment": (
        "spec:\n  python: {} # p\n  # of a\n  a: 1\n",
        "spec:\n  python: {} # p\n  workload:\n    image: i\n  # of a\n  a: 1\n",
    ),
    "at the end without a line feed": (
        "spec:\n  a: 1\n  python: {}",
        "spec:\n  a: 1\n  python: {}\n  workload:\n    image: i",
    ),
    "in carriage returns": (
        "spec:\r\n  python: {}\r\n",
        "spec:\r\n  python: {}\r\n  workload:\r\n    image: i\r\n",
    ),
    "in flow": ("spec: {python: {}, a: 1}\n", "spec: {python: {}, workload: {image: i}, a: 1}\n"),
    "in broad flow": (
        "spec: {\n  python: {}, # p\n}\n",
        "spec: {\n  python: {},\n  workload: {image: i}, # p\n}\n",
    ),
    "in JSON": ('spec: {"python": {}}\n', 'spec: {"python": {}, "workload": {"image": "i"}}\n'),
    "behind an explicit key": (
        "spec:\n  ? python\n  : {}\n",
        "spec:\n  ? python\n  : {}\n  workload:\n    image: i\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), ADDITIONS.values(), ids=ADDITIONS)
def test_a_block_is_added_in_the_style_of_its_neighbours(before: str, after: str) -> None:
    assert rewritten(HARNESS + before, IMAGE) == HARNESS + after


FILLED = {
    "empty": ("workload: {}", "workload: {image: i}"),
    "nothing": ("workload:", "workload: {image: i}"),
    "nothing with a comment": ("workload: # later", "workload: {image: i} # later"),
    "a tilde": ("workload: ~", "workload: {image: i}"),
    "null": ("workload: null # n", "workload: {image: i} # n"),
}


@pytest.mark.parametrize("empty", ["{}", "null"])
def test_json_stays_json(empty: str) -> None:
    text = (
        '{"apiVersion": "kagent.dev/v1alpha2", "kind": "Harness",'
        ' "spec": {"python": {}, "workload": ' + empty + ', "x": null}}'
    )
    new = rewritten(text, INTO, RenameKey(("spec", "python"), "kagent"), SetText(("spec", "x"), "y"))
    assert new is not None
    assert json.loads(new)["spec"] == {"kagent": {}, "workload": {"image": "i"}, "x": "y"}


@pytest.mark.parametrize(("before", "after"), FILLED.values(), ids=FILLED)
def test_an_empty_block_is_filled(before: str, after: str) -> None:
    assert rewritten(f"{HARNESS}spec:\n  {before}\n  a: 1\n", INTO) == f"{HARNESS}spec:\n  {after}\n  a: 1\n"


SCALARS = {
    "plain": ("kind: a", "kind: b"),
    "single quotes": ("kind: 'a' # a", "kind: 'b' # a"),
    "double quotes": ('kind: "a"', 'kind: "b"'),
    "escapes": ('kind: "\\x61"', 'kind: "b"'),
    "a tag": ("kind: !!str a", "kind: !!str b"),
    "an anchor": ("kind: &k a", "kind: &k b"),
    "a tag and an anchor": ("kind: &k !!str 'a'", "kind: &k !!str 'b'"),
    "a block": ("kind: |-\n    a", "kind: |-\n    b"),
    "a block with a comment": ("kind: >- # a\n    a\n\n  # a", "kind: >- # a\n    b\n\n  # a"),
    "a line of its own": ("kind:\n    a", "kind:\n    b"),
    "a tab": ("kind:\ta\t# a", "kind:\tb\t# a"),
    "flow": ("{x: 1, kind: a}", "{x: 1, kind: b}"),
}


@pytest.mark.parametrize(("before", "after"), SCALARS.values(), ids=SCALARS)
def test_a_text_keeps_its_quotes(before: str, after: str) -> None:
    change = SetText(("spec", "kind"), "b")
    assert rewritten(f"{HARNESS}spec:\n  {before}\n", change) == f"{HARNESS}spec:\n  {after}\n"


def test_a_key_keeps_its_quotes() -> None:
    text = f"{HARNESS}spec: {{'python': {{}}}}\n"
    assert rewritten(text, RenameKey(("spec", "python"), "kagent")) == text.replace("python", "kagent")


SERVERS = {
    "behind the only document": ("{}", "{}---\n{added}"),
    "before the next document": ("{}---\na: 1\n", "{}---\n{added}---\na: 1\n"),
    "behind its last comment": ("{}# end\n---\na: 1\n", "{}# end\n---\n{added}---\na: 1\n"),
    "before the end of the document": ("{}...\n", "{}---\n{added}...\n"),
    "before a directive": ("{}...\n%YAML 1.1\n---\na: 1\n", "{}---\n{added}...\n%YAML 1.1\n---\na: 1\n"),
}
MCP = "apiVersion: kagent.dev/v1alpha1\nkind: MCPServer\nspec:\n  a: 1\n"


@pytest.mark.parametrize(("before", "after"), SERVERS.values(), ids=SERVERS)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_document_is_added_behind_another(before: str, after: str, line_break: str) -> None:
    old = before.replace("{}", MCP).replace("\n", line_break)
    new = after.replace("{}", MCP).replace("{added}", ADDED).replace("\n", line_break)
    assert rewritten(old, addition=SERVER) == new


LISTED = {
    "dashes at the key": (
        "items:\n- apiVersion: kagent.dev/v1alpha1\n  kind: MCPServer\n# end\n",
        "items:\n- apiVersion: kagent.dev/v1alpha1\n  kind: MCPServer\n"
        "- apiVersion: kagent.dev/v1alpha3\n  kind: RemoteMCPServer\n  spec:\n    url: u\n# end\n",
    ),
    "dashes deeper": (
        "items:\n  -   apiVersion: kagent.dev/v1alpha1\n      kind: MCPServer\n      # own\n  - a: 1",
        "items:\n  -   apiVersion: kagent.dev/v1alpha1\n      kind: MCPServer\n      # own\n"
        "  - apiVersion: kagent.dev/v1alpha3\n    kind: RemoteMCPServer\n    spec:\n      url: u\n  - a: 1",
    ),
    "at the end without a line feed": (
        "items:\n- apiVersion: kagent.dev/v1alpha1\n  kind: MCPServer",
        "items:\n- apiVersion: kagent.dev/v1alpha1\n  kind: MCPServer\n"
        "- apiVersion: kagent.dev/v1alpha3\n  kind: RemoteMCPServer\n  spec:\n    url: u",
    ),
    "flow": (
        "items: [{apiVersion: kagent.dev/v1alpha1, kind: MCPServer}, {a: 1}]\n",
        "items: [{apiVersion: kagent.dev/v1alpha1, kind: MCPServer}, {apiVersion: kagent.dev/v1alpha3, "
        "kind: RemoteMCPServer, spec: {url: u}}, {a: 1}]\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), LISTED.values(), ids=LISTED)
def test_an_item_is_added_behind_another(before: str, after: str) -> None:
    head = "apiVersion: v1\nkind: List\n"
    assert rewritten(head + before, addition=SERVER) == head + after


def test_a_json_document_is_followed_by_a_json_document() -> None:
    text = '{"apiVersion": "kagent.dev/v1alpha1", "kind": "MCPServer"}'
    added = '{"apiVersion": "kagent.dev/v1alpha3", "kind": "RemoteMCPServer", "spec": {"url": "u"}}'
    assert rewritten(text, addition=SERVER) == f"{text}\n---\n{added}"


def test_a_document_of_a_typed_list_is_added_behind_the_list() -> None:
    text = (
        "apiVersion: kagent.dev/v1alpha1\nkind: MCPServerList\nitems:\n"
        "- apiVersion: kagent.dev/v1alpha1\n  kind: MCPServer\n"
    )
    assert rewritten(text, addition=SERVER) == f"{text}---\n{ADDED}"


def test_a_text_of_which_others_have_need_is_written_in_place_of_its_alias() -> None:
    text = "metadata: {annotations: {a: &k kagent.dev/v1alpha2}}\napiVersion: *k # k\nkind: Harness\n"
    assert rewritten(text, SetText(("apiVersion",), "new")) == text.replace("*k", "new")


def test_no_anchor_in_a_secret_is_changed() -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: v1, kind: Secret, stringData: {a: &k kagent.dev/v1alpha2}}\n"
        "- apiVersion: *k\n  kind: Harness\n"
    )
    assert rewritten(text, SetText(("apiVersion",), "new"), at=1) == text.replace("*k", "new")


UNEDITABLE = {
    "an anchor that others need": (
        "apiVersion: &k kagent.dev/v1alpha2\nkind: Harness\nmetadata: {annotations: {a: *k}}\n",
        SetText(("apiVersion",), "new"),
    ),
    "an anchor that goes": (f"{TEMPLATE}spec:\n  harnesses: &h {{}}\n  b: *h\n", REMOVE),
    "an anchor that a Secret needs": (
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: &k kagent.dev/v1alpha2\n  kind: Harness\n"
        "- {apiVersion: v1, kind: Secret, stringData: {a: *k}}\n",
        SetText(("apiVersion",), "new"),
    ),
}


@pytest.mark.parametrize(("text", "change"), UNEDITABLE.values(), ids=UNEDITABLE)
def test_a_text_that_would_say_something_else_is_left_alone(text: str, change: Change) -> None:
    assert rewritten(text, change) is None


def test_a_text_of_one_long_line_takes_no_long_time() -> None:
    item = {
        "apiVersion": "kagent.dev/v1alpha2",
        "kind": "AgentTemplate",
        "spec": {"a": "x" * 300, "harnesses": {}},
    }
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [item] * 1000})
    source = read_source("a.json", text.encode())
    started = time.perf_counter()
    found = rewrite(source, [Task(located, (REMOVE,)) for located in source.objects])
    assert time.perf_counter() - started < 10
    assert found is not None
    assert found.text == text.replace(', "harnesses": {}', "")
