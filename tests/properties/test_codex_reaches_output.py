"""Whatever is authored reaches what Codex reads or is told, and stays in its place there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.compile.boundary import CompiledBoundary
from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.compile.boundaries import Packages, documents_of, env_of, skill
from tests.compile.codex import codex, config_of, file_of
from tests.manifests import model, server

pytestmark = pytest.mark.process

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=40)
LINE = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=40)
NAME = st.from_regex(r"[a-z]([a-z0-9-]{0,10}[a-z0-9])?", fullmatch=True)
BINDING = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,20}", fullmatch=True)
SECONDS = st.integers(1, 3600).map(lambda seconds: f"{seconds}s")
ADDRESS = NAME.map(lambda name: f"https://h.example.com/{name}")
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "prompt": TEXT,
    "description": TEXT,
    "child": BINDING.filter(lambda name: name.lower() not in ("user", "far")),
    "child description": TEXT,
    "child prompt": TEXT,
    "model": LINE,
    "child model": LINE,
    "base URL": ADDRESS,
    "organization": LINE,
    "effort": st.sampled_from(["none", "minimal", "low", "medium", "high", "xhigh"]),
    "child effort": st.sampled_from(["none", "minimal", "low", "medium", "high", "xhigh"]),
    "model header": LINE,
    "key": NAME,
    "server URL": ADDRESS,
    "server": NAME.filter(lambda name: name != "far"),
    "tool": LINE,
    "header": LINE,
    "header name": st.from_regex(r"X-[A-Za-z]{1,10}", fullmatch=True).filter(
        lambda name: name.lower() != "x-s"
    ),
    "secret": NAME,
    "time-out": SECONDS,
    "read time-out": SECONDS,
    "ends session": st.sampled_from(["true", "false"]),
    "protocol": st.sampled_from(["STREAMABLE_HTTP", "SSE"]),
    "verifies": st.sampled_from(["true", "false"]),
    "temperature": st.sampled_from(["", "0.5"]),
    "skill": st.sampled_from(["", "ONE"]),
}
VALUES = st.fixed_dictionaries(FIELDS)
KEYS = {
    "model", "model_provider", "model_catalog_json", "developer_instructions", "model_reasoning_effort",
    "model_reasoning_summary", "approval_policy", "sandbox_mode", "web_search", "include_apps_instructions",
    "include_collaboration_mode_instructions", "include_environment_context", "project_doc_max_bytes",
    "include_permissions_instructions", "check_for_update_on_startup", "cli_auth_credentials_store",
    "analytics", "skills", "tools", "features", "agents", "model_providers", "mcp_servers",
}  # fmt: skip
REFERENCE = f"r.example/a@sha256:{'a' * 64}"
PACKAGES: Packages = {ArtifactSource(OciSource(REFERENCE)): skill("one")}
SLOW = settings(deadline=None, max_examples=10, suppress_health_check=list(HealthCheck))


def quoted(text: str) -> str:
    """A YAML scalar that holds any text."""
    plain = (char if " " <= char <= "~" and char not in '"\\' else f"\\U{ord(char):08x}" for char in text)
    return f'"{"".join(plain)}"'


def flow(fields: dict[str, str]) -> str:
    """A flow mapping of values that are written already."""
    return f"{{{', '.join(f'{name}: {value}' for name, value in fields.items())}}}"


def llm(value: dict[str, Any], name: str, effort: str) -> str:
    """A ModelConfig's spec; only the model and the effort may differ in one process."""
    block = {
        "apiFormat": "responses",
        "baseUrl": quoted(value["base URL"]),
        "organization": quoted(value["organization"]),
        "reasoningEffort": quoted(value[effort]),
        "temperature": quoted(value["temperature"]),
    }
    return flow(
        {
            "model": quoted(value[name]),
            "apiKeySecret": quoted(value["key"]),
            "apiKeySecretKey": "k",
            "defaultHeaders": flow({"X-A": quoted(value["model header"])}),
            "openAI": flow(block),
        }
    )


def manifest(name: str, prompt: str, spec: str, chosen: str) -> str:
    """An AgentTemplate that may hold any text."""
    return (
        f"apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\nmetadata: {{namespace: team, name: {name}}}\n"
        f"spec:\n  modelConfig: {{name: {chosen}}}\n  systemPrompt: {quoted(prompt)}\n{spec}"
        "  harnesses: {include: [{name: runtime}]}\n"
    )


def mcp_server(value: dict[str, Any]) -> str:
    """An MCP server that sets every field."""
    secret = flow({"type": "Secret", "name": quoted(value["secret"]), "key": "k"})
    literal = {"name": quoted(value["header name"]), "value": quoted(value["header"])}
    spec = {
        "description": "d",
        "url": quoted(value["server URL"]),
        "headersFrom": f"[{flow(literal)}, {flow({'name': 'X-S', 'valueFrom': secret})}]",
        "timeout": value["time-out"],
        "sseReadTimeout": value["read time-out"],
        "terminateOnClose": value["ends session"],
        "protocol": value["protocol"],
        "tls": flow({"disableVerify": value["verifies"]}),
    }
    return server(flow(spec), quoted(value["server"]))


def compiled(value: dict[str, Any]) -> tuple[CompiledBoundary, list[Diagnostic]]:
    """A boundary with every sort of field that Codex may be told."""
    chosen = flow({"kind": "RemoteMCPServer", "name": quoted(value["server"])})
    mcp = flow({"mcp": flow({"server": chosen, "tools": f"[{quoted(value['tool'])}]"})})
    binding = {"name": quoted(value["child"]), "description": quoted(value["child description"])}
    near = flow({"agent": flow({**binding, "templateRef": "{name: aide}"})})
    far = "{agent: {name: far, description: Far., isolation: Dedicated, templateRef: {name: other}}}"
    skills = value["skill"].replace("ONE", f"{{name: one, source: {{oci: '{REFERENCE}'}}}}")
    described = f"  description: {quoted(value['description'])}\n"
    lead = f"{described}  tools: [{mcp}, {near}, {far}]\n  skills: [{skills}]\n"
    return codex(
        manifest("lead", value["prompt"], lead, "model"),
        manifest("aide", value["child prompt"], f"  tools: [{mcp}]\n", "small"),
        manifest("other", "Far.", "", "model"),
        model(llm(value, "child model", "child effort"), "small"),
        mcp_server(value),
        llm=llm(value, "model", "effort"),
        packages=PACKAGES,
        proven=False,
    )


def told(boundary: CompiledBoundary, faults: list[Diagnostic]) -> Any:
    """All that comes of a boundary."""
    said = [(fault.reason, str(fault.object), fault.field, fault.message) for fault in faults]
    return documents_of(boundary), env_of(boundary), boundary.bundle.egress, said


@SLOW
@pytest.mark.parametrize("field", FIELDS)
@given(data=st.data(), value=VALUES)
def test_what_is_authored_reaches_the_output_or_is_told(
    field: str, data: st.DataObject, value: dict[str, Any]
) -> None:
    # SSE, which is refused, has no session to end.
    one = value if field == "protocol" else {**value, "protocol": "STREAMABLE_HTTP"}
    other = {**one, field: data.draw(FIELDS[field])}
    assume(other[field] != one[field])
    assert told(*compiled(one)) != told(*compiled(other))


@SLOW
@given(VALUES)
def test_no_text_leaves_its_place(value: dict[str, Any]) -> None:
    boundary, _ = compiled(value)
    name, config, own = value["server"], config_of(boundary), file_of(boundary, "config.toml")
    table, entry = own["mcp_servers"][name], config["mcp_servers"][name]
    child = file_of(boundary, f"agents/{value['child']}.toml")
    assert set(own) == KEYS
    assert set(own["mcp_servers"]) == set(config["mcp_servers"]) == {name, "far"}
    assert set(own["model_providers"]) == {"kagent-openai"}
    assert not any(own["features"].values())
    assert (own["developer_instructions"], config["developer_instruction"]) == (value["prompt"],) * 2
    assert table["enabled_tools"] == entry["enabled_tools"] == [value["tool"]]
    assert table["http_headers"] == {value["header name"]: value["header"]}
    assert own["model_providers"]["kagent-openai"]["http_headers"] == {"X-A": value["model header"]}
    assert child == {
        "name": value["child"],
        "description": value["child description"],
        "developer_instructions": value["child prompt"],
        "model": value["child model"],
        "model_reasoning_effort": value["child effort"],
    }
    assert config["agents"] == {
        value["child"]: {
            "description": value["child description"],
            "instruction": value["child prompt"],
            "model": value["child model"],
        }
    }
    slugs = [entry["slug"] for entry in file_of(boundary, "models.json")["models"]]
    assert slugs == list(dict.fromkeys([value["model"], value["child model"]]))
