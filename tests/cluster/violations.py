"""One manifest for each rule of our definitions that breaks that rule alone."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Final

from tests.manifests import IMAGE, ZEROS

_REFERENCE: Final = {"workerPoolRef": {"name": "pool"}, "snapshotPolicy": {"location": "s3://snapshots/x"}}
_HARNESS: Final = {
    "codex": {},
    "workload": {"image": IMAGE},
    "substrate": _REFERENCE,
    "env": [{"name": "A", "value": ""}, {"name": "B", "credentialRef": {"name": "s", "key": "k"}}],
    "allowedAgentTemplates": {
        "selector": {
            "matchLabels": {"app": "x"},
            "matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}],
        }
    },
}
_GIT: Final = {"url": "https://git.example.com/x.git", "commit": "a" * 40}
_S3: Final = {
    "bucket": "b",
    "key": "k",
    "versionId": "1",
    "endpoint": "https://s3.example.com",
    "region": "eu",
}
_TEMPLATE: Final[dict[str, Any]] = {
    "modelConfig": {"name": "m"},
    "systemPrompt": "Answer.",
    "promptTemplate": {"dataSources": [{"name": "texts", "alias": "t"}]},
    "tools": [
        {"mcp": {"server": {"kind": "RemoteMCPServer", "name": "s"}, "tools": ["search"]}},
        {"agent": {"name": "helper", "description": "Helps.", "templateRef": {"name": "t"}}},
    ],
    "skills": [
        {"name": "git", "source": {"git": _GIT, "path": "skills/x"}},
        {"name": "s3", "source": {"bucket": {"s3": _S3}}},
        {"name": "oci", "source": {"oci": IMAGE}},
    ],
    "plugins": [{"source": {"git": {**_GIT}}, "skills": ["triage"]}],
}
_OLDER: Final = {**_TEMPLATE, "harnesses": {"include": [{"name": "runtime"}]}}
_PLUGIN: Final = {
    "agentRef": "agent",
    "image": "registry.example.com/plugin:1",
    "imagePullPolicy": "Always",
    "targetProfile": "platform",
    "env": [
        {"name": "A", "value": "x"},
        {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
        {"name": "C", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1m"}}},
    ],
    "config": "a: 1\n",
}

VALID: Final[dict[tuple[str, str], dict[str, Any]]] = {
    ("v1alpha2", "Harness"): _HARNESS,
    ("v1alpha3", "Harness"): _HARNESS,
    ("v1alpha2", "AgentTemplate"): _OLDER,
    ("v1alpha3", "AgentTemplate"): _TEMPLATE,
    ("v1alpha1", "AgentPlugin"): _PLUGIN,
}
"""A spec with every field that a rule is about, by version and kind."""

GONE: Final = object()
"""In place of a value: the field is left out."""


@dataclass(frozen=True)
class Violation:
    """What is set `at` a place of a valid spec, and where that is told: there, unless `told` says."""

    at: str
    value: Any
    told: str = ""
    server: str = ""

    @property
    def place(self) -> str:
        """The field that we report."""
        return f"spec.{self.told or self.at}" if self.told != "." else "spec"

    @property
    def server_place(self) -> str:
        """The field that the server reports: the entry, where we report the key of a repeated entry."""
        return f"spec.{self.server}" if self.server else self.place

    def spec(self, valid: dict[str, Any]) -> dict[str, Any]:
        """The spec that breaks the rule."""
        broken = copy.deepcopy(valid)
        *steps, last = [int(step) if step.isdigit() else step for step in self.at.split(".")]
        holder: Any = broken
        for step in steps:
            holder = holder[step]
        if self.value is GONE:
            del holder[last]
        elif isinstance(holder, list) and last == len(holder):
            holder.append(self.value)
        else:
            holder[last] = self.value
        return broken


V = Violation
_LONG: Final = "https://example.com/" + "x" * 2029

HARNESS: Final = (
    V("claude", {}, "."),
    V("codex", GONE, "."),
    V("codex", "yes"),
    V("unknown", 1),
    V("env", [{"name": f"V{n}", "value": ""} for n in range(101)]),
    V("env.2", {"name": "A", "value": "2"}, "env[2].name", "env[2]"),
    V("env.0", {"name": "A"}, "env[0]"),
    V("env.0.credentialRef", {"name": "s", "key": "k"}, "env[0]"),
    V("env.0.name", "", "env[0].name"),
    V("env.0.name", GONE, "env[0].name"),
    V("env.0.value", 1, "env[0].value"),
    V("env.1.credentialRef.name", "", "env[1].credentialRef.name"),
    V("env.1.credentialRef.name", GONE, "env[1].credentialRef.name"),
    V("env.1.credentialRef.key", GONE, "env[1].credentialRef.key"),
    V("workload.image", "registry.example.com/x:1"),
    V("workload.image", f"user:word@registry.example.com/x@sha256:{ZEROS}"),
    V("substrate.workerPoolRef.name", ""),
    V("substrate.workerPoolRef", {}, "substrate.workerPoolRef.name"),
    V("substrate.workerPoolRef", GONE),
    V("substrate.snapshotPolicy", GONE),
    V("substrate.snapshotPolicy.location", GONE),
    V("substrate.snapshotPolicy.location", "a b"),
    V("substrate.snapshotPolicy.location", "s3://user:word@snapshots/x"),
    V("substrate.snapshotPolicy.location", "s3://user:wo/rd@snapshots/x"),
    V("substrate.snapshotPolicy.location", _LONG),
    V("allowedAgentTemplates.selector", GONE),
    V("allowedAgentTemplates.selector.matchLabels.app", "-x"),
    V("allowedAgentTemplates.selector.matchLabels.app", "x" * 64),
    *(
        V(f"allowedAgentTemplates.selector.matchExpressions.0.{key}", value, told)
        for key, value, told in (
            ("key", "a b", "allowedAgentTemplates.selector.matchExpressions[0].key"),
            ("key", "x" * 64, "allowedAgentTemplates.selector.matchExpressions[0].key"),
            ("operator", "in", "allowedAgentTemplates.selector.matchExpressions[0].operator"),
            ("operator", "Exists", "allowedAgentTemplates.selector.matchExpressions[0].values"),
            ("values", GONE, "allowedAgentTemplates.selector.matchExpressions[0].values"),
            ("values", ["-"], "allowedAgentTemplates.selector.matchExpressions[0].values[0]"),
        )
    ),
)
"""Of a Harness in either version."""

_SKILL: Final = "skills[0].source"
TEMPLATE: Final = (
    V("modelConfig", GONE),
    V("modelConfig.name", ""),
    V("systemPromptFrom", {"name": "c", "key": "k"}, "."),
    V("promptTemplate.dataSources", [{"name": f"c{n}"} for n in range(21)]),
    V(
        "promptTemplate.dataSources.1",
        {"name": "texts"},
        "promptTemplate.dataSources[1].name",
        "promptTemplate.dataSources[1]",
    ),
    V("promptTemplate.dataSources.0.alias", "", "promptTemplate.dataSources[0].alias"),
    V("tools", [_TEMPLATE["tools"][1]] * 51),
    V("tools.0", {}, "tools[0]"),
    V("tools.0.agent", _TEMPLATE["tools"][1]["agent"], "tools[0]"),
    V("tools.0.mcp.server.kind", "Service", "tools[0].mcp.server.kind"),
    V("tools.0.mcp.server.namespace", "other", "tools[0].mcp.server.namespace"),
    V("tools.0.mcp.tools", [], "tools[0].mcp.tools"),
    V("tools.0.mcp.tools", [f"t{n}" for n in range(51)], "tools[0].mcp.tools"),
    V("tools.0.mcp.tools.1", "search", "tools[0].mcp.tools[1]"),
    V("tools.0.mcp.tools.0", "", "tools[0].mcp.tools[0]"),
    V("tools.1.agent.name", "", "tools[1].agent.name"),
    V("tools.1.agent.description", GONE, "tools[1].agent.description"),
    V("tools.1.agent.isolation", "shared", "tools[1].agent.isolation"),
    V("tools.1.agent.templateRef.name", "", "tools[1].agent.templateRef.name"),
    V("skills", [{"name": f"s{n}", "source": {"git": _GIT}} for n in range(51)]),
    V("skills.3", {"name": "git", "source": {"git": _GIT}}, "skills[3].name", "skills[3]"),
    V("skills.0.source", {}, _SKILL),
    V("skills.0.source.oci", IMAGE, _SKILL),
    V("skills.0.source.path", "/skills", f"{_SKILL}.path"),
    V("skills.0.source.path", "a/../b", f"{_SKILL}.path"),
    V("skills.0.source.path", "x" * 1025, f"{_SKILL}.path"),
    V("skills.0.source.git.url", "git@git.example.com:x.git", f"{_SKILL}.git.url"),
    V("skills.0.source.git.url", "https://word@git.example.com/x.git", f"{_SKILL}.git.url"),
    V("skills.0.source.git.url", _LONG, f"{_SKILL}.git.url"),
    V("skills.0.source.git.commit", "main", f"{_SKILL}.git.commit"),
    V("skills.1.source.bucket.s3.bucket", "arn:aws:s3:::b", "skills[1].source.bucket.s3.bucket"),
    V("skills.1.source.bucket.s3.bucket", "x" * 256, "skills[1].source.bucket.s3.bucket"),
    V("skills.1.source.bucket.s3.key", "", "skills[1].source.bucket.s3.key"),
    V("skills.1.source.bucket.s3.versionId", "null", "skills[1].source.bucket.s3.versionId"),
    V("skills.1.source.bucket.s3.versionId", "", "skills[1].source.bucket.s3.versionId"),
    V(
        "skills.1.source.bucket.s3.endpoint",
        "https://u:w@s3.example.com",
        "skills[1].source.bucket.s3.endpoint",
    ),
    V("skills.1.source.bucket.s3.region", "https://x", "skills[1].source.bucket.s3.region"),
    V("skills.2.source.oci", "registry.example.com/x:1", "skills[2].source.oci"),
    V("plugins", [{"source": {"git": _GIT}, "skills": []}] * 21),
    V("plugins.0.skills", [f"s{n}" for n in range(51)], "plugins[0].skills"),
    V("plugins.0.skills.1", "triage", "plugins[0].skills[1]"),
    V("plugins.0.source.path", "../x", "plugins[0].source.path"),
    V("plugins.0.source.git", GONE, "plugins[0].source"),
)
"""Of an AgentTemplate in either version."""

PLUGIN: Final = (
    V("agentRef", GONE),
    V("image", GONE),
    V("image", "user:word@registry.example.com/x:1"),
    V("image", "x" * 2049),
    V("imagePullPolicy", "Sometimes"),
    V("targetProfile", "default"),
    V("targetProfile", "Platform"),
    V("targetProfile", "x" * 64),
    V("targetProfile", ""),
    V("env", [{"name": "A"}] * 1001),
    V("env.0.name", "a=b", "env[0].name"),
    V("env.1.value", "x", "env[1].valueFrom"),
    V("env.1.valueFrom", {}, "env[1].valueFrom"),
    V("env.1.valueFrom.fieldRef", {"fieldPath": "metadata.name"}, "env[1].valueFrom"),
    V("env.2.valueFrom.resourceFieldRef.divisor", "1Q", "env[2].valueFrom.resourceFieldRef.divisor"),
)
"""Of an AgentPlugin."""

VIOLATIONS: Final = [
    *((("v1alpha2", "Harness"), found) for found in HARNESS),
    *((("v1alpha3", "Harness"), found) for found in (*HARNESS, V("workload", GONE), V("substrate", GONE))),
    *((("v1alpha2", "AgentTemplate"), found) for found in TEMPLATE),
    (("v1alpha2", "AgentTemplate"), V("plugins.0.skills", GONE, "plugins[0].skills")),
    (("v1alpha2", "AgentTemplate"), V("harnesses.include.0.name", "run*", "harnesses.include[0].name")),
    (
        ("v1alpha2", "AgentTemplate"),
        V("harnesses.include.1", {"name": "runtime"}, "harnesses.include[1].name", "harnesses.include[1]"),
    ),
    *((("v1alpha3", "AgentTemplate"), found) for found in TEMPLATE),
    (
        ("v1alpha3", "AgentTemplate"),
        V("skills.1.source.bucket.s3.endpoint", GONE, "skills[1].source.bucket.s3.endpoint"),
    ),
    (("v1alpha3", "AgentTemplate"), V("harnesses", {"include": []})),
    *((("v1alpha1", "AgentPlugin"), found) for found in PLUGIN),
]
"""Each with the version and the kind that it is of."""
