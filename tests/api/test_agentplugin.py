"""AgentPlugin: the rules of its custom resource definition, and what the operator lets pass beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kagent_render.api.kubeagents import AgentPlugin, EnvVar
from kagent_render.diagnostics.diagnostic import Severity, distinct
from tests.api.manifests import decode_text, decode_value, manifest, yaml_manifest
from tests.manifests import told

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import Diagnostic

SPEC: dict[str, Any] = {"agentRef": "platform-agent", "image": "registry.example.com/p:1"}
SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}


def plugin(**spec: Any) -> dict[str, Any]:
    """A plugin with these fields beside or instead of the usual ones."""
    return manifest("v1alpha1", "AgentPlugin", {**SPEC, **spec})


def decoded(value: dict[str, Any]) -> AgentPlugin:
    """The plugin of a manifest about which there is nothing to tell."""
    inventory, faults = decode_value(value)
    assert faults == []
    (found,) = inventory.agent_plugins.values()
    return found


def faults_of(**spec: Any) -> list[Diagnostic]:
    """What is told of a plugin that does not decode."""
    inventory, faults = decode_value(plugin(**spec))
    assert not inventory.agent_plugins
    assert inventory.broken == {("AgentPlugin", "team", "subject")}
    return distinct(faults)


DOCUMENTED = """
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata:
  name: stockouthandler
  namespace: kubeagents-system
spec:
  agentRef: "platform-agent"
  image: "us-docker.pkg.dev/my-project/plugins/stockouthandler:v1.0.0"
  imagePullPolicy: IfNotPresent
  env:
    - name: SLACK_API_TOKEN
      valueFrom:
        secretKeyRef:
          name: slack-secrets
          key: api-token
  config: |
    platform_toolsets:
      google_chat:
        - stockout
"""


def test_the_documented_example() -> None:
    inventory, faults = decode_text(DOCUMENTED)
    assert faults == []
    found = inventory.agent_plugins["kubeagents-system", "stockouthandler"]
    assert (found.agent, found.profile, found.pull_policy) == ("platform-agent", "", "IfNotPresent")
    assert found.image == "us-docker.pkg.dev/my-project/plugins/stockouthandler:v1.0.0"
    source = {"secretKeyRef": {"name": "slack-secrets", "key": "api-token"}}
    assert found.env == (EnvVar("SLACK_API_TOKEN", source=source),)
    assert found.config == "platform_toolsets:\n  google_chat:\n    - stockout\n"
    assert (found.generation, found.target_agents) == (None, ())


def test_a_plugin_of_a_profile() -> None:
    config = "platforms: {pubsub: {enabled: true}}\napprovals: {cron_mode: approve}\n"
    found = decoded(plugin(targetProfile="platform", config=config))
    assert (found.profile, found.config) == ("platform", config)


def test_what_is_left_out() -> None:
    found = decoded(plugin())
    assert (found.profile, found.config, found.env, found.pull_policy) == ("", "", (), None)
    assert found.spec == SPEC


ACCEPTED: dict[str, dict[str, Any]] = {
    "an empty agent": {"agentRef": ""},
    "an empty image": {"image": ""},
    "the policy Always": {"imagePullPolicy": "Always"},
    "the policy Never": {"imagePullPolicy": "Never"},
    "the policy IfNotPresent": {"imagePullPolicy": "IfNotPresent"},
    "a profile of one digit": {"targetProfile": "9"},
    "a profile that ends with a dash": {"targetProfile": "a-"},
    "the profile of a cluster": {"targetProfile": "cluster-prod-us-east1"},
    "a profile of 63 characters": {"targetProfile": "a" * 63},
    "a profile that begins as the default one": {"targetProfile": "default-2"},
    "no profile by null": {"targetProfile": None},
    "config that is no YAML": {"config": "a: ["},
    "an empty config": {"config": ""},
    "no variables": {"env": []},
    "a variable without a value": {"env": [{"name": "A"}]},
    "a variable twice": {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]},
    "an empty value beside a source": {"env": [{"name": "A", "value": "", "valueFrom": SECRET}]},
    "a name that no shell has": {"env": [{"name": "a.b-c d/~!", "value": "1"}]},
}


@pytest.mark.parametrize("spec", ACCEPTED.values(), ids=ACCEPTED)
def test_is_accepted(spec: dict[str, Any]) -> None:
    decoded(plugin(**spec))


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no agent": ({"agentRef": None}, "spec.agentRef"),
    "an agent that is a number": ({"agentRef": 1}, "spec.agentRef"),
    "no image": ({"image": None}, "spec.image"),
    "an image with a password": ({"image": "https://user:word@registry.example.com/p"}, "spec.image"),
    "an unknown policy": ({"imagePullPolicy": "always"}, "spec.imagePullPolicy"),
    "an empty policy": ({"imagePullPolicy": ""}, "spec.imagePullPolicy"),
    "the default profile by name": ({"targetProfile": "default"}, "spec.targetProfile"),
    "a profile of 64 characters": ({"targetProfile": "a" * 64}, "spec.targetProfile"),
    "a profile in upper case": ({"targetProfile": "Platform"}, "spec.targetProfile"),
    "a profile with an underscore": ({"targetProfile": "a_b"}, "spec.targetProfile"),
    "a profile that begins with a dash": ({"targetProfile": "-a"}, "spec.targetProfile"),
    "a profile that ends its line": ({"targetProfile": "a\n"}, "spec.targetProfile"),
    "a profile that leaves its folder": ({"targetProfile": ".."}, "spec.targetProfile"),
    "config that is an object": ({"config": {"platforms": {}}}, "spec.config"),
    "variables by name": ({"env": {"A": "1"}}, "spec.env"),
    "a variable without a name": ({"env": [{"value": "1"}]}, "spec.env[0].name"),
    "a variable with an empty name": ({"env": [{"name": ""}]}, "spec.env[0].name"),
    "a name with `=`": ({"env": [{"name": "A"}, {"name": "A=B"}]}, "spec.env[1].name"),
    "a name beyond ASCII": ({"env": [{"name": "GRÖSSE"}]}, "spec.env[0].name"),
    "a name with a tab": ({"env": [{"name": "A\tB"}]}, "spec.env[0].name"),
    "a name that ends its line": ({"env": [{"name": "A\n"}]}, "spec.env[0].name"),
    "a value that is a number": ({"env": [{"name": "A", "value": 1}]}, "spec.env[0].value"),
    "a value beside a source": (
        {"env": [{"name": "A", "value": "1", "valueFrom": SECRET}]},
        "spec.env[0].valueFrom",
    ),
    "a source that is none": ({"env": [{"name": "A", "valueFrom": {}}]}, "spec.env[0].valueFrom"),
    "two sources": (
        {"env": [{"name": "A", "valueFrom": {**SECRET, "fieldRef": {"fieldPath": "metadata.name"}}}]},
        "spec.env[0].valueFrom",
    ),
}


@pytest.mark.parametrize(("spec", "field"), REFUSED.values(), ids=REFUSED)
def test_is_refused_once(spec: dict[str, Any], field: str) -> None:
    assert told(faults_of(**spec)) == [("InvalidSpec", field)]


def variable(**source: Any) -> dict[str, Any]:
    """One variable with one source."""
    return {"env": [{"name": "A", "valueFrom": source}]}


SOURCES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "secretKeyRef": ({"key": "k"}, {"key": "k", "name": ""}),
    "configMapKeyRef": ({"name": "c", "key": "k", "optional": True}, {}),
    "fieldRef": ({"apiVersion": "v1", "fieldPath": "metadata.name"}, {}),
    "resourceFieldRef": ({"containerName": "c", "resource": "limits.cpu", "divisor": "1m"}, {}),
    "fileKeyRef": (
        {"volumeName": "v", "path": "p", "key": "k"},
        {"volumeName": "v", "path": "p", "key": "k", "optional": False},
    ),
}


@pytest.mark.parametrize(("name", "source"), SOURCES.items(), ids=SOURCES)
def test_a_source_is_kept_as_an_api_server_stores_it(
    name: str, source: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    written, stored = source
    (entry,) = decoded(plugin(**variable(**{name: written}))).env
    assert entry.source == {name: stored or written}


INCOMPLETE = {
    "secretKeyRef": ("key",),
    "configMapKeyRef": ("key",),
    "fieldRef": ("fieldPath",),
    "resourceFieldRef": ("resource",),
    "fileKeyRef": ("key", "path", "volumeName"),
}


@pytest.mark.parametrize(
    ("source", "field"), [(source, field) for source, fields in INCOMPLETE.items() for field in fields]
)
def test_a_source_needs_its_fields(source: str, field: str) -> None:
    written = {key: value for key, value in SOURCES[source][0].items() if key != field}
    found = faults_of(**variable(**{source: written}))
    assert told(found) == [("InvalidSpec", f"spec.env[0].valueFrom.{source}.{field}")]


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_has_no_other_fields(source: str) -> None:
    found = faults_of(**variable(**{source: {**SOURCES[source][0], "keys": "k"}}))
    assert told(found) == [("UnknownField", f"spec.env[0].valueFrom.{source}.keys")]


@pytest.mark.parametrize("divisor", ["1", "1Mi", "-.5e+3", "+1.k", "0", 1, 0])
def test_a_divisor_is_a_quantity(divisor: object) -> None:
    decoded(plugin(**variable(resourceFieldRef={"resource": "limits.cpu", "divisor": divisor})))


@pytest.mark.parametrize("divisor", ["", "1Q", "1Mi\n", "Mi", ".", 1.5, True, [1], 2**53 + 1])
def test_another_divisor_is_refused(divisor: object) -> None:
    found = faults_of(**variable(resourceFieldRef={"resource": "limits.cpu", "divisor": divisor}))
    assert told(found) == [("InvalidSpec", "spec.env[0].valueFrom.resourceFieldRef.divisor")]


def test_a_reference_names_no_namespace() -> None:
    found = faults_of(agentRef={"name": "a", "namespace": "b"})
    assert told(found) == [("CrossNamespaceReference", "spec.agentRef.namespace")]
    found = faults_of(**variable(secretKeyRef={"name": "s", "key": "k", "namespace": "b"}))
    assert told(found) == [("CrossNamespaceReference", "spec.env[0].valueFrom.secretKeyRef.namespace")]


def test_an_empty_profile_is_told_and_is_the_default_profile() -> None:
    inventory, (fault,) = decode_text(
        yaml_manifest("v1alpha1", "AgentPlugin", "agentRef: a\nimage: i\ntargetProfile: ''")
    )
    assert (fault.reason.value, fault.field, fault.severity) == (
        "InvalidSpec",
        "spec.targetProfile",
        Severity.ERROR,
    )
    assert fault.source is not None
    assert fault.source.line == 9
    assert not inventory.broken
    found = inventory.agent_plugins["team", "subject"]
    assert found.profile == ""
    assert found.spec == {"agentRef": "a", "image": "i"}


def test_an_empty_profile_beside_another_fault_is_told_with_it() -> None:
    found = faults_of(targetProfile="", imagePullPolicy="Sometimes")
    assert told(found) == [("InvalidSpec", "spec.imagePullPolicy"), ("InvalidSpec", "spec.targetProfile")]


def test_config_that_was_meant_as_text_is_told_how_to_become_text() -> None:
    (fault,) = faults_of(config={"platforms": {}})
    assert fault.hint == "write `config: |` and indent the lines below it"


NAMES = ["a", "stockout", "plugin9", "a-b", "a_b", "my.plugin", "Stockout", "9lives", "a" * 57, "../up"]


@pytest.mark.parametrize("name", NAMES)
def test_a_plugin_of_any_name_is_decoded(name: str) -> None:
    value = plugin()
    value["metadata"]["name"] = name
    assert decoded(value).name == name


@pytest.mark.parametrize("name", ["", None, 7, ["a"]])
def test_a_plugin_has_a_name(name: object) -> None:
    value = plugin()
    value["metadata"]["name"] = name
    inventory, faults = decode_value(value)
    assert told(faults) == [("InvalidSpec", "metadata.name")]
    assert not inventory.agent_plugins


STATUSES: dict[str, tuple[object, tuple[str, ...]]] = {
    "agents": ({"targetAgents": ["a", "b"]}, ("a", "b")),
    "null": ({"targetAgents": None}, ()),
    "no status": (None, ()),
    "another shape": ({"targetAgents": [1, {}, "a"]}, ("a",)),
    "no list": ({"targetAgents": "a"}, ()),
    "no object": ([], ()),
}


@pytest.mark.parametrize(("status", "agents"), STATUSES.values(), ids=STATUSES)
def test_the_agents_of_its_status_are_kept(status: object, agents: tuple[str, ...]) -> None:
    assert decoded({**plugin(), "status": status}).target_agents == agents


@pytest.mark.parametrize(("written", "kept"), [(3, 3), (None, None), ("3", None), (True, None), (1.5, None)])
def test_the_generation_of_its_metadata_is_kept(written: object, kept: int | None) -> None:
    value = plugin()
    value["metadata"]["generation"] = written
    assert decoded(value).generation == kept
