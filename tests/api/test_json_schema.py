"""Our JSON Schemas take what the decoder takes, and refuse what a schema can refuse."""

from __future__ import annotations

import inspect
import random
import re
from typing import Any, Final

import jsonschema
import pytest
import yaml

from kagent_render.api.defaulting import defaulted
from kagent_render.api.documentation import _module_help
from kagent_render.api.json_schema import DRAFT
from kagent_render.api.kinds import DIALECTS
from kagent_render.api.published import WHOLE, Published, published, schema_files, schema_of
from kagent_render.api.structural import structural_schema
from kagent_render.preparation.in_use import check_in_use
from kagent_render.source.config import TARGETS
from kagent_render.source.config_reading import decode_config
from kagent_render.source.document import Document
from tests.api.generation import mutate, valid_value
from tests.api.manifests import Nowhere, decode_value, manifest
from tests.cluster.violations import VALID, VIOLATIONS, Violation
from tests.committed import committed_files, valid_manifests
from tests.parts import REPOSITORY

CASES: Final = 60
_WHOLE: Final = jsonschema.Draft7Validator(schema_of())

UNSAYABLE: Final = re.compile(r"\.name$|^harnesses\.include\[1\]")
"""Fields of an entry that is there twice: JSON Schema compares entries as a whole."""


def _wrong(value: Any) -> list[str]:
    return [error.message for error in _WHOLE.iter_errors(value)]


@pytest.mark.parametrize("path", schema_files())
def test_every_file_is_a_schema_of_its_dialect(path: str) -> None:
    schema = schema_files()[path]
    assert schema["$schema"] == DRAFT
    jsonschema.Draft7Validator.check_schema(schema)


def _patterns(schema: Any) -> set[str]:
    """Every regular expression of a schema: values of `pattern`, keys of `patternProperties`."""
    if isinstance(schema, list):
        return {found for item in schema for found in _patterns(item)}
    if not isinstance(schema, dict):
        return set()
    own = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
    return own | {*schema.get("patternProperties", ())} | _patterns([*schema.values()])


def test_no_pattern_escapes_what_ecma_262_forbids() -> None:
    """Editors compile patterns with the flag `u`, where an escape that means nothing is an error."""
    found = {pattern for schema in schema_files().values() for pattern in _patterns(schema)}
    assert len(found) > 10
    outside = {pattern: re.sub(r"\[(?:\\.|[^\]])*\]", "", pattern) for pattern in found}
    escapes = {pattern: re.findall(r"\\(.)", text) for pattern, text in outside.items()}
    known = set("^$\\.*+?()[]{}|/dDsSwWbBnrtfv")
    assert {pattern for pattern, names in escapes.items() if not known.issuperset(names)} == set()


def test_nothing_points_out_of_a_file() -> None:
    for schema in schema_files().values():
        assert set(re.findall(r"'\$ref': '([^#][^']*)'", repr(schema))) == set()


def test_every_valid_committed_manifest_is_right() -> None:
    told = {
        f"{found.path} {found.ref.kind}/{found.ref.name}": _wrong(found.value) for found in valid_manifests()
    }
    assert len(told) > 50
    assert {subject: wrong for subject, wrong in told.items() if wrong} == {}


def test_every_committed_config_is_right() -> None:
    configs = [path for path in committed_files() if path.name == "kagent-render.yaml"]
    assert len(configs) > 5
    for path in configs:
        assert _wrong(yaml.load(path.read_bytes(), yaml.CSafeLoader)) == [], path.relative_to(REPOSITORY)


@pytest.mark.parametrize(("version", "kind"), VALID)
def test_what_the_violations_start_from_is_right(version: str, kind: str) -> None:
    assert _wrong(manifest(version, kind, VALID[version, kind])) == []


@pytest.mark.parametrize(
    ("subject", "violation"), VIOLATIONS, ids=lambda value: getattr(value, "at", None) or " ".join(value)
)
def test_a_violation_is_seen(subject: tuple[str, str], violation: Violation) -> None:
    wrong = _wrong(manifest(*subject, violation.spec(VALID[subject])))
    repeated = bool(violation.server) and UNSAYABLE.search(violation.told) is not None
    assert bool(wrong) is not repeated


@pytest.mark.parametrize(("version", "kind"), DIALECTS)
def test_no_manifest_that_decodes_is_wrong(version: str, kind: str) -> None:
    model = DIALECTS[version, kind].model
    schema = structural_schema(model)
    dice = random.Random(f"{kind} {version}")
    right = wrong = 0
    for number in range(CASES):
        spec = valid_value(schema, dice)
        for _ in range(number % 3):
            if spec:
                mutate(spec, schema, dice)
        subject = manifest(version.rpartition("/")[2], kind, defaulted(model, spec))
        told = _wrong(subject)
        if told:
            assert any(fault.is_error for fault in decode_value(subject)[1]), f"{subject}\n{told}"
            wrong += 1
        else:
            right += 1
    assert right > CASES // 10
    assert wrong > CASES // 10


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ({"apiVersion": "v1", "kind": "Service"}, True),
        ({"apiVersion": "example.com/v1", "kind": "Harness", "spec": 1}, True),
        ({"apiVersion": "kagent.dev/v1", "kind": "Harness"}, False),
        ({"apiVersion": "kagent.dev/v1alpha3", "kind": "Harness"}, False),
        ({"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret"}]}, True),
        (
            {
                "apiVersion": "v1",
                "kind": "List",
                "items": [{"apiVersion": "kagent.dev/v1", "kind": "Harness"}],
            },
            False,
        ),
        (None, True),
    ],
    ids=str,
)
def test_the_whole_schema_chooses_by_version_and_kind(value: Any, right: bool) -> None:
    assert (not _wrong(value)) is right


_CONFIGS: Final[list[tuple[dict[str, Any], bool]]] = [
    ({}, True),
    *(({"target": target}, True) for target in TARGETS),
    ({"target": "ate.dev/v1"}, False),
    ({"sources": ["*.yaml", "!x/**"]}, True),
    ({"sources": [""]}, False),
    ({"sources": "*.yaml"}, False),
    ({"controller": {"name": "Controller"}}, False),
    ({"tools": {"url": "https://tools.example.com:8085/"}}, True),
    ({"tools": {"url": "https://user:word@tools.example.com"}}, False),
    ({"tools": {"url": "ftp://tools.example.com"}}, False),
    ({"tools": {"url": "https://tools.example.com?x=1"}}, False),
    ({"substrate": {"workerPool": "", "snapshotLocation": "s3://x"}}, False),
    ({"substrate": {"snapshotLocation": "s3://user@x/y"}}, False),
    ({"substrate": {"pauseImage": "pause:3"}}, False),
    ({"images": {"python": f"x@sha256:{'0' * 64}"}}, True),
    ({"images": {"java": f"x@sha256:{'0' * 64}"}}, False),
    ({"artifacts": {"s3": {"region": "EU"}}}, False),
    ({"artifacts": {"oci": {"platform": "linux"}}}, False),
    ({"artifacts": {"oci": {"mirrors": {"registry.example.com": "mirror.example.com/x"}}}}, True),
    ({"artifacts": {"oci": {"mirrors": {"https://registry": "mirror"}}}}, False),
    ({"artifacts": {"oci": {"insecure": ["localhost:5000"]}}}, True),
    ({"retention": {"revisions": 0}}, False),
    ({"retention": {"revisions": 1001}}, False),
    ({"retention": {"protect": "yes"}}, False),
    ({"kubeVersion": 1.35}, False),
    ({"kubeVersion": "1.35"}, True),
    ({"capabilities": [".kagent/capabilities/*.yaml"]}, True),
    ({"outputs": "x"}, False),
]


@pytest.mark.parametrize(("spec", "right"), _CONFIGS, ids=str)
def test_the_schema_of_the_config_agrees_with_its_reader(spec: dict[str, Any], right: bool) -> None:
    value = {"apiVersion": "render.kagent.dev/v1alpha1", "kind": "RenderConfig", "spec": spec}
    config, _ = decode_config(Document("kagent-render.yaml", value, Nowhere()))
    assert (config is not None) is right
    assert (not _wrong(value)) is right


def test_every_field_of_the_config_is_in_its_schema() -> None:
    schema = next(found.schema for found in published("RenderConfig"))
    text = "\n".join(line.split("#")[0] for line in (REPOSITORY / "README.md").read_text().split("\n"))
    block = text.split("```yaml kagent-render.yaml\n")[1].split("```")[0]
    shown = yaml.load(block, yaml.CSafeLoader)["spec"]
    assert set(schema["properties"]["spec"]["properties"]) == set(shown)


@pytest.mark.parametrize(
    ("spec", "metadata", "right"),
    [
        ({"actorTemplates": []}, {"namespace": "team"}, True),
        ({"actorTemplates": ["a"]}, {"namespace": "team", "name": "team"}, True),
        ({"actorTemplates": "a"}, {"namespace": "team"}, False),
        ({"actorTemplates": ["a"]}, {"name": "team"}, False),
    ],
)
def test_the_schema_of_what_is_in_use_agrees_with_its_reader(
    spec: dict[str, Any], metadata: dict[str, Any], right: bool
) -> None:
    value = {"apiVersion": "render.kagent.dev/v1alpha1", "kind": "InUse", "metadata": metadata, "spec": spec}
    assert ([*check_in_use([Document("x.yaml", value, Nowhere())])] == []) is right
    assert (not _wrong(value)) is right


def test_without_the_package_s_sources_only_the_help_of_fields_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without(schema: Any) -> Any:
        if isinstance(schema, dict):
            return {k: without(v) for k, v in schema.items() if not k.lower().endswith("description")}
        return schema

    whole = schema_of("Harness")
    monkeypatch.setattr(inspect, "getsource", _no_source)
    _module_help.cache_clear()
    bare = schema_of("Harness")
    _module_help.cache_clear()
    assert bare != whole
    assert without(bare) == without(whole)


def _no_source(_: object) -> str:
    raise OSError("could not get source code")


def _undescribed(schema: dict[str, Any], place: str) -> list[str]:
    found = []
    for name, below in schema.get("properties", {}).items():
        inner = below.get("items", below)
        if below.get("type") and not (below.get("description") or inner.get("description")):
            found.append(f"{place}.{name}")
        found += _undescribed(inner, f"{place}.{name}")
    return found


@pytest.mark.parametrize("entry", published(), ids=lambda entry: entry.path)
def test_every_field_has_help(entry: Published) -> None:
    assert _undescribed(entry.schema["properties"]["spec"], entry.kind) == []


def test_the_whole_schema_is_one_of_the_files() -> None:
    assert schema_files()[WHOLE] == schema_of()
