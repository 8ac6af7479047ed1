"""What a boundary says reaches what Claude Code reads, or a diagnostic; no text leaves its place."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.compile.boundary import CompiledBoundary
from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.compile.claude import claude, config_of, file_of

pytestmark = pytest.mark.process

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)
"""Any text that YAML holds in double quotes; quotes, braces and expansions among it."""
names = st.from_regex("[A-Za-z][A-Za-z0-9_-]{0,9}", fullmatch=True)
hostile = st.sampled_from(
    ['"', "\\", "${HOME}", '"}', "\u2028", "Agent(x)", "*", "mcp__x", "a b", "'", "{{x}}"]
)
anything = texts | hostile | st.builds(str.__add__, texts, hostile)


@dataclass(frozen=True)
class Server:
    url: str
    headers: dict[str, str]
    sse: bool
    timeout: int | None


@dataclass(frozen=True)
class Agent:
    prompt: str
    description: str
    model: str
    selected: dict[int, list[str]]


servers = st.builds(
    Server,
    st.sampled_from(["https://h/mcp", "http://h:8080/a?b=c", "https://h/${HOME}"]),
    st.dictionaries(st.sampled_from(["X-A", "X-B", "Host"]), anything, max_size=2),
    st.booleans(),
    st.none() | st.integers(1, 9999),
)
agents = st.builds(
    Agent,
    anything,
    anything,
    st.sampled_from(["claude-x", "vendor/y@1", "haiku", "z[1m]"]),
    st.dictionaries(
        st.integers(0, 1), st.lists(st.sampled_from(["a", "b_c", "d.e", "*"]), min_size=1, unique=True)
    ),
)


def quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).translate({0x2028: "\\u2028", 0x2029: "\\u2029"})


def resource(kind: str, name: str, spec: dict[str, Any]) -> str:
    metadata = {"namespace": "team", "name": name}
    return (
        quoted({"apiVersion": "kagent.dev/v1alpha2", "kind": kind, "metadata": metadata, "spec": spec}) + "\n"
    )


def template(name: str, agent: Agent, bound: dict[str, int]) -> list[str]:
    """A template and its model; `bound` are the names of its Shared agents with their number."""
    tools: list[dict[str, Any]] = [
        {"mcp": {"server": {"kind": "RemoteMCPServer", "name": f"s{number}"}, "tools": chosen}}
        for number, chosen in agent.selected.items()
    ]
    return [
        resource("ModelConfig", f"of-{name}", {"provider": "Anthropic", "model": agent.model}),
        resource(
            "AgentTemplate",
            name,
            {
                "modelConfig": {"name": f"of-{name}"},
                "systemPrompt": agent.prompt,
                "description": agent.description,
                "tools": [*tools, *bindings(bound)],
                "harnesses": {"include": [{"name": "runtime"}]},
            },
        ),
    ]


def bindings(bound: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "agent": {
                "name": name,
                "description": DESCRIPTIONS[number],
                "templateRef": {"name": f"t{number}"},
            }
        }
        for name, number in bound.items()
    ]


DESCRIPTIONS = ["First.\n- x: y", 'Second "quoted" ${HOME}']


def told(faults: list[Diagnostic], field: str) -> bool:
    return any((fault.field or "").startswith(field) for fault in faults)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(servers, min_size=2, max_size=2),
    agents,
    st.lists(agents, min_size=2, max_size=2),
    st.lists(names, min_size=2, max_size=2, unique_by=lambda name: name.lower().replace("-", "_")),
)
def test_everything_reaches_its_place_or_a_diagnostic(
    available: list[Server], root: Agent, children: list[Agent], bound: list[str]
) -> None:
    if "user" in (name.lower() for name in bound):
        return
    manifests = [
        *(
            resource("RemoteMCPServer", f"s{number}", _spec(server))
            for number, server in enumerate(available)
        ),
        *template("lead", root, dict(zip(bound, (0, 1), strict=True))),
        *(text for number, child in enumerate(children) for text in template(f"t{number}", child, {})),
    ]
    boundary, faults = claude(*manifests)
    _check_agents(boundary, faults, {"kagent.root": root, **dict(zip(bound, children, strict=True))})
    _check_servers(boundary, faults, available, [root, *children])


def _spec(server: Server) -> dict[str, Any]:
    timeout = {} if server.timeout is None else {"timeout": f"{server.timeout}ms"}
    return {
        "description": "d",
        "url": server.url,
        "protocol": "SSE" if server.sse else "STREAMABLE_HTTP",
        "headersFrom": [{"name": name, "value": value} for name, value in server.headers.items()],
        **timeout,
    }


def _check_agents(boundary: CompiledBoundary, faults: list[Diagnostic], agents: dict[str, Agent]) -> None:
    written, config = file_of(boundary, "agents.json"), config_of(boundary)
    assert list(written) == list(agents)
    for name, agent in agents.items():
        entry = written[name]
        assert (entry["prompt"], entry["model"]) == (agent.prompt, agent.model)
        changed = agent.model in ("haiku", "z[1m]")
        assert not changed or told(faults, "spec.model")
        selected = {f"mcp__s{number}__{tool}" for number, tools in agent.selected.items() for tool in tools}
        assert {tool for tool in entry["tools"] if not tool.startswith("Agent(")} == selected
        if any(not tool.replace("_", "").isalnum() for tools in agent.selected.values() for tool in tools):
            assert told(faults, "spec.tools")
    root, *children = agents.items()
    assert config["append_system_prompt"] == root[1].prompt
    assert [told["description"] for told in config["agents"].values()] == DESCRIPTIONS
    assert [written[name]["description"] for name, _ in children] == DESCRIPTIONS
    assert written["kagent.root"]["tools"][-1] == f"Agent({', '.join(name for name, _ in children)})"
    assert root[1].prompt.strip() or told(faults, "spec.systemPrompt")


def _check_servers(
    boundary: CompiledBoundary, faults: list[Diagnostic], available: list[Server], agents: list[Agent]
) -> None:
    written = file_of(boundary, "mcp.json")["mcpServers"]
    used = {number for agent in agents for number in agent.selected}
    assert set(written) == {f"s{number}" for number in used}
    for number in used:
        server, entry = available[number], written[f"s{number}"]
        assert (entry["type"], entry["url"]) == ("sse" if server.sse else "http", server.url)
        assert "${" not in server.url or told(faults, "spec.url")
        assert entry.get("headers", {}) == server.headers
        for name, value in server.headers.items():
            if name == "Host" or "${" in value or not value.isascii() or value != value.strip():
                assert told(faults, "spec.headersFrom")
        if server.timeout is not None:
            assert entry.get("timeout") == server.timeout or told(faults, "spec.timeout")
