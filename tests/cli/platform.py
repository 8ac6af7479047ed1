"""A root with two PlatformAgents and their plugins, for tests that change one thing of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from tests.cli.team import ONES, ZEROS
from tests.running import Run, run

AGENT = "ops/platform-agent"
OTHER = "lab/keeper"
FOLDER = "rendered/ops/_agentplugins/platform-agent"
OTHER_FOLDER = "rendered/lab/_agentplugins/keeper"
LOCK = f"{FOLDER}/revision.lock.yaml"
STATUS = f"{FOLDER}/status.yaml"
NAMES = ("configmap.yaml", "gateway.yaml", "kustomization.yaml", "revision.lock.yaml", "status.yaml")
"""The files of a PlatformAgent's folder."""

CONFIG = """\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  kubeVersion: "1.35"
"""

HEAD = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: {kind}
metadata: {{namespace: {namespace}, name: {name}}}
spec:
"""

PLATFORM_AGENT = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: PlatformAgent
metadata:
  namespace: ops
  name: platform-agent
spec:
  harness:
    clusterName: cluster
    location: us-central1-a
    projectId: project
    tuning:
      default:
        maxTurns: 3
"""

KEEPER = HEAD.format(kind="PlatformAgent", namespace="lab", name="keeper") + (
    "  harness: {clusterName: lab, location: europe-west1, projectId: project}\n"
)

STOCKOUT = HEAD.format(kind="AgentPlugin", namespace="ops", name="stockout") + (
    f"""\
  agentRef: platform-agent
  image: registry.example.com/plugins/stockout@sha256:{ZEROS}
  env:
  - name: SLACK_API_TOKEN
    valueFrom:
      secretKeyRef:
        name: slack
        key: token
  config: |
    platform_toolsets:
      google_chat:
      - stockout
"""
)

INVESTIGATOR = HEAD.format(kind="AgentPlugin", namespace="ops", name="investigator") + (
    f"""\
  agentRef: platform-agent
  image: registry.example.com/plugins/investigator@sha256:{ONES}
  imagePullPolicy: Always
  targetProfile: platform
"""
)

PROBE = HEAD.format(kind="AgentPlugin", namespace="lab", name="probe") + (
    f"  agentRef: keeper\n  image: registry.example.com/plugins/probe@sha256:{ZEROS}\n"
)

AGENT_FILES = {
    "agent.yaml": PLATFORM_AGENT,
    "stockout.yaml": STOCKOUT,
    "investigator.yaml": INVESTIGATOR,
    "lab.yaml": f"{KEEPER}---\n{PROBE}",
}
FILES = {"kagent-render.yaml": CONFIG, **AGENT_FILES}


def plugin(name: str, namespace: str = "ops", of: str = "platform-agent", **spec: Any) -> str:
    """The manifest of one more plugin, whose image is written with its digest unless told."""
    spec = {"agentRef": of, "image": f"registry.example.com/plugins/{name}@sha256:{ZEROS}", **spec}
    text = yaml.safe_dump({"spec": spec}, sort_keys=False)
    return HEAD.format(kind="AgentPlugin", namespace=namespace, name=name) + text.removeprefix("spec:\n")


def write_platform(folder: Path) -> Path:
    """The manifests of the root, not rendered."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


def render(folder: Path, *args: str, **options: Any) -> Run:
    """Render without a network, with JSON output."""
    return run("render", "--offline", "-o", "json", *args, cwd=folder, **options)


def check(folder: Path, *args: str, **options: Any) -> Run:
    """Check without a network, with JSON output."""
    return run("check", "--offline", "-o", "json", *args, cwd=folder, **options)


def told(done: Run) -> list[tuple[str, str | None, str | None]]:
    """Each error as reason, object and field."""
    return [
        (
            fault["reason"],
            fault["object"] and f"{fault['object']['kind']}/{fault['object']['name']}",
            fault["field"],
        )
        for fault in done.faults
    ]


def prepared(done: Run) -> dict[str, tuple[str, str]]:
    """Status and reason of the condition Prepared, by agent."""
    return {
        f"{agent['namespace']}/{agent['name']}": (condition["status"], condition["reason"])
        for agent in done.json["platformAgents"]
        for condition in agent["conditions"]
        if condition["type"] == "Prepared"
    }


def statuses(folder: Path, path: str = STATUS) -> dict[str, tuple[str, str]]:
    """Reason and message of each plugin's condition in a status report."""
    report = yaml.safe_load((folder / path).read_text())
    found = [(status["name"], status["conditions"][0]) for status in report["plugins"]]
    return {name: (condition["reason"], condition["message"]) for name, condition in found}


def gateway(folder: Path, path: str = FOLDER) -> Any:
    """The pod's spec in the patch of an agent's gateway."""
    patch = yaml.safe_load((folder / path / "gateway.yaml").read_text())
    return patch.get("spec", {}).get("template", {}).get("spec", {})


def volumes(folder: Path, path: str = FOLDER) -> dict[str, str]:
    """The image of each volume in the patch of an agent's gateway."""
    return {
        volume["name"]: volume["image"]["reference"] for volume in gateway(folder, path).get("volumes", ())
    }


def config_data(folder: Path, path: str = FOLDER) -> dict[str, Any]:
    """The ConfigMap's data, each YAML text parsed."""
    data = yaml.safe_load((folder / path / "configmap.yaml").read_text())["data"]
    return {key: yaml.safe_load(text) if key.endswith(".yaml") else text for key, text in data.items()}
