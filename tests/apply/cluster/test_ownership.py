"""Whose a piece of a status is."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_apply.cluster.ownership import EVERYTHING, read_owners

READY = 'k:{"type":"Ready"}'


def _entry(manager: Any, status: Any, operation: str = "Apply") -> dict[str, Any]:
    return {"manager": manager, "operation": operation, "fieldsV1": {"f:status": status}}


@pytest.mark.parametrize(
    ("entry", "own", "others"),
    [
        (
            _entry("kagent-apply", {"f:observedGeneration": {}, "f:conditions": {".": {}, READY: {}}}),
            {("observedGeneration",), ("conditions", "Ready")},
            {},
        ),
        (
            _entry("controller", {"f:capabilities": {"f:streaming": {}}}, "Update"),
            set(),
            {("capabilities",): "controller"},
        ),
        (
            _entry("controller", {"f:conditions": {READY: {"f:status": {}}}}, "Update"),
            set(),
            {("conditions", "Ready"): "controller"},
        ),
        # What was written without apply is not ours to take back by applying less.
        (
            _entry("kagent-apply", {"f:observedGeneration": {}}, "Update"),
            set(),
            {("observedGeneration",): "kagent-apply"},
        ),
        (_entry("controller", {}, "Update"), set(), {EVERYTHING: "controller"}),
        (_entry("kubectl", None), set(), {}),
        (_entry(5, {"f:observedGeneration": {}}), set(), {}),
        (_entry("controller", {"f:conditions": {"k:{": {}, "k:[]": {}, "v:1": {}, ".": {}}}), set(), {}),
        (_entry("controller", {"f:conditions": {'k:{"type":5}': {}, "k:" + "[" * 90_000: {}}}), set(), {}),
        (_entry("controller", {"f:conditions": "x", "f:other": {}}), set(), {}),
        ("nonsense", set(), {}),
        ({"manager": "a"}, set(), {}),
    ],
)
def test_an_entry_names_owners_of_pieces(entry: Any, own: set[Any], others: dict[Any, str]) -> None:
    found = read_owners("Harness", [entry])
    assert set(found.own) == own
    assert dict(found.others) == others


def test_pairs_are_pieces_by_their_harness() -> None:
    entry = _entry("other", {"f:harnesses": {'k:{"harness":"a"}': {"f:conditions": {}}}})
    found = read_owners(
        "AgentTemplate", [entry, _entry("kagent-apply", {"f:harnesses": {'k:{"harness":"b"}': {}}})]
    )
    assert found.own == {("harnesses", "b")}
    assert found.other(("harnesses", "a")) == "other"
    assert found.other(("harnesses", "b")) is None


def test_who_owns_the_status_as_a_whole_owns_every_piece() -> None:
    assert read_owners("Harness", [_entry("all", {}, "Update")]).other(("conditions", "Ready")) == "all"


@pytest.mark.parametrize("managed", [None, {}, "x", 5, [[]], [None]])
def test_managed_fields_of_another_shape_name_nobody(managed: Any) -> None:
    found = read_owners("Harness", managed)
    assert (found.own, found.others) == (frozenset(), {})
