"""Keys that a repository's Secrets lack are told where a plugin's variable refers to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_render.diagnostics.reasons import Reason
from tests.running import run

AGENT = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: PlatformAgent
metadata: {name: ops, namespace: team}
spec: {harness: {clusterName: c, location: l, projectId: p}}
---
apiVersion: v1
kind: Secret
metadata: {name: slack, namespace: team}
stringData: {token: never-shown}
---
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata: {name: triage, namespace: team}
spec:
  agentRef: ops
  image: "registry.example.com/triage@sha256:%s"
  env:
  - name: TOKEN
    valueFrom:
      secretKeyRef: {name: %s}
"""


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("slack, key: token", False),
        ("slack, key: tokn", True),
        ("slack, key: tokn, optional: true", False),
        ("elsewhere, key: tokn", False),
    ],
)
def test_a_key_is_told_that_a_secret_with_a_manifest_lacks(
    tmp_path: Path, reference: str, told: bool
) -> None:
    (tmp_path / "kagent-render.yaml").write_text(
        'apiVersion: render.kagent.dev/v1alpha1\nkind: RenderConfig\nspec: {kubeVersion: "1.35"}\n'
    )
    (tmp_path / "agent.yaml").write_text(AGENT % ("a" * 64, reference))
    done = run("render", "--offline", "-o", "json", cwd=tmp_path)
    found = [one for one in done.json["diagnostics"] if one["reason"] == Reason.CREDENTIAL_KEYS_UNKNOWN]
    assert [one["field"] for one in found] == ["spec.env[0].valueFrom.secretKeyRef.key"] * told
    assert [one["source"]["line"] for one in found] == [20] * told
    assert "never-shown" not in done.out + done.err
