"""A root that uses every kind of input, for tests that change one thing of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kagent_render.source.yaml import read_yaml

ZEROS = "0" * 64
ONES = "1" * 64
PAIR = "team/runtime/lead"
PAIR_FOLDER = "rendered/team/runtime/lead"
LOCK = f"{PAIR_FOLDER}/revision.lock.yaml"

CONFIG = f"""\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  target: ate.dev/v1alpha1
  controller:
    name: kagent-controller
  substrate:
    workerPool: pool
    snapshotLocation: s3://snapshots/team
    pauseImage: registry.example.com/pause@sha256:{ZEROS}
  retention:
    revisions: 3
    protect: true
"""

HARNESS = f"""\
apiVersion: kagent.dev/v1alpha2
kind: Harness
metadata: {{namespace: team, name: runtime}}
spec:
  python: {{}}
  workload:
    image: registry.example.com/runtime@sha256:{ZEROS}
  env:
  - name: LEVEL
    value: info
  allowedAgentTemplates:
    selector:
      matchLabels: {{runtime: python}}
"""

LEAD = """\
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata:
  namespace: team
  name: lead
  labels:
    runtime: python
    tier: gold
spec:
  description: Leads.
  modelConfig: {name: aws}
  systemPrompt: |
    You lead.
    {{include "texts/rules"}}
  promptTemplate:
    dataSources:
    - name: texts
  tools:
  - mcp:
      server: {kind: RemoteMCPServer, name: search}
      tools: [find, open]
  - agent:
      name: helper
      description: Helps.
      templateRef: {name: helper}
  - agent:
      name: critic
      description: Doubts.
      isolation: Dedicated
      templateRef: {name: critic}
  harnesses:
    include:
    - name: runtime
"""

MEMBER = """\
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata: {{namespace: team, name: {0}, labels: {{runtime: python}}}}
spec:
  modelConfig: {{name: aws}}
  systemPrompt: You are the {0}.
  harnesses:
    include:
    - name: runtime
"""

INPUTS = """\
apiVersion: kagent.dev/v1alpha2
kind: ModelConfig
metadata: {namespace: team, name: aws}
spec:
  provider: Bedrock
  model: some-model
  apiKeySecret: aws
  bedrock:
    region: eu-central-1
---
apiVersion: v1
kind: Secret
metadata: {namespace: team, name: aws}
stringData:
  AWS_ACCESS_KEY_ID: not-kept
  AWS_SECRET_ACCESS_KEY: not-kept
---
apiVersion: kagent.dev/v1alpha2
kind: RemoteMCPServer
metadata: {namespace: team, name: search}
spec:
  description: Searches.
  url: https://search.example.com/mcp
---
apiVersion: v1
kind: ConfigMap
metadata: {namespace: team, name: texts}
data:
  rules: Be brief.
  unused: Nobody reads this.
"""

FILES = {
    "kagent-render.yaml": CONFIG,
    "harness.yaml": HARNESS,
    "lead.yaml": LEAD,
    "helper.yaml": MEMBER.format("helper"),
    "critic.yaml": MEMBER.format("critic"),
    "inputs.yaml": INPUTS,
}


def write_team(folder: Path) -> Path:
    """The manifests of the root, not rendered."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def of_ateapi(folder: Path) -> Path:
    """The manifests of the root for `ateapi/v0.4`, which needs a key of another kind; not rendered."""
    edit(folder / "kagent-render.yaml", "ate.dev/v1alpha1", "ateapi/v0.4")
    edit(folder / "inputs.yaml", "AWS_ACCESS_KEY_ID", "AWS_BEARER_TOKEN_BEDROCK")
    return folder


def edit(path: Path, old: str, new: str) -> None:
    """Replace the one occurrence of a text in a file."""
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    path.write_text(text.replace(old, new))


def lock_spec(folder: Path, path: str = LOCK) -> Any:
    """The spec of a lock file."""
    return read_yaml((folder / path).read_bytes())[0].value["spec"]


def actor_templates(folder: Path, pair: str = PAIR_FOLDER) -> set[str]:
    """The names of the ActorTemplates that a pair's folder holds."""
    return {path.stem for path in (folder / pair / "actortemplates").glob("*.yaml")}
