"""The proposal's rules for Harness and AgentTemplate: one planted fault, one diagnostic at its place."""

from __future__ import annotations

import pytest

from tests.api.manifests import COMMIT, DIGEST, decode_text, yaml_manifest

HARNESS = {
    "no variant": ("workload: {}", "InvalidSpec", "spec", 6),
    "two variants": ("python: {}\nclaude: {}", "InvalidSpec", "spec", 6),
    "a misspelt variant": ("pyhton: {}", "InvalidSpec", "spec", 6),
    "a variant of v1alpha3": ("kagent: {}", "InvalidSpec", "spec", 6),
    "a variant with settings": ("python:\n  debug: true", "UnknownField", "spec.python.debug", 8),
    "a variant that is no object": ("python: yes", "InvalidSpec", "spec.python", 7),
    "capabilities claimed by the author": (
        "python: {}\ncapabilities: {streaming: true}",
        "UnknownField",
        "spec.capabilities",
        8,
    ),
    "an image by tag": (
        "python: {}\nworkload:\n  image: ghcr.io/acme/runtime:1.0",
        "InvalidSpec",
        "spec.workload.image",
        9,
    ),
    "an empty image": ('python: {}\nworkload:\n  image: ""', "InvalidSpec", "spec.workload.image", 9),
    "an image with a cut digest": (
        "python: {}\nworkload:\n  image: ghcr.io/acme/runtime@sha256:12ab",
        "InvalidSpec",
        "spec.workload.image",
        9,
    ),
    "a variable with neither literal nor reference": (
        "python: {}\nenv:\n- name: A",
        "InvalidSpec",
        "spec.env[0]",
        9,
    ),
    "a variable with both literal and reference": (
        "python: {}\nenv:\n- name: A\n  value: x\n  credentialRef: {name: s, key: k}",
        "InvalidSpec",
        "spec.env[0]",
        9,
    ),
    "a variable set twice": (
        "python: {}\nenv:\n- name: A\n  value: x\n- name: A\n  value: z",
        "InvalidSpec",
        "spec.env[1].name",
        11,
    ),
    "a variable without a name": ("python: {}\nenv:\n- value: x", "InvalidSpec", "spec.env[0].name", 9),
    "a number as a literal": (
        "python: {}\nenv:\n- name: PORT\n  value: 80",
        "InvalidSpec",
        "spec.env[0].value",
        10,
    ),
    "a credential reference without a key": (
        "python: {}\nenv:\n- name: A\n  credentialRef:\n    name: s",
        "InvalidSpec",
        "spec.env[0].credentialRef.key",
        10,
    ),
    "a credential reference without a name": (
        "python: {}\nenv:\n- name: A\n  credentialRef:\n    key: k",
        "InvalidSpec",
        "spec.env[0].credentialRef.name",
        10,
    ),
    "a credential of another namespace": (
        "python: {}\nenv:\n- name: A\n  credentialRef: {name: s, key: k, namespace: other}",
        "CrossNamespaceReference",
        "spec.env[0].credentialRef.namespace",
        10,
    ),
    "a worker pool of another namespace": (
        "python: {}\nsubstrate:\n  workerPoolRef:\n    name: p\n    namespace: other\n"
        "  snapshotPolicy: {location: s3://snapshots}",
        "CrossNamespaceReference",
        "spec.substrate.workerPoolRef.namespace",
        11,
    ),
    "a worker pool without a name": (
        "python: {}\nsubstrate:\n  workerPoolRef: {}\n  snapshotPolicy: {location: s3://snapshots}",
        "InvalidSpec",
        "spec.substrate.workerPoolRef.name",
        9,
    ),
    "a substrate policy without snapshots": (
        "python: {}\nsubstrate:\n  workerPoolRef: {name: p}",
        "InvalidSpec",
        "spec.substrate.snapshotPolicy",
        8,
    ),
    "a snapshot location with a password": (
        "python: {}\nsubstrate:\n  workerPoolRef: {name: p}\n  snapshotPolicy:\n"
        "    location: s3://user:word@snapshots",
        "InvalidSpec",
        "spec.substrate.snapshotPolicy.location",
        11,
    ),
    "admission without a selector": (
        "python: {}\nallowedAgentTemplates: {}",
        "InvalidSpec",
        "spec.allowedAgentTemplates.selector",
        8,
    ),
    "an unknown selector operator": (
        "python: {}\nallowedAgentTemplates:\n  selector:\n    matchExpressions:\n"
        "    - {key: a, operator: Equals, values: [b]}",
        "InvalidSpec",
        "spec.allowedAgentTemplates.selector.matchExpressions[0].operator",
        11,
    ),
    "In without values": (
        "python: {}\nallowedAgentTemplates:\n  selector:\n    matchExpressions:\n"
        "    - {key: a, operator: In, values: []}",
        "InvalidSpec",
        "spec.allowedAgentTemplates.selector.matchExpressions[0].values",
        11,
    ),
    "Exists with values": (
        "python: {}\nallowedAgentTemplates:\n  selector:\n    matchExpressions:\n"
        "    - key: a\n      operator: Exists\n      values: [b]",
        "InvalidSpec",
        "spec.allowedAgentTemplates.selector.matchExpressions[0].values",
        13,
    ),
    "a selector label that no label can be": (
        "python: {}\nallowedAgentTemplates:\n  selector:\n    matchLabels:\n      team: a b",
        "InvalidSpec",
        "spec.allowedAgentTemplates.selector.matchLabels.team",
        11,
    ),
    "a selector label that is no string": (
        "python: {}\nallowedAgentTemplates:\n  selector:\n    matchLabels:\n      team: 7",
        "InvalidSpec",
        "spec.allowedAgentTemplates.selector.matchLabels.team",
        11,
    ),
}

S3 = "bucket: b, key: k, versionId: v"


def source(text: str) -> str:
    """A template with one plugin from `text`, which begins at line 10."""
    indented = "\n".join("    " + line for line in text.splitlines())
    return f"modelConfig: {{name: m}}\nplugins:\n- source:\n{indented}\n  skills: [review]"


TEMPLATE = {
    "no model": ("description: x", "InvalidSpec", "spec.modelConfig", 6),
    "a model without a name": ("modelConfig: {}", "InvalidSpec", "spec.modelConfig.name", 7),
    "a model by bare name": ("modelConfig: m", "InvalidSpec", "spec.modelConfig", 7),
    "a model of another namespace": (
        "modelConfig:\n  name: m\n  namespace: other",
        "CrossNamespaceReference",
        "spec.modelConfig.namespace",
        9,
    ),
    "two prompts": (
        "modelConfig: {name: m}\nsystemPrompt: x\nsystemPromptFrom: {name: c, key: k}",
        "InvalidSpec",
        "spec",
        6,
    ),
    "a prompt reference without a key": (
        "modelConfig: {name: m}\nsystemPromptFrom: {name: c}",
        "InvalidSpec",
        "spec.systemPromptFrom.key",
        8,
    ),
    "a prompt of another namespace": (
        "modelConfig: {name: m}\nsystemPromptFrom: {name: c, key: k, namespace: other}",
        "CrossNamespaceReference",
        "spec.systemPromptFrom.namespace",
        8,
    ),
    "a prompt source of another namespace": (
        "modelConfig: {name: m}\npromptTemplate:\n  dataSources:\n  - {name: c, namespace: other}",
        "CrossNamespaceReference",
        "spec.promptTemplate.dataSources[0].namespace",
        10,
    ),
    "one ConfigMap as two prompt sources": (
        "modelConfig: {name: m}\npromptTemplate:\n  dataSources:\n  - {name: c}\n  - {name: c, alias: d}",
        "InvalidSpec",
        "spec.promptTemplate.dataSources[1].name",
        11,
    ),
    "an empty alias": (
        "modelConfig: {name: m}\npromptTemplate:\n  dataSources:\n  - {name: c, alias: ''}",
        "InvalidSpec",
        "spec.promptTemplate.dataSources[0].alias",
        10,
    ),
    "a tool of neither kind": ("modelConfig: {name: m}\ntools:\n- {}", "InvalidSpec", "spec.tools[0]", 9),
    "a misspelt tool": (
        "modelConfig: {name: m}\ntools:\n- mpc: {server: {kind: MCPServer, name: s}, tools: [t]}",
        "InvalidSpec",
        "spec.tools[0]",
        9,
    ),
    "a tool of both kinds": (
        "modelConfig: {name: m}\ntools:\n"
        "- mcp: {server: {kind: MCPServer, name: s}, tools: [t]}\n"
        "  agent: {name: a, description: d, templateRef: {name: t}}",
        "InvalidSpec",
        "spec.tools[0]",
        9,
    ),
    "an MCP tool that selects nothing": (
        "modelConfig: {name: m}\ntools:\n- mcp:\n    server: {kind: MCPServer, name: s}\n    tools: []",
        "InvalidSpec",
        "spec.tools[0].mcp.tools",
        11,
    ),
    "an MCP tool without a selection": (
        "modelConfig: {name: m}\ntools:\n- mcp:\n    server: {kind: MCPServer, name: s}",
        "InvalidSpec",
        "spec.tools[0].mcp.tools",
        9,
    ),
    "an MCP tool selected twice": (
        "modelConfig: {name: m}\ntools:\n- mcp:\n    server: {kind: MCPServer, name: s}\n"
        "    tools:\n    - a\n    - b\n    - a",
        "InvalidSpec",
        "spec.tools[0].mcp.tools[2]",
        14,
    ),
    "a server of another kind": (
        "modelConfig: {name: m}\ntools:\n- mcp: {server: {kind: Service, name: s}, tools: [t]}",
        "InvalidSpec",
        "spec.tools[0].mcp.server.kind",
        9,
    ),
    "a server of another namespace": (
        "modelConfig: {name: m}\ntools:\n"
        "- mcp: {server: {kind: MCPServer, name: s, namespace: other}, tools: [t]}",
        "CrossNamespaceReference",
        "spec.tools[0].mcp.server.namespace",
        9,
    ),
    "an agent without a description": (
        "modelConfig: {name: m}\ntools:\n- agent: {name: a, templateRef: {name: t}}",
        "InvalidSpec",
        "spec.tools[0].agent.description",
        9,
    ),
    "an agent with an empty description": (
        "modelConfig: {name: m}\ntools:\n- agent: {name: a, description: '', templateRef: {name: t}}",
        "InvalidSpec",
        "spec.tools[0].agent.description",
        9,
    ),
    "an agent without a template": (
        "modelConfig: {name: m}\ntools:\n- agent: {name: a, description: d}",
        "InvalidSpec",
        "spec.tools[0].agent.templateRef",
        9,
    ),
    "an agent of another namespace": (
        "modelConfig: {name: m}\ntools:\n- agent:\n    name: a\n    description: d\n"
        "    templateRef: {name: t, namespace: other}",
        "CrossNamespaceReference",
        "spec.tools[0].agent.templateRef.namespace",
        12,
    ),
    "an unknown isolation": (
        "modelConfig: {name: m}\ntools:\n"
        "- agent: {name: a, description: d, templateRef: {name: t}, isolation: shared}",
        "InvalidSpec",
        "spec.tools[0].agent.isolation",
        9,
    ),
    "51 tools": (
        "modelConfig: {name: m}\ntools:\n"
        + "- agent: {name: a, description: d, templateRef: {name: t}}\n" * 51,
        "InvalidSpec",
        "spec.tools",
        8,
    ),
    "21 plugins": (
        "modelConfig: {name: m}\nplugins:\n" + f"- {{source: {{oci: 'r/p@{DIGEST}'}}, skills: []}}\n" * 21,
        "InvalidSpec",
        "spec.plugins",
        8,
    ),
    "a plugin without a selection": (
        f"modelConfig: {{name: m}}\nplugins:\n- source: {{oci: 'r/p@{DIGEST}'}}",
        "InvalidSpec",
        "spec.plugins[0].skills",
        9,
    ),
    "a skill selected twice": (
        f"modelConfig: {{name: m}}\nplugins:\n- source: {{oci: 'r/p@{DIGEST}'}}\n  skills: [a, a]",
        "InvalidSpec",
        "spec.plugins[0].skills[1]",
        10,
    ),
    "two skills of one name": (
        f"modelConfig: {{name: m}}\nskills:\n- {{name: s, source: {{oci: 'r/p@{DIGEST}'}}}}\n"
        f"- {{name: s, source: {{oci: 'r/q@{DIGEST}'}}}}",
        "InvalidSpec",
        "spec.skills[1].name",
        10,
    ),
    "no source": (
        "modelConfig: {name: m}\nplugins:\n- source: {}\n  skills: []",
        "InvalidSpec",
        "spec.plugins[0].source",
        9,
    ),
    "two sources": (
        source(f"oci: r/p@{DIGEST}\ngit: {{url: 'https://h/r', commit: {COMMIT}}}"),
        "InvalidSpec",
        "spec.plugins[0].source",
        9,
    ),
    "a misspelt commit": (
        source(f"git:\n  url: https://h/r\n  comit: {COMMIT}"),
        "UnknownField",
        "spec.plugins[0].source.git.comit",
        12,
    ),
    "a misspelt model": ("modelconfig: {name: m}", "UnknownField", "spec.modelconfig", 7),
    "a bucket that is not S3": (
        source("bucket: {gcs: {bucket: b}}"),
        "UnknownField",
        "spec.plugins[0].source.bucket.gcs",
        10,
    ),
    "an image by tag as a source": (
        source("oci: ghcr.io/acme/plugin:1"),
        "SourceNotImmutable",
        "spec.plugins[0].source.oci",
        10,
    ),
    "an image by a short digest": (
        source("oci: ghcr.io/acme/plugin@sha256:12ab"),
        "SourceNotImmutable",
        "spec.plugins[0].source.oci",
        10,
    ),
    "an image by a credential": (
        source(f"oci: user:word@ghcr.io/acme/plugin@{DIGEST}"),
        "InvalidSpec",
        "spec.plugins[0].source.oci",
        10,
    ),
    "no commit": (
        source("git:\n  url: https://h/r"),
        "SourceNotImmutable",
        "spec.plugins[0].source.git.commit",
        10,
    ),
    "a null commit": (
        source("git:\n  url: https://h/r\n  commit: null"),
        "SourceNotImmutable",
        "spec.plugins[0].source.git.commit",
        12,
    ),
    "a branch": (
        source("git:\n  url: https://h/r\n  commit: main"),
        "SourceNotImmutable",
        "spec.plugins[0].source.git.commit",
        12,
    ),
    "a tag": (
        source("git:\n  url: https://h/r\n  commit: v1.0.0"),
        "SourceNotImmutable",
        "spec.plugins[0].source.git.commit",
        12,
    ),
    "a short commit": (
        source("git:\n  url: https://h/r\n  commit: 12ab34c"),
        "SourceNotImmutable",
        "spec.plugins[0].source.git.commit",
        12,
    ),
    "a commit that YAML reads as a number": (
        source("git:\n  url: https://h/r\n  commit: " + "1" * 40),
        "InvalidSpec",
        "spec.plugins[0].source.git.commit",
        12,
    ),
    "a branch field": (
        source(f"git:\n  url: https://h/r\n  commit: {COMMIT}\n  ref: main"),
        "UnknownField",
        "spec.plugins[0].source.git.ref",
        13,
    ),
    "a Git address over ssh": (
        source(f"git:\n  url: ssh://git@h/r\n  commit: {COMMIT}"),
        "InvalidSpec",
        "spec.plugins[0].source.git.url",
        11,
    ),
    "a Git address with a token": (
        source(f"git:\n  url: https://token@h/r\n  commit: {COMMIT}"),
        "InvalidSpec",
        "spec.plugins[0].source.git.url",
        11,
    ),
    "no version": (
        source("bucket:\n  s3: {bucket: b, key: k}"),
        "SourceNotImmutable",
        "spec.plugins[0].source.bucket.s3.versionId",
        11,
    ),
    "an ETag for a version": (
        source(f"bucket:\n  s3: {{{S3}, eTag: x}}"),
        "UnknownField",
        "spec.plugins[0].source.bucket.s3.eTag",
        11,
    ),
    "an empty version": (
        source("bucket:\n  s3: {bucket: b, key: k, versionId: ''}"),
        "SourceNotImmutable",
        "spec.plugins[0].source.bucket.s3.versionId",
        11,
    ),
    "the null version": (
        source("bucket:\n  s3: {bucket: b, key: k, versionId: 'null'}"),
        "SourceNotImmutable",
        "spec.plugins[0].source.bucket.s3.versionId",
        11,
    ),
    "an endpoint without a scheme": (
        source(f"bucket:\n  s3: {{{S3}, endpoint: minio.local}}"),
        "InvalidSpec",
        "spec.plugins[0].source.bucket.s3.endpoint",
        11,
    ),
    "a path from the root": (
        source(f"oci: r/p@{DIGEST}\npath: /etc"),
        "InvalidSpec",
        "spec.plugins[0].source.path",
        11,
    ),
    "a path that leaves": (
        source(f"oci: r/p@{DIGEST}\npath: a/../../b"),
        "InvalidSpec",
        "spec.plugins[0].source.path",
        11,
    ),
    "a path that is too long": (
        source(f"oci: r/p@{DIGEST}\npath: {'a' * 1025}"),
        "InvalidSpec",
        "spec.plugins[0].source.path",
        11,
    ),
    "a Harness included twice": (
        "modelConfig: {name: m}\nharnesses:\n  include:\n  - name: h\n  - name: h",
        "InvalidSpec",
        "spec.harnesses.include[1].name",
        11,
    ),
    "a wildcard": (
        "modelConfig: {name: m}\nharnesses:\n  include:\n  - name: '*'",
        "InvalidSpec",
        "spec.harnesses.include[0].name",
        10,
    ),
    "a Harness by bare name": (
        "modelConfig: {name: m}\nharnesses:\n  include:\n  - h",
        "InvalidSpec",
        "spec.harnesses.include[0]",
        10,
    ),
    "a Harness of another namespace": (
        "modelConfig: {name: m}\nharnesses:\n  include:\n  - {name: h, namespace: other}",
        "CrossNamespaceReference",
        "spec.harnesses.include[0].namespace",
        10,
    ),
    "a Harness selector": (
        "modelConfig: {name: m}\nharnesses:\n  selector: {}",
        "UnknownField",
        "spec.harnesses.selector",
        9,
    ),
    "inheritance, which is deferred": (
        "modelConfig: {name: m}\nbaseContext: {name: b}",
        "UnknownField",
        "spec.baseContext",
        8,
    ),
}


@pytest.mark.parametrize(("spec", "reason", "field", "line"), HARNESS.values(), ids=HARNESS)
def test_a_harness_is_refused_for(spec: str, reason: str, field: str, line: int) -> None:
    assert refusal("Harness", spec) == [(reason, field, line)]


@pytest.mark.parametrize(("spec", "reason", "field", "line"), TEMPLATE.values(), ids=TEMPLATE)
def test_a_template_is_refused_for(spec: str, reason: str, field: str, line: int) -> None:
    assert refusal("AgentTemplate", spec) == [(reason, field, line)]


def refusal(kind: str, spec: str) -> list[tuple[str, str | None, int | None]]:
    inventory, told = decode_text(yaml_manifest("v1alpha2", kind, spec))
    assert inventory.broken == {(kind, "team", "subject")}
    assert not inventory.harnesses
    assert not inventory.templates
    assert all(fault.object is not None and fault.object.kind == kind for fault in told)
    return [(fault.reason.value, fault.field, fault.source.line if fault.source else None) for fault in told]
