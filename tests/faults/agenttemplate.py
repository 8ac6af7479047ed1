"""Faults in an AgentTemplate by itself: the proposal's section of that name and its limits, both dialects."""

from __future__ import annotations

from typing import Any

from tests.faults.repository import COORDINATOR, EXTRA, UPSTREAM, Edit, Fault, bindings, template

_NAME = "AgentTemplate/incident-coordinator"
_MODEL = "  modelConfig:\n    name: default-model\n"
_PROMPT = "  systemPrompt: Coordinate the incident investigation.\n"
_TOOLS = "  tools:\n"
_SOURCE = """\
      bucket:
        s3:
          bucket: agent-content
          key: plugins/repository-practices.zip
          versionId: 3HL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY
"""
_VERSION = "          versionId: 3HL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY\n"
_SELECTION = "    skills:\n    - code-review\n"
_COMMIT = "1b1c1d1e1f2021222324252627282930a1b2c3d4"
_DIGEST = "sha256:" + "ab" * 32


def _fault(field: str, at: str, old: str, new: str, reason: str = "InvalidSpec", **more: Any) -> Fault:
    more.setdefault("failing", ("incident-coordinator",))
    return Fault(reason, _NAME, field, at, (Edit(COORDINATOR, old, new),), **more)


def _mcp(field: str, at: str, binding: str, reason: str = "InvalidSpec", **more: Any) -> Fault:
    return _fault(f"spec.tools[0]{field}", at, _TOOLS, f"{_TOOLS}  - mcp:\n{binding}", reason, **more)


def _source(field: str, at: str, source: str, reason: str = "SourceNotImmutable", **more: Any) -> Fault:
    return _fault(f"spec.plugins[0].source{field}", at, _SOURCE, source, reason, **more)


IDENTITY = {
    "no namespace": _fault(
        "metadata.namespace", "metadata:", "  namespace: agent-team\n", "",
        failing=(), sound=("incident-researcher", "incident-reviewer"), hint="set `metadata.namespace`",
    ),
    "a name that no object can have": Fault(
        "InvalidSpec", "AgentTemplate/Incident_Coordinator", "metadata.name", "name: Incident_Coordinator",
        (Edit(COORDINATOR, "name: incident-coordinator", "name: Incident_Coordinator"),),
        failing=("Incident_Coordinator",), sound=("incident-researcher", "incident-reviewer"),
    ),
    "no name": Fault(
        "InvalidSpec", "AgentTemplate/None", "metadata.name", "metadata:",
        (Edit(COORDINATOR, "  name: incident-coordinator\n", ""),),
        failing=(), sound=("incident-researcher", "incident-reviewer"),
    ),
    "a label value that no label can have": _fault(
        "metadata.labels[example.com/purpose]", "example.com/purpose:", "purpose: incident",
        "purpose: 'incident / ops'",
    ),
    "a label value that is a boolean": _fault(
        "metadata.labels[example.com/purpose]", "example.com/purpose:", "purpose: incident", "purpose: yes"
    ),
    "no spec": Fault(
        "InvalidSpec", "AgentTemplate/empty", "spec", "apiVersion: kagent.dev/v1alpha2\nkind",
        (Edit("agents/empty.yaml", "", "apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\n"
              "metadata: {namespace: agent-team, name: empty}\n"),),
        failing=(), sound=("incident-coordinator", "incident-researcher", "incident-reviewer"),
    ),
    "a status, which nobody writes": _fault(
        "stauts", "stauts:", "spec:\n", "stauts: {}\nspec:\n", "UnknownField", hint="write `status`"
    ),
}  # fmt: skip

MODEL = {
    "no model": _fault("spec.modelConfig", "spec:", _MODEL, "", hint="set `modelConfig`"),
    "a model without a name": _fault("spec.modelConfig.name", "modelConfig:", _MODEL, "  modelConfig: {}\n"),
    "a model with an empty name": _fault("spec.modelConfig.name", 'name: ""', "default-model", '""'),
    "a model as a string": _fault(
        "spec.modelConfig", "modelConfig:", _MODEL, "  modelConfig: default-model\n", hint="with `name`"
    ),
    "a model of another namespace": _fault(
        "spec.modelConfig.namespace", "namespace: other", _MODEL, f"{_MODEL}    namespace: other\n",
        "CrossNamespaceReference",
    ),
    "a misspelt field": _fault(
        "spec.sytemPrompt", "sytemPrompt:", "systemPrompt:", "sytemPrompt:", "UnknownField",
        hint="write `systemPrompt`",
    ),
    "two prompts": _fault(
        "spec", "spec:", _PROMPT, f"{_PROMPT}  systemPromptFrom: {{name: prompts, key: own}}\n"
    ),
    "a prompt of another namespace": _fault(
        "spec.systemPromptFrom.namespace", "namespace: other", _PROMPT,
        "  systemPromptFrom:\n    name: prompts\n    key: own\n    namespace: other\n",
        "CrossNamespaceReference",
    ),
    "a prompt reference without a key": _fault(
        "spec.systemPromptFrom.key", "systemPromptFrom:", _PROMPT, "  systemPromptFrom: {name: prompts}\n"
    ),
    "a prompt source of another namespace": _fault(
        "spec.promptTemplate.dataSources[0].namespace", "namespace: other", _PROMPT,
        f"{_PROMPT}  promptTemplate:\n    dataSources:\n    - name: prompts\n      namespace: other\n",
        "CrossNamespaceReference",
    ),
    "template inheritance": _fault(
        "spec.extends", "extends:", _MODEL, f"{_MODEL}  extends: {{name: base}}\n", "UnknownField"
    ),
    "a base context": _fault(
        "spec.baseContext", "baseContext:", _MODEL, f"{_MODEL}  baseContext: {{name: base}}\n", "UnknownField"
    ),
    "a conversation setting": _fault(
        "spec.conversations", "conversations:", _MODEL, f"{_MODEL}  conversations: 3\n", "UnknownField"
    ),
}  # fmt: skip

TOOLS = {
    "a tool that is nothing": _fault("spec.tools[0]", "{}", _TOOLS, f"{_TOOLS}  - {{}}\n"),
    "a tool that is both": _fault(
        "spec.tools[0]", "mcp:", _TOOLS,
        f"{_TOOLS}  - mcp: {{server: {{kind: RemoteMCPServer, name: search}}, tools: [find]}}\n"
        "    agent: {name: both, description: Both., templateRef: {name: incident-reviewer}}\n",
    ),
    "an MCP binding without tools": _mcp(
        ".mcp.tools", "mcp:", "      server: {kind: RemoteMCPServer, name: search}\n"
    ),
    "an MCP binding with no tool": _mcp(
        ".mcp.tools", "tools: []",
        "      server: {kind: RemoteMCPServer, name: search}\n      tools: []\n",
    ),
    "an MCP binding with a tool twice": _mcp(
        ".mcp.tools[1]", "find]", "      server: {kind: RemoteMCPServer, name: search}\n"
        "      tools: [find, find]\n",
    ),
    "an MCP binding with 51 tools": _mcp(
        ".mcp.tools", "tools: [t0", "      server: {kind: RemoteMCPServer, name: search}\n"
        f"      tools: [{', '.join(f't{number}' for number in range(51))}]\n",
    ),
    "an MCP server of an unknown kind": _mcp(
        ".mcp.server.kind", "kind: Service", "      server: {kind: Service, name: search}\n"
        "      tools: [find]\n", hint="`RemoteMCPServer` or `MCPServer`",
    ),
    "an MCP server of another namespace": _mcp(
        ".mcp.server.namespace", "namespace: other",
        "      server: {kind: RemoteMCPServer, name: search, namespace: other}\n      tools: [find]\n",
        "CrossNamespaceReference",
    ),
    "an agent without a name": _fault(
        "spec.tools[0].agent.name", "agent:\n      description: Research", "      name: researcher\n", ""
    ),
    "an agent without a description": _fault(
        "spec.tools[1].agent.description", "agent:\n      name: reviewer",
        "      description: Review a proposed conclusion for unsupported claims.\n", "",
    ),
    "an agent with an empty description": _fault(
        "spec.tools[1].agent.description", "description: ''",
        "description: Review a proposed conclusion for unsupported claims.", "description: ''",
    ),
    "an agent without a template": _fault(
        "spec.tools[0].agent.templateRef", "agent:\n      name: researcher",
        "      templateRef:\n        name: incident-researcher\n", "",
    ),
    "an agent of another namespace": _fault(
        "spec.tools[0].agent.templateRef.namespace", "namespace: other",
        "        name: incident-researcher\n",
        "        name: incident-researcher\n        namespace: other\n", "CrossNamespaceReference",
    ),
    "an unknown isolation": _fault(
        "spec.tools[1].agent.isolation", "isolation: Sandboxed", "isolation: Dedicated",
        "isolation: Sandboxed", hint="`Shared` or `Dedicated`",
    ),
    "an isolation in lower case": _fault(
        "spec.tools[1].agent.isolation", "isolation: dedicated", "isolation: Dedicated",
        "isolation: dedicated",
    ),
    "an agent on a Harness of its own": _fault(
        "spec.tools[1].agent.harness", "harness: {name", "      isolation: Dedicated\n",
        "      isolation: Dedicated\n      harness: {name: other}\n", "UnknownField",
    ),
    "51 tools": Fault(
        "InvalidSpec", "AgentTemplate/wide", "spec.tools", "tools:",
        (Edit(EXTRA, "", template("wide", bindings(*(f"a{n} => incident-reviewer" for n in range(51))))),),
        failing=("wide",), sound=("incident-coordinator", "incident-researcher", "incident-reviewer"),
    ),
}  # fmt: skip

SOURCES = {
    "a plugin without a selection": _fault("spec.plugins[0].skills", "source:", _SELECTION, ""),
    "a plugin with a skill selected twice": _fault(
        "spec.plugins[0].skills[1]", "code-review\n  harnesses", _SELECTION,
        f"{_SELECTION}    - code-review\n",
    ),
    "a plugin without a source": _fault(
        "spec.plugins[0].source", "skills:", f"  - source:\n{_SOURCE}    skills:", "  - skills:"
    ),
    "a source that is nothing": _fault(
        "spec.plugins[0].source", "source: {}", f"source:\n{_SOURCE}", "source: {}\n"
    ),
    "a source that is two": _source(
        "", "source:", f"{_SOURCE}      oci: registry.example.com/plugin@{_DIGEST}\n", "InvalidSpec"
    ),
    "a bucket of another provider": _source(
        ".bucket.gcs", "gcs:", "      bucket:\n        gcs: {bucket: a, object: b}\n", "UnknownField",
        hint="write `s3`",
    ),
    "an OCI tag": _source(
        ".oci", "oci:", "      oci: registry.example.com/plugin:1.2\n", hint="append `@sha256:`"
    ),
    "an OCI digest of another algorithm": _source(
        ".oci", "oci:", f"      oci: registry.example.com/plugin@sha512:{'ab' * 64}\n"
    ),
    "a Git branch": _source(
        ".git.commit", "commit:", "      git: {url: 'https://git.example.com/p', commit: main}\n",
        hint="full 40 or 64 hex digits",
    ),
    "a short Git commit": _source(
        ".git.commit", "commit:", f"      git: {{url: 'https://git.example.com/p', commit: {_COMMIT[:12]}}}\n"
    ),
    "no Git commit": _source(".git.commit", "git:", "      git: {url: 'https://git.example.com/p'}\n"),
    "a Git address that no HTTP client knows": _source(
        ".git.url", "url:", f"      git: {{url: 'ssh://git.example.com/p', commit: {_COMMIT}}}\n",
        "InvalidSpec",
    ),
    "a Git address with a password": _source(
        ".git.url", "url:",
        f"      git: {{url: 'https://user:hunter2@git.example.com/p', commit: {_COMMIT}}}\n", "InvalidSpec",
    ),
    "no S3 version": _fault(
        "spec.plugins[0].source.bucket.s3.versionId", "s3:", _VERSION, "", "SourceNotImmutable",
        hint="set `versionId`",
    ),
    "the S3 version `null`": _fault(
        "spec.plugins[0].source.bucket.s3.versionId", "versionId:", _VERSION, "          versionId: 'null'\n",
        "SourceNotImmutable",
    ),
    "an empty S3 version": _fault(
        "spec.plugins[0].source.bucket.s3.versionId", "versionId:", _VERSION, "          versionId: ''\n",
        "SourceNotImmutable",
    ),
    "an S3 endpoint with a password": _fault(
        "spec.plugins[0].source.bucket.s3.endpoint", "endpoint:", _VERSION,
        f"{_VERSION}          endpoint: https://key:secret@s3.example.com\n",
        hint="store the credentials where Git or the AWS tools find them",
    ),
    "an S3 region that is the end of another host": _fault(
        "spec.plugins[0].source.bucket.s3.region", "region:", _VERSION,
        f"{_VERSION}          region: x.evil.example/\n", hint="write it as `eu-west-1`",
    ),
    "an S3 region with user information": _fault(
        "spec.plugins[0].source.bucket.s3.region", "region:", _VERSION,
        f"{_VERSION}          region: '@evil'\n", hint="write it as `eu-west-1`",
    ),
    "an S3 bucket that is the ARN of an access point": _fault(
        "spec.plugins[0].source.bucket.s3.bucket", "bucket: arn:", "          bucket: agent-content\n",
        "          bucket: arn:aws:s3:eu-west-1:123456789012:accesspoint/a\n",
        hint="set `bucket` to the name alone",
    ),
    "an S3 object without a key": _fault(
        "spec.plugins[0].source.bucket.s3.key", "s3:",
        "          key: plugins/repository-practices.zip\n", "",
    ),
    "a path that leaves the artifact": _source(
        ".path", "path:", f"{_SOURCE}      path: ../other\n", "InvalidSpec"
    ),
    "an absolute path": _source(".path", "path:", f"{_SOURCE}      path: /plugin\n", "InvalidSpec"),
    "a standalone skill by tag": _fault(
        "spec.skills[0].source.oci", "oci:", _MODEL,
        f"{_MODEL}  skills:\n  - name: search\n    source: {{oci: 'registry.example.com/skill:latest'}}\n",
        "SourceNotImmutable",
    ),
    "two skills of one name": _fault(
        "spec.skills[1].name", "name: search\n    source: {oci: 'b",
        _MODEL,
        f"{_MODEL}  skills:\n  - name: search\n    source: {{oci: 'a@{_DIGEST}'}}\n"
        f"  - name: search\n    source: {{oci: 'b@{_DIGEST}'}}\n",
    ),
    "21 plugins": Fault(
        "InvalidSpec", "AgentTemplate/wide", "spec.plugins", "plugins:",
        (Edit(EXTRA, "", template("wide", "  plugins:\n" + "".join(
            f"  - {{source: {{oci: 'r{n}@{_DIGEST}'}}, skills: []}}\n" for n in range(21)))),),
        failing=("wide",), sound=("incident-coordinator", "incident-researcher", "incident-reviewer"),
    ),
    "MCP servers of a plugin": _fault(
        "spec.plugins[0].mcpServers", "mcpServers:", _SELECTION, f"{_SELECTION}    mcpServers: [search]\n",
        "UnknownField",
    ),
}  # fmt: skip

HARNESSES = {
    "a Harness of another namespace": _fault(
        "spec.harnesses.include[0].namespace", "namespace: other", "    - name: python-runtime\n",
        "    - name: python-runtime\n      namespace: other\n", "CrossNamespaceReference",
    ),
    "a Harness twice": _fault(
        "spec.harnesses.include[1].name", "name: python-runtime # again", "    - name: python-runtime\n",
        "    - name: python-runtime\n    - name: python-runtime # again\n",
    ),
    "a wildcard instead of a Harness": _fault(
        "spec.harnesses.include[0].name", "name: 'python-*'", "- name: python-runtime", "- name: 'python-*'",
        failing=("incident-coordinator",),
    ),
    "a Harness without a name": _fault(
        "spec.harnesses.include[1].name", "{}", "    - name: python-runtime\n",
        "    - name: python-runtime\n    - {}\n",
    ),
    "a Harness as a string": _fault(
        "spec.harnesses.include[1]", "other-runtime", "    - name: python-runtime\n",
        "    - name: python-runtime\n    - other-runtime\n", hint="with `name`",
    ),
}  # fmt: skip

IN_V1ALPHA3 = {
    "v1alpha3: a list of Harnesses": _fault(
        "spec.harnesses", "harnesses:", _MODEL, f"{_MODEL}  harnesses: {{include: [{{name: a}}]}}\n",
        "UnknownField", base=UPSTREAM,
    ),
    "v1alpha3: S3 without an endpoint": _fault(
        "spec.plugins[0].source.bucket.s3.endpoint", "s3:",
        "          endpoint: https://s3.example.com\n", "", base=UPSTREAM,
    ),
    "v1alpha3: no S3 version": _fault(
        "spec.plugins[0].source.bucket.s3.versionId", "s3:", _VERSION, "", "SourceNotImmutable", base=UPSTREAM
    ),
    "v1alpha3: an MCPServer": _mcp(
        ".mcp.server.kind", "kind: MCPServer", "      server: {kind: MCPServer, name: search}\n"
        "      tools: [find]\n", base=UPSTREAM,
    ),
    "v1alpha3: a model of another namespace": _fault(
        "spec.modelConfig.namespace", "namespace: other", _MODEL, f"{_MODEL}    namespace: other\n",
        "CrossNamespaceReference", base=UPSTREAM,
    ),
    "v1alpha3: an agent without a description": _fault(
        "spec.tools[1].agent.description", "agent:\n      name: reviewer",
        "      description: Review a proposed conclusion for unsupported claims.\n", "", base=UPSTREAM,
    ),
}  # fmt: skip

CASES = IDENTITY | MODEL | TOOLS | SOURCES | HARNESSES | IN_V1ALPHA3
