"""Repositories of any size, the same for the same numbers."""

from __future__ import annotations

from pathlib import Path

CONFIG = """\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  target: ate.dev/v1alpha1
  substrate:
    workerPool: shared-pool
    snapshotLocation: s3://agent-snapshots/bench
    pauseImage: registry.example.com/pause@sha256:{zeros}
"""

HARNESS = """\
apiVersion: kagent.dev/v1alpha2
kind: Harness
metadata:
  namespace: {namespace}
  name: python-runtime
spec:
  python: {{}}
  workload:
    image: registry.example.com/agent-runtime@sha256:{zeros}
  allowedAgentTemplates:
    selector:
      matchLabels:
        example.com/runtime: python
---
apiVersion: kagent.dev/v1alpha2
kind: ModelConfig
metadata:
  namespace: {namespace}
  name: default-model
spec:
  provider: OpenAI
  model: gpt-5-mini
  apiKeySecret: model-credentials
  apiKeySecretKey: token
"""

TEMPLATE = """\
# Owned by the operations team; see the handbook before you change it.
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata:
  namespace: {namespace}
  name: agent-{number:05}
  labels:
    example.com/runtime: python
    example.com/purpose: incident
spec:
  description: Investigates the part {number} of an incident.
  modelConfig:
    name: default-model
  systemPrompt: |
    You look into part {number} of an incident.
    Read the evidence that you are given before you conclude anything from it.
    Say what you know, what you do not know, and what would settle it.
    Never touch a system that you were not asked about.
    Answer with a finding, its evidence, and how sure you are of it.
  harnesses:
    include:
    - name: python-runtime
"""


def write_repository(root: Path, templates: int, per_namespace: int = 250) -> Path:
    """Write `templates` agents, one file each, in namespaces of `per_namespace`."""
    zeros = "0" * 64
    root.mkdir(parents=True, exist_ok=True)
    (root / "kagent-render.yaml").write_text(CONFIG.format(zeros=zeros))
    for number in range(templates):
        namespace = f"team-{number // per_namespace:03}"
        folder = root / namespace
        if number % per_namespace == 0:
            folder.mkdir(exist_ok=True)
            (folder / "runtime.yaml").write_text(HARNESS.format(namespace=namespace, zeros=zeros))
        text = TEMPLATE.format(namespace=namespace, number=number)
        (folder / f"agent-{number:05}.yaml").write_text(text)
    return root
