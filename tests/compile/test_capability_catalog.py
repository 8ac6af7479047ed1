"""The shipped capability records: complete, each value shown by something that is there."""

from __future__ import annotations

import re

import pytest

from kagent_render.api.hub import Variant
from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.compile.capabilities.reading import ADAPTERS
from kagent_render.compile.capabilities.record import UNPROVEN, CapabilityRecord
from kagent_render.compile.capabilities.vocabulary import VOCABULARY
from tests.parts import REPOSITORY

RECORDS = load_catalog()
_TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")
each_record = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)


def test_every_adapter_has_one_default() -> None:
    defaults = sorted(record.adapter for record in RECORDS if record.default)
    assert defaults == sorted(ADAPTERS)
    assert {adapter_of(variant).NAME for variant in Variant} == set(ADAPTERS)


def test_every_pinned_runtime_has_a_record() -> None:
    assert {record.runtime for record in RECORDS} == {
        "python reference runtime 0.1.0",
        "kagent-adk 0.10.4",
        "Claude Code 2.1.332",
        "Codex 0.171.0",
    }


@each_record
def test_a_record_names_every_capability(record: CapabilityRecord) -> None:
    assert list(record.capabilities) == list(VOCABULARY)


@each_record
def test_what_is_proven_names_tests_that_there_are(record: CapabilityRecord) -> None:
    for name, capability in record.capabilities.items():
        if capability.value in (False, UNPROVEN, ()):
            continue
        found = _TEST.findall(capability.evidence)
        assert found, f"{name}: {capability.evidence}"
        for path, test in found:
            assert f"def {test}(" in (REPOSITORY / path).read_text(), capability.evidence


def test_kagent_adk_has_no_native_agents() -> None:
    (record,) = (record for record in RECORDS if record.runtime_name == "kagent-adk")
    assert record.capability("nativeAgentTools").value is False
    assert "sub_agents" in record.capability("nativeAgentTools").evidence
