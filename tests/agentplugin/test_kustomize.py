"""The Component under the real kustomize: what plugins add, and everything of the operator still there."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from kagent_render.api.kubeagents import AgentPlugin, EnvVar
from tests.agentplugin.builders import (
    AGENT,
    HASH,
    NAMESPACE,
    agent_plugin,
    compiled_agent,
    platform_agent,
    plugin_image,
)
from tests.agentplugin.kustomized import by_identity, kustomize, unordered
from tests.agentplugin.operator_objects import config_map, workload

if TYPE_CHECKING:
    from pathlib import Path

SECRET = {"secretKeyRef": {"name": "slack", "key": "token"}}
CONFIG_KEY = {"configMapKeyRef": {"name": "settings", "key": "salt", "optional": True}}
FIELD = {"fieldRef": {"fieldPath": "metadata.namespace"}}
KINDS = ["Deployment", "StatefulSet"]

FIRST = agent_plugin(
    "investigator",
    EnvVar("SLACK_API_TOKEN", source=SECRET),
    EnvVar("SESSION_KV_DB_PATH", source=FIELD),
    EnvVar("SESSION_KV_SALT", source=CONFIG_KEY),
    profile="platform",
)
SECOND = agent_plugin(
    "pubsub",
    EnvVar("SESSION_KV_API_KEY", "literal"),
    EnvVar("HERMES_GATEWAY_PROFILE", "x"),
    EnvVar("NOTHING"),
)
DATA = {
    "managed-config.yaml": "platforms:\n  pubsub:\n    enabled: true\n",
    "managed.env": "",
    "profile-default.overlay.yaml": "plugins:\n  enabled:\n  - pubsub\n",
}
OURS = compiled_agent(FIRST, SECOND, data=DATA)


def container(gateway: Any, name: str = AGENT) -> Any:
    containers = gateway["spec"]["template"]["spec"]["containers"]
    return next(found for found in containers if found["name"] == name)


def mounted(gateway: Any, plugin: AgentPlugin, path: str) -> None:
    """Add a plugin's volume and mount to the operator's workload."""
    image = {
        "reference": f"{plugin.image}@{plugin_image(plugin).digest}",
        "pullPolicy": "IfNotPresent",
    }
    volume = f"plugin-{plugin.name}"
    gateway["spec"]["template"]["spec"]["volumes"].append({"name": volume, "image": image})
    mounts = container(gateway)["volumeMounts"]
    container(gateway)["volumeMounts"] = [*mounts, {"name": volume, "mountPath": path}]


def with_env(gateway: Any, *entries: dict[str, Any]) -> None:
    """Replace or add variables of the operator's workload."""
    names = {entry["name"] for entry in entries}
    kept = [entry for entry in container(gateway)["env"] if entry["name"] not in names]
    container(gateway)["env"] = [*kept, *entries]


def expected_gateway(kind: str, **identity: Any) -> Any:
    gateway = copy.deepcopy(workload(kind, **identity))
    mounted(gateway, FIRST, "/opt/agent-plugins/platform/investigator")
    mounted(gateway, SECOND, "/opt/data/plugins/pubsub")
    with_env(
        gateway,
        {"name": "SLACK_API_TOKEN", "valueFrom": SECRET},
        {"name": "SESSION_KV_DB_PATH", "valueFrom": FIELD},
        {"name": "SESSION_KV_SALT", "valueFrom": CONFIG_KEY},
        {"name": "SESSION_KV_API_KEY", "value": "literal"},
        {"name": "HERMES_GATEWAY_PROFILE", "value": "x"},
        {"name": "NOTHING"},
    )
    gateway["spec"]["template"]["metadata"]["annotations"]["kubeagents.x-k8s.io/config-hash"] = HASH
    return gateway


def expected_config_map(**identity: Any) -> Any:
    found = copy.deepcopy(config_map(**identity))
    found["data"].update(DATA)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_plugins_are_added_and_everything_of_the_operator_stays(tmp_path: Path, kind: str) -> None:
    found = kustomize(tmp_path, [workload(kind), config_map()], OURS)
    assert found == by_identity([expected_gateway(kind), expected_config_map()])


def test_an_agent_without_plugins_gets_data_and_annotation(tmp_path: Path) -> None:
    expected = copy.deepcopy(workload())
    expected["spec"]["template"]["metadata"]["annotations"]["kubeagents.x-k8s.io/config-hash"] = HASH
    found = kustomize(tmp_path, [workload(), config_map()], compiled_agent(data=DATA))
    assert found == by_identity([expected, expected_config_map()])


def test_a_patch_that_says_nothing_changes_nothing(tmp_path: Path) -> None:
    frozen = platform_agent(pod_annotations={"kubeagents.x-k8s.io/config-hash": "mine"})
    found = kustomize(tmp_path, [workload(), config_map()], compiled_agent(agent=frozen, data=DATA))
    assert found == by_identity([workload(), expected_config_map()])


@pytest.mark.parametrize("kind", KINDS)
def test_applying_it_twice_is_applying_it_once(tmp_path: Path, kind: str) -> None:
    once = kustomize(tmp_path / "once", [workload(kind), config_map()], OURS)
    assert kustomize(tmp_path / "twice", list(once.values()), OURS) == once


@pytest.mark.parametrize("kind", KINDS)
def test_a_namespace_that_the_outer_kustomization_sets_is_none_when_patching(
    tmp_path: Path, kind: str
) -> None:
    bare: dict[str, Any] = {"namespace": None}
    found = kustomize(tmp_path, [workload(kind, **bare), config_map(**bare)], OURS, namespace="elsewhere")
    there = {"namespace": "elsewhere"}
    assert found == by_identity([expected_gateway(kind, **there), expected_config_map(**there)])


@pytest.mark.parametrize(
    ("agent", "namespace"),
    [
        pytest.param("other-agent", NAMESPACE, id="another agent"),
        pytest.param(f"{AGENT}-2", NAMESPACE, id="a longer name"),
        pytest.param(f"my-{AGENT}", NAMESPACE, id="a name with a prefix"),
        pytest.param(AGENT, "other", id="another namespace"),
        pytest.param(AGENT, f"{NAMESPACE}-2", id="a longer namespace"),
        pytest.param(AGENT, "my-default", id="a namespace that ends with the default's name"),
    ],
)
def test_another_agent_beside_ours_is_left_alone(tmp_path: Path, agent: str, namespace: str) -> None:
    others = [
        workload(agent=agent, namespace=namespace),
        workload("StatefulSet", agent, namespace),
        config_map(agent, namespace),
    ]
    found = kustomize(tmp_path, [workload(), config_map(), *others], OURS)
    assert found == by_identity([expected_gateway("Deployment"), expected_config_map(), *others])


def test_a_dot_in_the_name_matches_a_dot_only(tmp_path: Path) -> None:
    ours = compiled_agent(agent=platform_agent("a.b"), data=DATA)
    objects = [config_map(agent) for agent in ("a.b", "axb")]
    found = kustomize(tmp_path, objects, ours)
    assert found == by_identity([expected_config_map(agent="a.b"), config_map("axb")])


def test_two_agents_of_ours_are_patched_each(tmp_path: Path) -> None:
    other = compiled_agent(agent=platform_agent("second"), data=DATA, config_hash="ab" * 32)
    objects = [workload(), config_map(), config_map("second")]
    found = kustomize(tmp_path, objects, OURS, other)
    expected = [expected_gateway("Deployment"), expected_config_map(), expected_config_map(agent="second")]
    assert found == by_identity(expected)


ENTRIES: dict[str, tuple[EnvVar, dict[str, Any]]] = {
    "text": (EnvVar("A", "text"), {"value": "text"}),
    "empty text": (EnvVar("A", ""), {"value": ""}),
    "nothing": (EnvVar("A"), {}),
    "a Secret": (EnvVar("A", source=SECRET), {"valueFrom": SECRET}),
    "another Secret": (
        EnvVar("A", source={"secretKeyRef": {"name": "b", "key": "k", "optional": True}}),
        {"valueFrom": {"secretKeyRef": {"name": "b", "key": "k", "optional": True}}},
    ),
    "a ConfigMap": (EnvVar("A", source=CONFIG_KEY), {"valueFrom": CONFIG_KEY}),
    "a field": (EnvVar("A", source=FIELD), {"valueFrom": FIELD}),
    "a resource": (
        EnvVar("A", source={"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1"}}),
        {"valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1"}}},
    ),
    "a file": (
        EnvVar("A", source={"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k", "optional": False}}),
        {"valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "p", "key": "k", "optional": False}}},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("variable", "written"), ENTRIES.values(), ids=ENTRIES)
def test_a_variable_replaces_whatever_stood_under_its_name(
    tmp_path: Path, kind: str, variable: EnvVar, written: dict[str, Any]
) -> None:
    """Every earlier entry at once: each stands in a workload of an agent of its own."""
    earlier: dict[str, list[dict[str, Any]]] = {
        f"agent-{number}": [{"name": "A", **before}] for number, (_, before) in enumerate(ENTRIES.values())
    }
    earlier["agent-none"] = []
    objects, agents, expected = [], [], []
    for agent, entries in earlier.items():
        before, after = (copy.deepcopy(workload(kind, agent)) for _ in range(2))
        container(before)["env"] = [*entries, {"name": "B", "value": "b"}]
        container(after)["env"] = [{"name": "A", **written}, {"name": "B", "value": "b"}]
        after["spec"]["template"]["metadata"]["annotations"]["kubeagents.x-k8s.io/config-hash"] = HASH
        plugin = agent_plugin("p", variable)
        agents.append(compiled_agent(plugin, agent=platform_agent(agent), volumes=()))
        objects.append(before)
        expected.append(after)
    assert kustomize(tmp_path, objects, *agents) == by_identity(expected)


# Without U+0085: kustomize itself writes that as it is, and then reads a line break.
TEXTS = {
    "a variable of a shell": "home: ${HOME} $(HOME) $HOME $${HOME}\n",
    "a tab": "a:\tb\n\tc\n",
    "beyond the basic plane": "emoji: 😀\n𝒳: 1\n",
    "CRLF": "a: 1\r\nb: 2\r\n",
    "a lone CR": "a\rb",
    "a long line": "a: " + "word " * 40 + "end\n",
    "a long line without spaces": "a: " + "x" * 200 + "\n",
    "a leading space": " a\n  b\n",
    "trailing spaces": "a  \nb \n \n",
    "no line feed at the end": "a\nb",
    "several at the end": "a\nb\n\n\n",
    "only line feeds": "\n\n",
    "a document's end": "---\na: 1\n...\n",
    "a comment": "# a: b #c\n",
    "what YAML 1.1 reads otherwise": "off",
    "a number": "010",
    "a quote": "a: \"b\" 'c' \\n\n",
    "separators of Unicode": "a\u2028b\u2029c\n",
    "a byte order mark": "\ufeffa: 1\n",
    "a template": "{{ .Values.a }}\n",
    "a conflict marker": "<<<<<<< a\n=======\n>>>>>>> b\n",
}


def test_texts_reach_the_config_map_unchanged(tmp_path: Path) -> None:
    data = {f"profile-{number}.overlay.yaml": text for number, text in enumerate(TEXTS.values())}
    found = kustomize(tmp_path, [config_map()], compiled_agent(data=data))
    assert found["ConfigMap", NAMESPACE, f"{AGENT}-config"]["data"] == config_map()["data"] | data


def test_texts_reach_the_container_unchanged(tmp_path: Path) -> None:
    variables = [EnvVar(f"V{number}", text) for number, text in enumerate(TEXTS.values())]
    found = kustomize(tmp_path, [workload()], compiled_agent(agent_plugin("p", *variables)))
    env = container(found["Deployment", NAMESPACE, f"{AGENT}-gateway"])["env"]
    assert [entry for entry in env if entry["name"].startswith("V")] == unordered(
        [{"name": variable.name, "value": variable.value} for variable in variables]
    )
