"""The files of an agent's folder, byte for byte."""

from __future__ import annotations

import pytest
import yaml

from kagent_render.agentplugin.component import agent_files, component_files
from kagent_render.agentplugin.pinning import pin_agent
from kagent_render.api.kubeagents import EnvVar
from kagent_render.emit.layout import COMPONENT_FILES
from kagent_render.revision.canonical_json import text_digest
from tests.agentplugin.builders import (
    agent_plugin,
    compiled_agent,
    platform_agent,
    plugin_image,
    ready,
    spec_digests,
    volume,
)
from tests.agentplugin.kustomized import files_of

SECRET = {"secretKeyRef": {"name": "slack", "key": "token"}}
PLUGIN = agent_plugin(
    "stockout",
    EnvVar("SLACK_API_TOKEN", source=SECRET),
    EnvVar("HOME", "/opt/home"),
    EnvVar("EMPTY"),
    EnvVar("off", ""),
    profile="platform",
    pull_policy="Always",
)

KUSTOMIZATION = r"""# Written by kagent-render: edits are replaced.
# What the operator of gke-labs/kube-agents@f4e8b934 makes of
# PlatformAgent kubeagents-system/platform-agent and its plugins.
# Where that operator reconciles the agent, this is a preview of what it does.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
- path: configmap.yaml
  target:
    version: v1
    kind: ConfigMap
    name: platform-agent-config
    namespace: kubeagents-system|default
- path: gateway.yaml
  target:
    group: apps
    version: v1
    kind: Deployment|StatefulSet
    name: platform-agent-gateway
    namespace: kubeagents-system|default
"""

CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata:
  name: platform-agent-config
data:
  managed-config.yaml: |
    approvals:
      cron_mode: approve
  managed.env: ""
"""

GATEWAY_START = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: platform-agent-gateway
spec:
  template:
    metadata:
      annotations:
        kubeagents.x-k8s.io/config-hash: 0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e0e
"""

GATEWAY_POD = f"""    spec:
      containers:
      - name: platform-agent
        env:
        - name: SLACK_API_TOKEN
          value: null
          valueFrom:
            $patch: replace
            secretKeyRef:
              name: slack
              key: token
        - name: HOME
          value: /opt/home
          valueFrom: null
        - name: EMPTY
          value: null
          valueFrom: null
        - name: "off"
          value: ""
          valueFrom: null
        volumeMounts:
        - name: plugin-stockout
          mountPath: /opt/agent-plugins/platform/stockout
      volumes:
      - name: plugin-stockout
        image:
          reference: registry.example.com/plugins/stockout:v1@{plugin_image(PLUGIN).digest}
          pullPolicy: Always
"""

STATUS = """apiVersion: render.kagent.dev/v1alpha1
kind: AgentPluginStatusReport
metadata:
  namespace: kubeagents-system
  name: platform-agent
upstream: gke-labs/kube-agents@f4e8b934
plugins:
- name: stockout
  phase: Ready
  targetAgents:
  - platform-agent
  conditions:
  - type: Ready
    status: "True"
    reason: Applied
    message: Plugin successfully applied to agent platform-agent.
"""

NOTHING_BUT_DATA = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: platform-agent-gateway
"""


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("kustomization.yaml", KUSTOMIZATION),
        ("configmap.yaml", CONFIG_MAP),
        ("gateway.yaml", GATEWAY_START + GATEWAY_POD),
        ("status.yaml", STATUS),
    ],
)
def test_each_file_of_an_agent_with_a_plugin(file: str, expected: str) -> None:
    assert files_of(compiled_agent(PLUGIN))[file].decode() == expected


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("kustomization.yaml", KUSTOMIZATION),
        ("configmap.yaml", CONFIG_MAP),
        ("gateway.yaml", GATEWAY_START),
        ("status.yaml", STATUS[: STATUS.index("plugins:")] + "plugins: []\n"),
    ],
)
def test_an_agent_without_plugins_still_has_data_and_annotation(file: str, expected: str) -> None:
    assert files_of(compiled_agent())[file].decode() == expected


def test_the_folder_holds_the_component_the_report_and_the_lock() -> None:
    names = {"kustomization.yaml", "configmap.yaml", "gateway.yaml", "status.yaml", "revision.lock.yaml"}
    assert set(files_of(compiled_agent(PLUGIN))) == names


def test_an_annotation_of_the_agent_itself_wins() -> None:
    frozen = platform_agent(pod_annotations={"kubeagents.x-k8s.io/config-hash": "mine"})
    other = platform_agent(pod_annotations={"example.com/a": "b"})
    assert files_of(compiled_agent(agent=frozen))["gateway.yaml"].decode() == NOTHING_BUT_DATA
    assert files_of(compiled_agent(agent=other))["gateway.yaml"].decode() == GATEWAY_START


def test_a_plugin_without_an_image_has_a_volume_without_a_reference() -> None:
    bare = volume(PLUGIN, {PLUGIN.image: plugin_image(PLUGIN)})
    changed = compiled_agent(PLUGIN, volumes=(type(bare)(PLUGIN, "plugin-stockout", "", "Never", "/p"),))
    pod = yaml.safe_load(files_of(changed)["gateway.yaml"])["spec"]["template"]["spec"]
    assert pod["volumes"] == [{"name": "plugin-stockout", "image": {"pullPolicy": "Never"}}]


def test_unsupported_image_volumes_leave_the_variables() -> None:
    patch = yaml.safe_load(files_of(compiled_agent(PLUGIN, volumes=()))["gateway.yaml"])
    pod = patch["spec"]["template"]["spec"]
    assert list(pod) == ["containers"]
    assert list(pod["containers"][0]) == ["name", "env"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({"observed_generation": 7}, {"observedGeneration": 7}, id="generation"),
        pytest.param(
            {"target_agents": ("old", "platform-agent")}, {"targetAgents": ["old", "platform-agent"]}
        ),
        pytest.param({"target_agents": ()}, {"targetAgents": []}, id="no agents"),
        pytest.param({"target_agents": None}, {}, id="null agents"),
        pytest.param(
            {"phase": "Degraded", "reason": "ImagePullFailed", "message": "m"}, {"phase": "Degraded"}
        ),
    ],
)
def test_the_report_says_what_a_status_has(changes: dict[str, object], expected: dict[str, object]) -> None:
    status = ready(PLUGIN, **changes)
    report = yaml.safe_load(files_of(compiled_agent(PLUGIN, statuses=(status,)))["status.yaml"])
    (entry,) = report["plugins"]
    assert {**entry, **expected} == entry
    assert ("targetAgents" in entry) == (status.target_agents is not None)
    assert ("observedGeneration" in entry) == (status.observed_generation is not None)
    assert entry["conditions"] == [
        {
            "type": "Ready",
            "status": "True" if status.phase == "Ready" else "False",
            "reason": status.reason,
            "message": status.message,
        }
    ]


@pytest.mark.parametrize(
    ("name", "namespace", "expected"),
    [
        ("a.b", "team", {"name": r"a\.b-gateway", "namespace": "team|default"}),
        ("a", "default", {"name": "a-gateway", "namespace": "default"}),
        ("a-1", "t-1", {"name": "a-1-gateway", "namespace": "t-1|default"}),
    ],
)
def test_a_target_matches_names_literally(name: str, namespace: str, expected: dict[str, str]) -> None:
    compiled = compiled_agent(agent=platform_agent(name, namespace))
    _, gateway = yaml.safe_load(files_of(compiled)["kustomization.yaml"])["patches"]
    assert {key: gateway["target"][key] for key in ("name", "namespace")} == expected


def test_every_text_of_several_lines_is_a_literal_block() -> None:
    text = files_of(compiled_agent(data={"profile-platform.overlay.yaml": "a:\n  b: 1\n\nc: 2"}))
    assert "  profile-platform.overlay.yaml: |-\n    a:\n      b: 1\n\n    c: 2\n" in (
        text["configmap.yaml"].decode()
    )


@pytest.mark.parametrize(
    ("config", "variable", "annotated"),
    [
        ("a: ${HOME}\n", "x", ["configmap.yaml"]),
        ("a: $HOME\n", "${HOME}", ["gateway.yaml"]),
        ("a: b\n", "$(HOME)", []),
    ],
)
def test_flux_is_kept_from_variables_that_are_not_its_own(
    config: str, variable: str, annotated: list[str]
) -> None:
    plugin = agent_plugin("stockout", EnvVar("A", variable))
    files = files_of(compiled_agent(plugin, data={"managed-config.yaml": config}))
    annotation = {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}
    for name in ("configmap.yaml", "gateway.yaml"):
        found = yaml.safe_load(files[name])["metadata"].get("annotations")
        assert found == (annotation if name in annotated else None)


def test_the_files_say_the_revision_that_the_lock_has() -> None:
    compiled = compiled_agent(PLUGIN)
    files = component_files(compiled)
    lock = pin_agent(compiled, spec_digests(compiled.agent, PLUGIN), None, files)
    assert lock.revision.encode() in agent_files(compiled, files, lock)["revision.lock.yaml"]
    assert lock.files == {name: text_digest(content.decode()) for name, content in files.items()}
    assert set(files) == set(COMPONENT_FILES)
