"""Each rule of our definitions refuses what breaks it, and our decoder refuses it at the same field."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from kagent_render.api.kinds import DIALECTS
from kagent_render.api.resource_definition import DEFINITIONS, resource_definition
from tests.api.manifests import decode_value, manifest
from tests.api_server import Answer, ApiServer
from tests.cluster.violations import VALID, VIOLATIONS, Violation

pytestmark = pytest.mark.server

Servers = dict[str, ApiServer]


def _ask(servers: Servers, version: str, kind: str, spec: dict[str, Any]) -> tuple[Answer, set[str]]:
    """What the server says, and the fields where we find an error."""
    subject = manifest(version, kind, spec)
    answer = servers[version].create(subject)
    _, told = decode_value(copy.deepcopy(subject))
    return answer, {str(fault.field) for fault in told if fault.is_error}


@pytest.mark.parametrize(("version", "kind"), VALID)
def test_what_the_violations_start_from_is_valid(servers: Servers, version: str, kind: str) -> None:
    answer, found = _ask(servers, version, kind, VALID[version, kind])
    assert not answer.refused, answer.message
    assert found == set()


@pytest.mark.parametrize(
    ("subject", "violation"), VIOLATIONS, ids=lambda value: getattr(value, "at", None) or " ".join(value)
)
def test_a_violation_is_refused_at_one_field(
    servers: Servers, subject: tuple[str, str], violation: Violation
) -> None:
    answer, found = _ask(servers, *subject, violation.spec(VALID[subject]))
    assert answer.refused
    assert found == {violation.place}
    unknown = answer.status == 400
    assert violation.server_place in (answer.message if unknown else answer.fields)
    assert unknown or len(answer.fields) == 1, answer.message


def _messages(schema: dict[str, Any]) -> Iterator[str]:
    for rule in schema.get("x-kubernetes-validations", ()):
        yield rule["message"]
    below = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    for found in below:
        if isinstance(found, dict):
            yield from _messages(found)


def test_every_rule_in_cel_is_broken_by_a_violation(servers: Servers) -> None:
    said = {
        (subject, _ask(servers, *subject, violation.spec(VALID[subject]))[0].message)
        for subject, violation in VIOLATIONS
    }
    for kind in DEFINITIONS:
        for listed in resource_definition(kind)["spec"]["versions"]:
            spec = listed["schema"]["openAPIV3Schema"]["properties"]["spec"]
            answers = [message for subject, message in said if subject == (listed["name"], kind)]
            unbroken = {rule for rule in _messages(spec) if not any(rule in text for text in answers)}
            assert unbroken == set()


@pytest.mark.parametrize("name", ["my-plugin", "1plugin", "x" * 57])
def test_the_name_of_a_plugin_is_one_that_the_operator_can_use(servers: Servers, name: str) -> None:
    subject = manifest("v1alpha1", "AgentPlugin", VALID["v1alpha1", "AgentPlugin"])
    subject["metadata"]["name"] = name
    assert "the name of an AgentPlugin must" in servers["v1alpha1"].create(subject).message


def test_every_version_has_a_valid_spec() -> None:
    ours = {(version.rpartition("/")[2], kind) for version, kind in DIALECTS if kind in DEFINITIONS}
    assert set(VALID) == ours
