"""What an API server with our definitions refuses we refuse, at the same place; what it stores we store."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable
from typing import Any, Final

import pytest

from kagent_render.api.kinds import DIALECTS
from kagent_render.api.resource_definition import resource_definition
from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.api.generation import mutate, valid_value
from tests.api.manifests import decode_value, manifest
from tests.api.test_crd_agreement import hub_spec
from tests.api_server import Answer, ApiServer

pytestmark = pytest.mark.server

CASES: Final = 400
VERSIONS: Final = [
    (version.rpartition("/")[2], kind)
    for version, kind in DIALECTS
    if kind in ("AgentPlugin", "AgentTemplate", "Harness")
]

STRICTER: Final[dict[str, Callable[[Diagnostic], bool]]] = {
    "a key of matchLabels, which a rule could only read at a cost without a bound": lambda fault: (
        "label key" in fault.message and ".matchLabels" in str(fault.field)
    ),
}
"""Where we refuse on purpose what an API server with our definitions lets pass."""


def _spec_schema(version: str, kind: str) -> dict[str, Any]:
    listed = resource_definition(kind)["spec"]["versions"]
    found = next(item for item in listed if item["name"] == version)
    schema: dict[str, Any] = found["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return schema


def _same_place(one: str, other: str) -> bool:
    """Whether one place holds the other: a duplicate is the entry to the server, and its key to us."""
    plain = [re.sub(r"\[([^\]]*)\]", r".\1", field).strip(".") + "." for field in (one, other)]
    return plain[0].startswith(plain[1]) or plain[1].startswith(plain[0])


def _unplaced(answer: Answer, errors: list[Diagnostic]) -> list[str]:
    """The fields that the server names and we do not; ones that it does not know are in its message."""
    found = [str(error.field) for error in errors]
    unknown = re.findall(r'unknown field "([^"]*)"', answer.message)
    return [
        field for field in (*answer.fields, *unknown) if not any(_same_place(field, place) for place in found)
    ]


@pytest.mark.parametrize(("version", "kind"), VERSIONS)
def test_decoding_agrees_with_the_server(servers: dict[str, ApiServer], version: str, kind: str) -> None:
    server = servers[version]
    schema = _spec_schema(version, kind)
    dice = random.Random(f"{kind} {version}")
    stored = refused = 0
    for number in range(CASES):
        spec = valid_value(schema, dice)
        for _ in range(number % 3):
            if spec:
                mutate(spec, schema, dice)
        subject = manifest(version, kind, spec)
        answer = server.create(subject)
        inventory, told = decode_value(copy.deepcopy(subject))
        errors = [fault for fault in told if fault.is_error]
        context = f"{json.dumps(subject)}\n{answer.message}\n{errors}"
        if answer.refused:
            assert answer.status in (400, 422), context
            assert errors, context
            assert not _unplaced(answer, errors), context
            refused += 1
        elif errors:
            assert all(any(known(fault) for known in STRICTER.values()) for fault in errors), context
        else:
            assert hub_spec(inventory) == answer.value["spec"], context
            stored += 1
    assert stored > CASES // 8, "too few of the generated objects are valid"
    assert refused > CASES // 8, "too few of the generated objects are invalid"
