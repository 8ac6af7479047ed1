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

PLATFORM_CONFIG = """\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  kubeVersion: "1.35"
"""

PLATFORM_AGENT = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: PlatformAgent
metadata: {{namespace: {namespace}, name: keeper}}
spec:
  harness: {{clusterName: cluster, location: us-central1-a, projectId: project}}
"""

PLUGIN = """\
---
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata:
  namespace: {namespace}
  name: plugin{number}
spec:
  agentRef: keeper
  image: registry.example.com/plugins/plugin{number}@sha256:{zeros}
  targetProfile: platform
  env:
  - name: PLUGIN_{number}_TOKEN
    valueFrom:
      secretKeyRef:
        name: plugins
        key: token-{number}
  config: |
    platforms:
      pubsub:
        enabled: true
        topics:
        - topic-{number}
    platform_toolsets:
      google_chat:
      - toolset-{number}
"""

GATEWAY = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {{namespace: {namespace}, name: keeper-config}}
data: {{leader_elect.py: ""}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{namespace: {namespace}, name: keeper-gateway}}
spec:
  selector: {{matchLabels: {{app: keeper-gateway}}}}
  template:
    metadata: {{labels: {{app: keeper-gateway}}}}
    spec:
      containers:
      - name: platform-agent
        image: registry.example.com/agent@sha256:{zeros}
        env:
        - {{name: HOME, value: /opt/data/home}}
"""
"""What the operator itself would run of an agent, as far as its Component patches it."""


def write_platform_repository(root: Path, agents: int, plugins: int = 10) -> Path:
    """Write `agents` PlatformAgents with so many `plugins` each, one file and one namespace an agent."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "kagent-render.yaml").write_text(PLATFORM_CONFIG)
    for number in range(agents):
        namespace = f"ops-{number:03}"
        text = PLATFORM_AGENT.format(namespace=namespace) + "".join(
            PLUGIN.format(namespace=namespace, number=plugin, zeros="0" * 64) for plugin in range(plugins)
        )
        (root / f"{namespace}.yaml").write_text(text)
    return root


def write_gateways(folder: Path, rendered: Path, agents: int) -> Path:
    """Write a kustomization for each agent that applies its Component to what the operator would run."""
    names = [f"ops-{number:03}" for number in range(agents)]
    for name in names:
        own = folder / name
        own.mkdir(parents=True)
        (own / "gateway.yaml").write_text(GATEWAY.format(namespace=name, zeros="0" * 64))
        component = f"../../{rendered.relative_to(folder.parent)}/{name}/_agentplugins/keeper"
        (own / "kustomization.yaml").write_text(f"resources: [gateway.yaml]\ncomponents: [{component}]\n")
    (folder / "kustomization.yaml").write_text(f"resources: [{', '.join(names)}]\n")
    return folder


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
