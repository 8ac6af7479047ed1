"""Faults in the kube-agents kinds: no pair needs them, and nothing is written beside them."""

from __future__ import annotations

from typing import Any

from tests.faults.repository import ALONE, EXTRA, Edit, Fault

_PLUGIN = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata:
  name: stockout
  namespace: kubeagents-system
spec:
  agentRef: platform-agent
  image: registry.example.com/plugins/stockout:v1
  targetProfile: platform
  env:
  - name: LEVEL
    value: "1"
  config: |
    platform_toolsets: {cli: [stockout]}
"""
_AGENT = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: PlatformAgent
metadata:
  name: platform-agent
  namespace: kubeagents-system
spec:
  harness:
    clusterName: cluster-a
    location: us-central1-a
    projectId: example-project
"""


def _told(text: str, name: str, field: str, at: str, change: tuple[str, str], **more: Any) -> Fault:
    assert text.count(change[0]) == 1
    reason = more.pop("reason", "InvalidSpec")
    edits = (Edit(EXTRA, "", f"---\n{text.replace(*change)}"),)
    return Fault(reason, name, field, at, edits, failing=(), **more)


def _plugin(field: str, at: str, old: str, new: str, **more: Any) -> Fault:
    return _told(_PLUGIN, more.pop("name", "AgentPlugin/stockout"), field, at, (old, new), **more)


def _agent(field: str, at: str, old: str, new: str, **more: Any) -> Fault:
    return _told(_AGENT, "PlatformAgent/platform-agent", field, at, (old, new), **more)


PLUGINS = {
    "no agent": _plugin("spec.agentRef", "spec:", "  agentRef: platform-agent\n", "", hint="set `agentRef`"),
    "a misspelt field": _plugin(
        "spec.imagePolicy", "imagePolicy:", "  targetProfile:", "  imagePolicy: Always\n  targetProfile:",
        reason="UnknownField", hint="write `imagePullPolicy`",
    ),
    "an unknown pull policy": _plugin(
        "spec.imagePullPolicy", "imagePullPolicy:", "  targetProfile:",
        "  imagePullPolicy: Sometimes\n  targetProfile:", hint="`Always`, `Never` or `IfNotPresent`",
    ),
    "the default profile by name": _plugin(
        "spec.targetProfile", "targetProfile:", "platform\n  env", "default\n  env",
        hint="remove `targetProfile`",
    ),
    "a profile that is no name": _plugin(
        "spec.targetProfile", "targetProfile:", "platform\n  env", "my_profile\n  env", hint="`platform`",
    ),
    "a variable that no pod can have": _plugin("spec.env[0].name", "name: A=B", "LEVEL", "A=B", says="ASCII"),
    "a literal beside a source": _plugin(
        "spec.env[0].valueFrom", "valueFrom:", '    value: "1"\n',
        '    value: "1"\n    valueFrom: {secretKeyRef: {name: s, key: k}}\n', hint="remove `value`",
    ),
    "a source that is none": _plugin(
        "spec.env[0].valueFrom", "valueFrom:", '    value: "1"\n', "    valueFrom: {}\n",
        hint="`fileKeyRef`",
    ),
    "config that is no text": _plugin("spec.config", "config:", "config: |", "config:", hint="`config: |`"),
    "an agent of another namespace": _plugin(
        "spec.agentRef.namespace", "namespace: other", "agentRef: platform-agent",
        "agentRef: {name: platform-agent, namespace: other}", reason="CrossNamespaceReference",
    ),
    "no name": _plugin(
        "metadata.name", "metadata:", "  name: stockout\n", "", name="AgentPlugin/None",
        hint="set `metadata.name`",
    ),
    "a misspelt kind": _plugin(
        "kind", "kind: AgentPlugins", "kind: AgentPlugin", "kind: AgentPlugins",
        name="AgentPlugins/stockout", reason="UnknownField", hint="write `AgentPlugin`",
    ),
    "a version that does not exist": _plugin(
        "apiVersion", "apiVersion:", "v1alpha1", "v1beta1", reason="UnsupportedVersion",
        hint="`kubeagents.x-k8s.io/v1alpha1`",
    ),
}  # fmt: skip

AGENTS = {
    "no harness": _agent("spec.harness.projectId", "harness:", "    projectId: example-project\n", ""),
    "an annotation that is a boolean": _agent(
        "metadata.annotations[kubeagents.x-k8s.io/enable-image-volumes]",
        "kubeagents.x-k8s.io/enable-image-volumes:", "metadata:\n",
        "metadata:\n  annotations:\n    kubeagents.x-k8s.io/enable-image-volumes: true\n",
        hint="write the value in quotes",
    ),
    "a limit in quotes": _agent(
        "spec.harness.tuning.default.maxTurns", "maxTurns:", "  harness:\n",
        '  harness:\n    tuning:\n      default:\n        maxTurns: "9"\n', hint="without quotes",
    ),
    "a literal that is a credential, under --strict": _agent(
        "spec.deployment.env[0].value", "value: ghp_", "spec:\n",
        "spec:\n  deployment:\n    env:\n    - name: A\n"
        "      value: ghp_x7Kq2LmZ9pRt4VwY1bNc8DfG3hJs6A0eU5iO\n",
        reason="CredentialLiteral", base=ALONE, args=("--strict",), hint="`valueFrom.secretKeyRef`",
    ),
    "an integer that no lock can keep": _agent(
        "spec.more", "more:", "spec:\n", "spec:\n  more: 9007199254740993\n", says="2^53",
    ),
}  # fmt: skip

TWICE = {
    f"{kind} twice": Fault(
        "DuplicateObject", f"{kind}/{name}", "metadata.name", f"name: {name} # again",
        (Edit(EXTRA, "", f"{text}---\n" + text.replace(f"name: {name}\n", f"name: {name} # again\n")),),
        failing=(), says="agents/extra.yaml:4",
    )
    for kind, name, text in (
        ("AgentPlugin", "stockout", _PLUGIN), ("PlatformAgent", "platform-agent", _AGENT)
    )
}  # fmt: skip

CASES = PLUGINS | AGENTS | TWICE
