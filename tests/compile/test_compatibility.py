"""What a boundary needs of its runtime, and what a capability record says about that."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.compile.capabilities.record import UNPROVEN, CapabilityRecord, choose_record, decode_record
from kagent_render.compile.compatibility import check_requirements, derive_requirements
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason
from tests.compile.boundaries import agent, bundle, record, template
from tests.manifests import server

MCP = "{mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [t]}}"
SERVER = server("{description: d, url: 'https://mcp.example.com'}")


def requirements(*texts: str, path: str = "") -> list[str]:
    return [str(requirement) for requirement in bundle(*texts, path=path).requirements]


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(MCP, ["mcpInjection"], id="an MCP server"),
        pytest.param(agent("one"), ["maxNativeAgentDepth>=1", "nativeAgentTools"], id="a Shared agent"),
        pytest.param(
            agent("one", "Dedicated"), ["dedicatedAgentTools", "mcpInjection"], id="a Dedicated agent"
        ),
        pytest.param(
            f"{agent('one')}, {agent('two', of='one')}, {MCP}, {MCP.replace('[t]', '[u]')}",
            ["maxNativeAgentDepth>=1", "mcpInjection", "nativeAgentTools"],
            id="each once, sorted",
        ),
    ],
)
def test_requirements_follow_from_the_tools(tools: str, expected: list[str]) -> None:
    assert requirements(template("lead", f"tools: [{tools}]"), template("one"), SERVER) == expected


def test_a_shared_child_s_tools_are_the_boundary_s_own_and_a_dedicated_one_s_are_not() -> None:
    child = template("one", f"tools: [{MCP}]")
    assert "mcpInjection" in requirements(template("lead", f"tools: [{agent('one')}]"), child, SERVER)
    dedicated = template("lead", f"tools: [{agent('one', 'Dedicated')}]")
    assert requirements(dedicated, child, SERVER, path="one") == ["mcpInjection"]


def test_a_requirement_stands_at_the_first_field_that_needs_it() -> None:
    found = bundle(
        template("lead", f"tools: [{MCP}, {agent('one')}, {agent('two', of='one')}]"), template("one"), SERVER
    )
    fields = {str(need): need.provenance.field for need in derive_requirements(found.agent)}
    assert fields["mcpInjection"] == ("spec", "tools", 0, "mcp")
    assert fields["nativeAgentTools"] == ("spec", "tools", 1, "agent")


LEAD = template("lead", f"tools: [{MCP}, {agent('one')}, {agent('two', 'Dedicated', of='one')}]")


def judged(**values: Any) -> list[tuple[str, str | None, Severity]]:
    found = bundle(LEAD, template("one"), SERVER)
    faults = check_requirements(found.requirements, record(**values))
    return [(fault.reason.value, fault.field, fault.severity) for fault in faults]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({}, [], id="all is proven"),
        pytest.param(
            {"mcpInjection": False},
            [("CapabilityUnsupported", "spec.tools[0].mcp", Severity.ERROR)],
            id="denied",
        ),
        pytest.param(
            {"mcpInjection": UNPROVEN},
            [("CapabilityUnproven", "spec.tools[0].mcp", Severity.WARNING)],
            id="unproven",
        ),
        pytest.param(
            {"maxNativeAgentDepth": 0},
            [("CapabilityUnsupported", "spec.tools[1].agent", Severity.ERROR)],
            id="not deep enough",
        ),
        pytest.param(
            {"maxNativeAgentDepth": 0, "nativeAgentTools": False},
            [("CapabilityUnsupported", "spec.tools[1].agent", Severity.ERROR)],
            id="two needs of one field are one fault",
        ),
        pytest.param(
            {"dedicatedAgentTools": UNPROVEN, "nativeAgentTools": False},
            [
                ("CapabilityUnsupported", "spec.tools[1].agent", Severity.ERROR),
                ("CapabilityUnproven", "spec.tools[2].agent", Severity.WARNING),
            ],
            id="one of each",
        ),
    ],
)
def test_a_record_decides_at_the_needing_field(
    values: dict[str, Any], expected: list[tuple[str, str, Severity]]
) -> None:
    assert judged(**values) == expected


def test_a_message_names_capability_and_record() -> None:
    found = bundle(LEAD, template("one"), SERVER)
    for value in (False, UNPROVEN):
        (fault,) = check_requirements(found.requirements, record(mcpInjection=value))
        assert "`mcpInjection`" in fault.message
        assert "`some-record`" in fault.message


def test_what_a_record_does_not_name_is_denied() -> None:
    empty = CapabilityRecord("r", "1", "python", "x", frozenset(), True, {}, "")
    faults = check_requirements(bundle(LEAD, template("one"), SERVER).requirements, empty)
    assert {fault.reason for fault in faults} == {Reason.CAPABILITY_UNSUPPORTED}


def named(name: str, *images: str, default: bool = False, adapter: str = "python") -> CapabilityRecord:
    return CapabilityRecord(name, "1", adapter, "x", frozenset(images), default, {}, "")


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        pytest.param("r.example/a@sha256:1", "one", id="the record that names the image's digest"),
        pytest.param("mirror.example/b@sha256:1", "one", id="wherever the image is kept"),
        pytest.param("r.example/a@sha256:9", "default", id="else the adapter's default"),
        pytest.param("", "default", id="without an image"),
    ],
)
def test_the_image_chooses_the_record(image: str, expected: str) -> None:
    records = [
        named("other", "sha256:1", adapter="codex"),
        named("default", default=True),
        named("one", "sha256:1"),
    ]
    chosen = choose_record(records, "python", image)
    assert chosen is not None
    assert chosen.name == expected


def test_an_adapter_without_any_record_has_none() -> None:
    assert choose_record([named("a", default=True)], "codex", "x@sha256:1") is None


def test_the_catalog_has_one_default_for_each_adapter_and_claims_nothing() -> None:
    records = load_catalog()
    adapters = {found.adapter for found in records}
    assert "python" in adapters
    assert all(sum(found.default for found in records if found.adapter == name) == 1 for name in adapters)


def test_a_record_with_an_unknown_capability_is_refused() -> None:
    document = {
        "metadata": {"name": "r"},
        "spec": {
            "version": 1,
            "adapter": "python",
            "runtime": {"name": "x", "version": "1"},
            "capabilities": {"flying": True},
        },
    }
    with pytest.raises(KeyError, match="flying"):
        decode_record(document, "")
