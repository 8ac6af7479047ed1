"""Our CustomResourceDefinitions are upstream's but for what is listed here, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
import yaml

from kagent_render.agentplugin.names import is_valid
from kagent_render.api.kinds import DIALECTS
from kagent_render.api.resource_definition import (
    DEFINITIONS,
    LONGEST_PLUGIN_NAME,
    PLUGIN_NAME,
    resource_definition,
    versions,
)
from tests.parts import oracle_file

ORACLES: Final = {
    "Harness": "kagent.dev_harnesses.yaml",
    "AgentTemplate": "kagent.dev_agenttemplates.yaml",
    "AgentPlugin": "kubeagents.x-k8s.io_agentplugins.yaml",
}
_SELECTOR: Final = r"allowedAgentTemplates\.selector"
_SOURCE: Final = r"(plugins|skills)\[\]\.source"

DIFFERENCES: Final = {
    # Stricter than upstream, as the decoder is: what would be stored would not prepare.
    "a selector that no controller can evaluate": (
        rf"{_SELECTOR}\.matchLabels\{{\}} (maxLength|pattern)",
        rf"{_SELECTOR}\.matchExpressions\[\]\.key (maxLength|pattern)",
        rf"{_SELECTOR}\.matchExpressions\[\]\.operator enum",
        rf"{_SELECTOR}\.matchExpressions\[\]\.values\[\] (maxLength|pattern)",
        rf"{_SELECTOR}\.matchExpressions\[\] x-kubernetes-validations",
    ),
    "a credential in an address, and the bound without which an API server refuses the rule": (
        r"substrate\.snapshotPolicy\.location (maxLength|x-kubernetes-validations)",
        rf"{_SOURCE}\.(git\.url|bucket\.s3\.endpoint) (maxLength|x-kubernetes-validations)",
        r"image (maxLength|x-kubernetes-validations)",
    ),
    "a bucket or a region that is a URL or an ARN": (rf"{_SOURCE}\.bucket\.s3\.(bucket|region) pattern",),
    "the null version of an S3 object, which is none": (
        rf"{_SOURCE}\.bucket\.s3\.versionId x-kubernetes-validations",
    ),
    "a variable that no pod can have, and the bound for the rules on its source": (
        r"env\[\]\.name pattern",
        r"env\[\]\.valueFrom x-kubernetes-validations",
        r"env\[\] x-kubernetes-validations",
        r"env maxItems",
    ),
    # The same in other words.
    "the rule on a path stands at the path, where it is reported": (
        rf"{_SOURCE}\.path x-kubernetes-validations",
        rf"{_SOURCE} x-kubernetes-validations",
    ),
    "the sum that says exactly one of three says it of two as well": (
        r"tools\[\] x-kubernetes-validations",
        r"env\[\] x-kubernetes-validations",
    ),
    "a pattern or an enumeration leaves no empty text": (
        rf"{_SOURCE}\.git\.url minLength",
        r"tools\[\]\.mcp\.server\.kind minLength",
    ),
}
"""Fields of `spec`, as `field keyword`, where the schemas differ on purpose."""


def _definition(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(oracle_file(ORACLES[kind]).read_text(), yaml.CSafeLoader)
    return found


def _schemas(definition: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        version["name"]: version["schema"]["openAPIV3Schema"] for version in definition["spec"]["versions"]
    }


def _keywords(schema: dict[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    """Every keyword below a schema as `field keyword`, texts for people left out."""
    for key, value in schema.items():
        match key:
            case "properties":
                for name, below in value.items():
                    yield from _keywords(below, f"{place}.{name}" if place else name)
            case "items":
                yield from _keywords(value, f"{place}[]")
            case "additionalProperties":
                yield from _keywords(value, f"{place}{{}}")
            case "x-kubernetes-validations":
                yield f"{place} {key}", {re.sub(r"\s+", " ", rule["rule"]) for rule in value}
            case "enum" | "required":
                yield f"{place} {key}", set(value)
            case "description":
                pass
            case _:
                yield f"{place} {key}", value


def _differing(kind: str, part: str) -> set[str]:
    upstream, ours = _schemas(_definition(kind)), _schemas(resource_definition(kind))
    differing = set()
    for version, schema in upstream.items():
        theirs = dict(_keywords(schema["properties"][part]))
        here = dict(_keywords(ours[version]["properties"][part]))
        differing |= {key for key in theirs.keys() | here.keys() if theirs.get(key) != here.get(key)}
    return differing


@pytest.mark.parametrize("kind", ORACLES)
def test_spec_differs_from_upstream_where_that_is_listed(kind: str) -> None:
    patterns = [pattern for group in DIFFERENCES.values() for pattern in group]
    unlisted = [key for key in _differing(kind, "spec") if not any(re.fullmatch(p, key) for p in patterns)]
    assert unlisted == []


def test_every_listed_difference_is_one() -> None:
    differing = {key for kind in ORACLES for key in _differing(kind, "spec")}
    patterns = [pattern for group in DIFFERENCES.values() for pattern in group]
    assert [p for p in patterns if not any(re.fullmatch(p, key) for key in differing)] == []


@pytest.mark.parametrize("kind", ORACLES)
def test_status_is_upstream_s(kind: str) -> None:
    assert _differing(kind, "status") == set()


@pytest.mark.parametrize("kind", ORACLES)
def test_what_is_said_of_the_resource_is_upstream_s(kind: str) -> None:
    theirs, ours = _definition(kind), resource_definition(kind)
    assert ours["metadata"]["name"] == theirs["metadata"]["name"]
    for key in ("group", "names", "scope"):
        assert ours["spec"][key] == theirs["spec"][key]
    (upstream,), here = theirs["spec"]["versions"], ours["spec"]["versions"][0]
    for key in ("name", "served", "storage", "subresources", "additionalPrinterColumns"):
        assert here[key] == upstream[key]
    wanted, given = (version["schema"]["openAPIV3Schema"] for version in (upstream, here))
    assert given.get("required") == wanted.get("required")
    rules = [[rule["rule"] for rule in root.get("x-kubernetes-validations", ())] for root in (given, wanted)]
    assert rules[0] == rules[1]


@pytest.mark.parametrize("kind", ["AgentTemplate", "Harness"])
@pytest.mark.parametrize(
    ("asked", "served"), [(None, "v1alpha3"), ("v1alpha3", "v1alpha3"), ("v1alpha2", "v1alpha2")]
)
def test_one_version_is_served_and_stored(kind: str, asked: str | None, served: str) -> None:
    listed = resource_definition(kind, asked)["spec"]["versions"]
    assert [version["name"] for version in listed] == ["v1alpha3", "v1alpha2"]
    assert [version["name"] for version in listed if version["served"]] == [served]
    assert [version["name"] for version in listed if version["storage"]] == [served]


def _undescribed(schema: dict[str, Any], place: str) -> Iterator[str]:
    for name, below in schema.get("properties", {}).items():
        if "description" not in below:
            yield f"{place}.{name}"
        yield from _undescribed(below.get("items", below), f"{place}.{name}")


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_every_field_is_described(kind: str) -> None:
    for version, schema in _schemas(resource_definition(kind)).items():
        missing = [field for field in _undescribed(schema, version) if not field.endswith(".metadata")]
        assert missing == []


def test_every_version_of_a_kind_has_its_schema() -> None:
    for kind, definition in DEFINITIONS.items():
        known = {version for version, name in DIALECTS if name == kind}
        assert {f"{definition.group}/{version}" for version in versions(kind)} == known


@pytest.mark.parametrize("name", ["a", "a1", "my-plugin", "1a", "A", "", "x" * 56, "x" * 57])
def test_the_names_of_plugins_are_those_that_the_compiler_takes(name: str) -> None:
    fits = re.search(PLUGIN_NAME, name) is not None and len(name) <= LONGEST_PLUGIN_NAME
    assert fits is is_valid(name)
