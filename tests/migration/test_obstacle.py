"""What cannot be edited is told at the object and the field that keep it from that."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from kagent_render.migration import rewriting
from kagent_render.source.yaml import read_yaml
from tests.migration.roots import OLD, migrated

MODEL = (
    f"apiVersion: {OLD}\nkind: ModelConfig\nmetadata: {{namespace: team, name: model}}\nspec: {{model: m}}\n"
)
SHARED = "{modelConfig: {name: model}, harnesses: {include: []}}"
GONE = "{modelConfig: {name: model}, harnesses: {include: [{name: &n runtime}]}, description: *n}"
NEEDED = "{modelConfig: {name: model}, description: *v}"
CASES = {
    "an anchor that goes": ([GONE], "", 0, "spec.harnesses"),
    "behind objects that change together": ([f"&s {SHARED}", "*s", GONE], "", 2, "spec.harnesses"),
    "a version that a text repeats": ([SHARED, NEEDED.replace("*v", "x"), NEEDED], "&v ", 2, "apiVersion"),
}


def templates(specs: list[str], anchor: str) -> str:
    """A List with one template for each spec; the last one's version has the anchor."""
    items = []
    for at, spec in enumerate(specs):
        version = f"{anchor if at == len(specs) - 1 else ''}{OLD}"
        items.append(
            f"- apiVersion: {version}\n  kind: AgentTemplate\n"
            f"  metadata: {{namespace: team, name: t{at}}}\n  spec: {spec}\n"
        )
    return "apiVersion: v1\nkind: List\nitems:\n" + "".join(items)


@pytest.mark.parametrize(("specs", "anchor", "culprit", "field"), CASES.values(), ids=CASES)
def test_the_object_and_its_field_are_told(specs: list[str], anchor: str, culprit: int, field: str) -> None:
    text = templates(specs, anchor)
    [fault] = migrated({"a.yaml": text.encode(), "m.yaml": MODEL.encode()}).diagnostics
    assert fault.message.startswith(f"AgentTemplate `t{culprit}` cannot be edited in place")
    assert fault.field == field
    assert fault.source is not None
    assert fault.source.line > 4 * culprit + 3


def test_a_text_that_an_object_beside_needs_is_told() -> None:
    other = "- {apiVersion: v1, kind: ConfigMap, metadata: {namespace: team, name: c}, data: {a: *v}}\n"
    text = templates([SHARED, SHARED], "&v ") + other
    [fault] = migrated({"a.yaml": text.encode(), "m.yaml": MODEL.encode()}).diagnostics
    assert (fault.object and fault.object.name, fault.field) == ("t1", "apiVersion")


def test_a_file_is_not_read_once_for_each_of_its_objects() -> None:
    text = templates([*[SHARED] * 200, GONE], "")
    with patch.object(rewriting, "read_yaml", wraps=read_yaml) as reading:
        [fault] = migrated({"a.yaml": text.encode(), "m.yaml": MODEL.encode()}).diagnostics
    assert fault.message.startswith("AgentTemplate `t200`")
    assert reading.call_count < 40
