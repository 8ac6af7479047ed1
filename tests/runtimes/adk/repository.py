"""A repository whose agents use whatever the `python` adapter writes, at the addresses of running servers."""

from __future__ import annotations

from pathlib import Path

from tests.running import run
from tests.runtimes.repository import CONFIG, harness

SECRETS = {("llm", "token"): "key-of-the-model", ("mcp", "token"): "Bearer key-of-the-server"}

OPTIONS = {
    "temperature": 0.5,
    "top_p": 0.25,
    "frequency_penalty": 0.75,
    "presence_penalty": 1.0,
    "max_tokens": 99,
    "seed": 7,
    "n": 1,
    "reasoning_effort": "low",
}
"""What the options of `model` are in a request."""

_MODEL = """\
---
apiVersion: kagent.dev/v1alpha2
kind: ModelConfig
metadata: {{namespace: team, name: {name}}}
spec:
  model: {name}
  apiKeySecret: llm
  apiKeySecretKey: token
  defaultHeaders: {{X-Model: {name}}}
  openAI:
    baseUrl: "{url}"
    temperature: "0.5"
    topP: "0.25"
    frequencyPenalty: "0.75"
    presencePenalty: "1"
    maxTokens: 99
    seed: 7
    "n": 1
    reasoningEffort: low
"""
_SERVER = """\
---
apiVersion: kagent.dev/v1alpha2
kind: RemoteMCPServer
metadata: {{namespace: team, name: {name}}}
spec:
  description: Serves.
  url: "{url}"
  protocol: {protocol}
  headersFrom:
  - {{name: X-Plain, value: plain-{name}}}
  - {{name: Authorization, valueFrom: {{type: Secret, name: mcp, key: token}}}}
"""
_TEMPLATE = """\
---
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata: {{namespace: team, name: {name}}}
spec:
  description: "{name} in general"
  modelConfig: {{name: {model}}}
  systemPrompt: "I am {name}"
  tools: [{tools}]
  skills: [{skills}]
  harnesses: {{include: [{{name: runtime}}]}}
"""


def manifest(kind: str, name: str, spec: str) -> str:
    """Any object, with its spec as a flow mapping."""
    head = f"apiVersion: kagent.dev/v1alpha2\nkind: {kind}\nmetadata: {{namespace: team, name: {name}}}\n"
    return f"---\n{head}spec: {spec}\n"


def model(name: str, url: str) -> str:
    """A ModelConfig at a scripted model, which is named like it."""
    return _MODEL.format(name=name, url=url)


def server(name: str, url: str, protocol: str = "STREAMABLE_HTTP") -> str:
    """A RemoteMCPServer with a literal header and one from a Secret."""
    return _SERVER.format(name=name, url=url, protocol=protocol)


def template(name: str, *tools: str, model: str = "gpt-lead", skills: str = "") -> str:
    """An AgentTemplate whose prompt is `I am NAME`."""
    return _TEMPLATE.format(name=name, model=model, tools=", ".join(tools), skills=skills)


def mcp(server: str, *tools: str) -> str:
    """A binding to tools of an MCP server."""
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {server}}}, tools: [{', '.join(tools)}]}}}}"


def agent(name: str, of: str, isolation: str = "Shared") -> str:
    """A binding to another template."""
    return (
        f"{{agent: {{name: {name}, description: {of} as {name}, isolation: {isolation},"
        f" templateRef: {{name: {of}}}}}}}"
    )


def render(root: Path, *manifests: str) -> Path:
    """Write the repository and prepare it with the program itself."""
    (root / "kagent-render.yaml").write_text(CONFIG)
    (root / "agents.yaml").write_text(harness("python") + "".join(manifests))
    done = run("render", "--offline", cwd=root)
    assert done.status == 0, done.err
    return root
