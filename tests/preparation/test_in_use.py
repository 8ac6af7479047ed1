from __future__ import annotations

import pytest

from kagent_render.preparation.in_use import check_in_use, names_in_use
from tests.manifests import documents, told

HEAD = "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\n"


def in_use(names: str, namespace: str = "team") -> str:
    return f"{HEAD}metadata: {{namespace: {namespace}, name: x}}\nspec: {{actorTemplates: {names}}}\n"


def test_names_are_gathered_by_namespace() -> None:
    found = documents(in_use("[a, b]"), in_use("[b, c]"), in_use("[d]", "other"), in_use("[]", "none"))
    assert names_in_use(found) == {
        "team": frozenset("abc"),
        "other": frozenset("d"),
        "none": frozenset(),
    }
    assert list(check_in_use(found)) == []


def test_a_document_of_another_group_is_no_note_of_ours() -> None:
    found = documents(in_use("[a]").replace("render.kagent.dev", "other.example.com"))
    assert names_in_use(found) == {}
    assert list(check_in_use(found)) == []


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param(in_use("5"), ["spec.actorTemplates"], id="a number"),
        pytest.param(in_use("name"), ["spec.actorTemplates"], id="one name"),
        pytest.param(in_use("[a, 5]"), ["spec.actorTemplates"], id="a number among names"),
        pytest.param(f"{HEAD}metadata: {{namespace: team}}\n", ["spec.actorTemplates"], id="no spec"),
        pytest.param(
            f"{HEAD}metadata: {{namespace: team}}\nspec: 5\n", ["spec.actorTemplates"], id="no mapping"
        ),
        pytest.param(f"{HEAD}spec: {{actorTemplates: [a]}}\n", ["metadata.namespace"], id="no namespace"),
    ],
)
def test_a_note_that_cannot_be_understood_is_told(text: str, fields: list[str]) -> None:
    found = documents(text)
    assert names_in_use(found) == {}
    assert told(list(check_in_use(found))) == [("InvalidSpec", field) for field in fields]
