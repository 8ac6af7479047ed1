"""SARIF as GitHub takes it, and as its schema has it."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.explanations import load_explanations
from kagent_render.diagnostics.finding import Finding
from kagent_render.diagnostics.reasons import Reason
from kagent_render.diagnostics.sarif import MOST_RESULTS, write_sarif
from tests.diagnostics.hostile import HOSTILE, PAIR, finding, hostile, many
from tests.parts import go_oracle_module

PAGES = "https://example.com/docs"
EXPLANATIONS = load_explanations()


def sarif(*findings: Finding, pages: str | None = PAGES) -> Any:
    return json.loads(write_sarif(findings, EXPLANATIONS, "1.2.3", pages))


def run_of(*findings: Finding) -> Any:
    [run] = sarif(*findings)["runs"]
    return run


def test_a_result_has_rule_level_place_object_and_fingerprint() -> None:
    [result] = run_of(finding(hint="write `y`", pair=PAIR))["results"]
    [fingerprint] = result.pop("partialFingerprints").items()
    assert fingerprint[0] == "kagentRender/v1"
    full = "kagent.dev/v1alpha2/AgentTemplate/team/lead"
    assert result == {
        "ruleId": "UnknownField",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "the field `x` is unknown; hint: write `y`"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "team/lead.yaml", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 7, "startColumn": 3},
                },
                "logicalLocations": [
                    {"name": "AgentTemplate/lead", "fullyQualifiedName": full, "kind": "resource"},
                    {"name": "spec.x", "fullyQualifiedName": f"{full}#spec.x", "kind": "property"},
                ],
            }
        ],
        "properties": {"pair": "team/runtime/lead"},
    }


def test_what_is_unknown_is_left_out() -> None:
    [result] = run_of(finding(object=None, field=None))["results"]
    assert list(result["locations"][0]) == ["physicalLocation"]


@pytest.mark.parametrize(
    ("severity", "level"),
    [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "note")],
)
def test_a_severity_has_its_level(severity: Severity, level: str) -> None:
    assert run_of(finding(severity=severity))["results"][0]["level"] == level


def test_rules_are_those_that_results_have_and_are_explained() -> None:
    found = [finding(reason=reason) for reason in (Reason.LOCK_STALE, Reason.INVALID_SPEC, Reason.LOCK_STALE)]
    run = run_of(*found)
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["InvalidSpec", "LockStale"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]
    assert rules[1]["helpUri"] == "https://example.com/docs/reasons.md#lockstale"
    assert rules[1]["help"]["text"] == "Run `kagent-render render` and commit the result."
    assert rules[1]["shortDescription"]["text"] == "An input changed and the lock was not rendered again."


def test_without_a_known_address_no_rule_has_one() -> None:
    assert "helpUri" not in write_sarif([finding()], EXPLANATIONS, "1.2.3")


@pytest.mark.parametrize("path", ["a b/ü.yaml", "a%20b.yaml", "a:b.yaml", "a?b#c.yaml", "tab\tline\n.yaml"])
def test_a_path_is_a_relative_uri(path: str) -> None:
    [result] = run_of(finding(path=path))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri)
    assert unquote(uri) == path


@pytest.mark.parametrize("text", HOSTILE)
def test_a_message_holds_no_link(text: str) -> None:
    [result] = run_of(finding(text))["results"]
    assert "](" not in result["message"]["text"]


def test_a_configuration_at_fault_is_a_run_without_success() -> None:
    assert run_of(finding())["invocations"] == [{"executionSuccessful": True}]
    assert run_of(finding(reason=Reason.CONFIG_INVALID))["invocations"] == [{"executionSuccessful": False}]
    assert run_of()["results"] == []


def test_more_results_than_github_takes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_RESULTS == 25_000
    monkeypatch.setattr("kagent_render.diagnostics.sarif.MOST_RESULTS", 100)
    run = run_of(*many(100, Severity.WARNING), *many(5))
    assert len(run["results"]) == 100
    assert [result["level"] for result in run["results"][:6]] == ["error"] * 5 + ["warning"]
    [notification] = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == "5 more results were left out, the least severe ones"
    fingerprints = {result["partialFingerprints"]["kagentRender/v1"] for result in run["results"]}
    assert len(fingerprints) == 100


@pytest.fixture(scope="module")
def schema() -> Any:
    """OASIS's schema, as a Go module carries it."""
    source = (
        go_oracle_module("reports", "github.com/owenrumney/go-sarif/v3") / "pkg/report/v210/sarif/schema.go"
    )
    _, text, _ = source.read_text(encoding="utf-8").split("`")
    return json.loads(text)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "findings",
    [
        pytest.param([], id="none"),
        pytest.param([finding(pair=PAIR, hint="x"), finding(object=None, field=None)], id="ordinary"),
        pytest.param(hostile(), id="hostile"),
        pytest.param([finding(reason=reason) for reason in Reason], id="every reason"),
        pytest.param(many(MOST_RESULTS + 1), id="too many"),
    ],
)
def test_the_official_schema_accepts_it(schema: Any, findings: list[Finding]) -> None:
    jsonschema.Draft4Validator.check_schema(schema)
    format_checker = jsonschema.Draft4Validator.FORMAT_CHECKER
    document = sarif(*findings)
    document["runs"][0]["results"] = document["runs"][0]["results"][:100]
    jsonschema.Draft4Validator(schema, format_checker=format_checker).validate(document)


@pytest.mark.oracle
def test_the_schema_refuses_what_is_wrong(schema: Any) -> None:
    document = sarif(finding())
    document["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft4Validator(schema).validate(document)
