"""What the comparison of a root before and after tells, whatever made it another one."""

from __future__ import annotations

import json
import random

import pytest

from kagent_render.migration.comparison import differences, new_pairs
from tests.migration.roots import objects, prepared

PLAIN = "\n---\n".join(json.dumps(value) for value in objects(random.Random(1)))
LEAD = '"name": "lead", "labels": {"runtime": "python"}'
CHANGES = {
    "a pair that is lost": (
        (LEAD, LEAD.replace("python", "none")),
        ["the pair `team/runtime/lead` would not be prepared: Harness `runtime` does not admit"],
    ),
    "a pair that nobody asks for": (
        ('"harnesses": {"include": [{"name": "runtime"}]}', '"harnesses": {}'),
        [f"the pair `team/runtime/{name}` would be lost" for name in ("critic", "helper", "lead")],
    ),
    "another model": (
        ('"model": "gpt-5"', '"model": "gpt-6"'),
        [
            f"the pair `team/runtime/{name}` would be prepared differently: `spec.containers[0].env["
            for name in ("critic", "helper", "lead")
        ],
    ),
    "a document that is no valid one": (
        ('"provider": "OpenAI"', '"provider": "Other"'),
        [
            *(
                f"the pair `team/runtime/{name}` would not be prepared: it is blocked"
                for name in ("critic", "helper", "lead")
            ),
            "the migrated root would not be prepared: `provider` must be",
        ],
    ),
}


@pytest.mark.parametrize(("change", "messages"), CHANGES.values(), ids=CHANGES)
def test_a_difference_is_told_of_its_pair(change: tuple[str, str], messages: list[str]) -> None:
    assert change[0] in PLAIN
    before = prepared({"a.yaml": PLAIN.encode()})
    after = prepared({"a.yaml": PLAIN.replace(*change).encode()})
    found = list(differences(before, after))
    assert len(found) == len(messages)
    for fault, message in zip(found, messages, strict=True):
        assert (fault.reason, fault.is_error) == ("NotMigratable", True)
        assert fault.message.startswith(message)
        assert fault.hint


def test_a_new_pair_is_told_unless_it_is_allowed() -> None:
    other = PLAIN.replace('"harnesses": {"include": [{"name": "runtime"}]}', '"harnesses": {}')
    before, after = prepared({"a.yaml": other.encode()}), prepared({"a.yaml": PLAIN.encode()})
    assert [str(fault.pair) for fault in differences(before, after)] == [
        f"team/runtime/{name}" for name in ("critic", "helper", "lead")
    ]
    assert list(differences(before, after, allow_new_pairs=True)) == []
    assert (new_pairs(before, after), new_pairs(after, before)) == (3, 0)
