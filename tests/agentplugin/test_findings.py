from __future__ import annotations

import pytest

from kagent_render.agentplugin.findings import agent_findings
from kagent_render.agentplugin.images import PullFailure
from kagent_render.agentplugin.status_findings import orphan_findings
from kagent_render.api.kubeagents import (
    IMAGE_VOLUMES_ANNOTATION,
    AgentPlugin,
    EnvVar,
    GoogleChat,
    PlatformAgent,
)
from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.agentplugin.agents import (
    AGENT,
    NAMESPACE,
    Images,
    agent,
    compiled,
    plugin,
    variables,
)
from tests.api.manifests import decode_text

HASH = "kubeagents.x-k8s.io/config-hash"
FRONT = agent(front_door=True)

Told = tuple[str, str, str]


def _told(found: Diagnostic) -> Told:
    assert found.object is not None
    return found.reason.value, found.severity.value, f"{found.object.name}: {found.field}"


def _findings(
    *plugins: AgentPlugin,
    of: PlatformAgent | None = None,
    kube_version: str | None = "1.35",
    images: Images | None = None,
) -> list[Diagnostic]:
    made = compiled(*plugins, of=of, kube_version=kube_version, images=images)
    return list(agent_findings(made, images or {}))


GONE: Images = {
    "registry.example.com/p:v1": PullFailure("registry.example.com/p:v1", "it is not there", "push")
}


@pytest.mark.parametrize(
    ("candidate", "of", "expected"),
    [
        pytest.param(plugin("p"), agent(), [], id="sound"),
        pytest.param(plugin("p", profile="platform"), FRONT, [], id="platform profile"),
        pytest.param(
            plugin("a-b"), agent(), [("InvalidPluginName", "error", "a-b: metadata.name")], id="invalid name"
        ),
        pytest.param(
            plugin("sessionstore"),
            agent(),
            [("DuplicatePluginName", "error", "sessionstore: metadata.name")],
            id="built-in",
        ),
        pytest.param(
            plugin("p"),
            agent(annotations={IMAGE_VOLUMES_ANNOTATION: "false"}),
            [("ImageVolumeUnsupported", "error", "p: spec.image")],
            id="no image volumes",
        ),
        pytest.param(
            plugin("p", profile="platfrom"),
            agent(),
            [("ProfileNotFound", "warning", "p: spec.targetProfile")],
            id="unknown profile",
        ),
        pytest.param(
            plugin("p", profile="cluster"),
            agent(),
            [("ProfileNotFound", "warning", "p: spec.targetProfile")],
            id="the class of clusters is no profile",
        ),
        pytest.param(
            plugin("p", profile="cluster-a"),
            agent(),
            [("ProfileNotFound", "info", "p: spec.targetProfile")],
            id="profile of a cluster",
        ),
        pytest.param(
            plugin("a-b", profile="nope"),
            agent(),
            [("InvalidPluginName", "error", "a-b: metadata.name")],
            id="the profile of what is not rendered",
        ),
        pytest.param(
            plugin("p"), FRONT, [("PluginNotServed", "warning", "p: spec.targetProfile")], id="front door"
        ),
        pytest.param(
            plugin("p"),
            agent(pod_annotations={HASH: "1"}),
            [("ConfigHashOverridden", "warning", f"{AGENT}: spec.deployment.podAnnotations[{HASH}]")],
            id="restart trigger",
        ),
        pytest.param(plugin("p"), agent(pod_annotations={"other": "1"}), [], id="other annotation"),
        pytest.param(
            plugin("p"),
            agent(volumes=("plugin-p",)),
            [("PluginMountConflict", "warning", "p: metadata.name")],
            id="volume name",
        ),
        pytest.param(
            plugin("p"),
            agent(mounts=("/opt/data/plugins/p",)),
            [("PluginMountConflict", "warning", "p: metadata.name")],
            id="mount path",
        ),
        pytest.param(
            plugin("p"),
            agent(home="/opt/data/", mounts=("//opt/data/plugins/p/",)),
            [("PluginMountConflict", "warning", "p: metadata.name")],
            id="the same path in other words",
        ),
        pytest.param(
            plugin("p"),
            agent(volumes=("plugin-p",), mounts=("/opt/data/plugins/p",)),
            [("PluginMountConflict", "warning", "p: metadata.name")],
            id="both are one fault",
        ),
        pytest.param(
            plugin("p"), agent(volumes=("plugin-q",), mounts=("/opt/data/plugins",)), [], id="other mounts"
        ),
    ],
)
def test_a_finding_is_at_the_field_at_fault(
    candidate: AgentPlugin, of: PlatformAgent, expected: list[Told]
) -> None:
    assert [_told(found) for found in _findings(candidate, of=of)] == expected


def test_a_finding_has_position_hint_and_no_full_stop() -> None:
    faulty = (
        plugin("a-b"),
        plugin("ab", profile="nope", env=variables(PATH="x", HOME="y", Z="1")),
        plugin("c", env=variables(PLATFORM_AGENT_HOME="/x", Z="2")),
        plugin("d"),
        plugin("p"),
    )
    of = agent(front_door=True, pod_annotations={HASH: "1"}, volumes=("plugin-c",))
    found = [*_findings(*faulty, of=of, images=GONE), *_findings(plugin("p"), kube_version=None)]
    found += orphan_findings([plugin("p", "x"), plugin("q", "")], {(NAMESPACE, AGENT)})
    assert len({fault.reason for fault in found}) == 12
    for fault in found:
        assert fault.source is not None
        assert fault.source.line > 1
        assert fault.hint
        assert not fault.hint.endswith(".")
        assert not fault.message.endswith(".")


@pytest.mark.parametrize(
    ("lengths", "told"), [((1000, 1000), []), ((600_000,), []), ((500_000, 600_000, 1000), ["p1"])]
)
def test_a_config_map_that_no_cluster_takes_is_told_at_the_longest_config(
    lengths: tuple[int, ...], told: list[str]
) -> None:
    plugins = [
        plugin(f"p{index}", config=f"approvals: {{k{index}: {'x' * length}}}")
        for index, length in enumerate(lengths)
    ]
    assert [_told(found) for found in _findings(*plugins)] == [
        ("PluginConfigInvalid", "error", f"{name}: spec.config") for name in told
    ]


def test_a_pull_failure_tells_its_cause_and_hint() -> None:
    (fault,) = _findings(plugin("p"), images=GONE)
    assert _told(fault) == ("ImagePullFailed", "error", "p: spec.image")
    assert fault.message == (
        "`registry.example.com/p:v1` cannot be pulled, and the plugin is left out to let PlatformAgent"
        " `platform-agent` start: it is not there"
    )
    assert fault.hint == "push"


def test_without_image_volumes_a_pull_failure_is_not_told_too() -> None:
    (fault,) = _findings(plugin("p"), images=GONE, kube_version="1.34")
    assert fault.reason == "ImageVolumeUnsupported"


@pytest.mark.parametrize(
    ("of", "kube_version", "cause", "hint"),
    [
        (agent(annotations={IMAGE_VOLUMES_ANNOTATION: "no"}), "1.35", "annotation", "remove the annotation"),
        (agent(), "1.34", "`spec.kubeVersion`", "set `spec.kubeVersion` to the version that the cluster has"),
        (agent(), None, "neither an annotation", "set `spec.kubeVersion` of the RenderConfig"),
    ],
)
def test_missing_image_volumes_are_told_by_what_decided(
    of: PlatformAgent, kube_version: str | None, cause: str, hint: str
) -> None:
    (fault,) = _findings(plugin("p"), of=of, kube_version=kube_version)
    assert cause in fault.message
    assert fault.hint is not None
    assert fault.hint.startswith(hint)
    assert "`platform-agent`" in fault.hint
    assert "{" not in fault.hint


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["sessionstore"], "the built-in plugin `session_store` when case and separators are left out"),
        (["same", "same"], "plugin `same` when case and separators are left out"),
        (
            ["my-plugin", "myplugin"],
            "plugin `my-plugin` when case and separators are left out, and is rendered all the same",
        ),
    ],
)
def test_a_taken_name_is_told_with_its_owner(names: list[str], message: str) -> None:
    taken = [found for found in _findings(*map(plugin, names)) if found.reason == "DuplicatePluginName"]
    assert [found.message for found in taken] == [f"`{names[-1]}` is the name of {message}"]


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("my-plugin", "such as `myplugin` "),
        ("My_Plugin", "such as `myplugin` "),
        ("9lives", "such as `lives` "),
        ("a" * 60, f"such as `{'a' * 56}` "),
        ("9-9", ""),
        ("ä", ""),
        ("../../up", "such as `up` "),
        ("a\0b\n", "such as `ab` "),
    ],
)
def test_an_invalid_name_is_told_with_a_valid_one(name: str, example: str) -> None:
    (fault,) = _findings(plugin(name))
    assert fault.hint == f"choose a name {example}of at most 56 lower-case letters and digits, a letter first"


BESIDE = """\
apiVersion: kubeagents.x-k8s.io/v1alpha1
kind: AgentPlugin
metadata: {name: p, namespace: kubeagents-system}
spec: {agentRef: gone, image: i, %s}
"""


@pytest.mark.parametrize(
    ("field", "hidden"),
    [
        ("env: [{name: A, value: s3cret}]", True),
        ("config: 's3cret: 1'", True),
        ("env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]", False),
        ("config: ''", False),
    ],
)
def test_no_line_with_a_literal_beside_what_is_at_fault_is_shown(field: str, hidden: bool) -> None:
    inventory, faults = decode_text(BESIDE % field)
    assert not faults
    (fault,) = orphan_findings(inventory.agent_plugins.values(), set())
    assert fault.sensitive is hidden


def test_a_long_name_is_cut_in_its_message() -> None:
    (fault,) = _findings(plugin("x" * 100_000))
    assert len(fault.message) < 200


SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(variables(X="1"), variables(Y="2"), [], id="other names"),
        pytest.param(variables(X="1"), variables(X="1"), [], id="the same value"),
        pytest.param((EnvVar("X"),), variables(X=""), [], id="no value is the empty one"),
        pytest.param(
            variables(X="1"),
            variables(Y="0", X="2"),
            [("PluginConflict", "warning", "q: spec.env[1].name")],
            id="another value",
        ),
        pytest.param(
            variables(X="1"),
            (EnvVar("X", source=SECRET),),
            [("PluginConflict", "warning", "q: spec.env[0].name")],
            id="another source",
        ),
        pytest.param(
            (*variables(X="2"), *variables(X="1")),
            variables(X="1"),
            [],
            id="what an entry is replaced by counts",
        ),
        pytest.param((), (*variables(X="2"), *variables(X="1")), [], id="within one plugin"),
        pytest.param(
            variables(PATH="1"),
            variables(PATH="2"),
            [
                ("ReservedEnvName", "error", "p: spec.env[0].name"),
                ("ReservedEnvName", "error", "q: spec.env[0].name"),
            ],
            id="reserved",
        ),
        pytest.param(
            variables(PLATFORM_AGENT_HOME="/x"),
            (),
            [("EnvOverridesOperator", "warning", "p: spec.env[0].name")],
            id="the agent's home",
        ),
        pytest.param(
            (),
            variables(X="1", SESSION_KV_DB_PATH="/x"),
            [("EnvOverridesOperator", "info", "q: spec.env[1].name")],
            id="a default",
        ),
        pytest.param(
            variables(HOME="/x"),
            variables(HOME="/y"),
            [
                ("EnvOverridesOperator", "info", "q: spec.env[0].name"),
                ("PluginConflict", "warning", "q: spec.env[0].name"),
            ],
            id="a default, at odds",
        ),
        pytest.param(variables(GOOGLE_CHAT_RELAY_URL="x"), (), [], id="a default of what is not enabled"),
    ],
)
def test_variables_are_told_where_they_are_set(
    first: tuple[EnvVar, ...], second: tuple[EnvVar, ...], expected: list[Told]
) -> None:
    found = _findings(plugin("q", env=second), plugin("p", env=first))
    assert [_told(fault) for fault in found] == expected
    assert all(fault.sensitive for fault in found)


def test_a_default_of_an_enabled_platform_may_be_overridden_and_is_told() -> None:
    of = agent(google_chat=GoogleChat(enabled=True))
    (fault,) = _findings(plugin("p", env=variables(GOOGLE_CHAT_RELAY_URL="x")), of=of)
    assert fault.reason == "EnvOverridesOperator"


def test_a_conflict_is_with_the_plugin_that_is_overridden_and_told_once() -> None:
    plugins = [plugin(name, env=variables(X=value)) for name, value in (("a", "1"), ("b", "2"), ("c", "2"))]
    (fault,) = _findings(*plugins)
    assert fault.message == (
        "`X` is set to something else by plugin `a`, over which `b` wins, being later in name order"
    )


@pytest.mark.parametrize("name", ["PATH", "HOME", "PLATFORM_AGENT_HOME", "X"])
def test_no_value_of_a_variable_is_ever_told(name: str) -> None:
    first, second = (
        plugin("p", env=variables(**{name: "s3cret-1"})),
        plugin("q", env=variables(**{name: "s3cret-2"})),
    )
    found = _findings(first, second)
    assert found
    assert not [fault for fault in found if "s3cret" in f"{fault.message}{fault.hint}"]


@pytest.mark.parametrize(
    ("candidate", "message", "hint"),
    [
        (
            plugin("p", "platfrom-agent"),
            "PlatformAgent `platfrom-agent` does not exist in namespace `kubeagents-system`",
            "write `platform-agent`",
        ),
        (
            plugin("p", "other"),
            "PlatformAgent `other` does not exist in namespace `kubeagents-system`",
            "move the plugin to namespace `elsewhere`, where that PlatformAgent is",
        ),
        (
            plugin("p", "nothing-like-it"),
            "PlatformAgent `nothing-like-it` does not exist in namespace `kubeagents-system`",
            "write the name of a PlatformAgent of this namespace, or add its manifest",
        ),
        (plugin("p", ""), "an empty `agentRef` names no PlatformAgent", "write `platform-agent`"),
        (
            plugin("p", "", "empty"),
            "an empty `agentRef` names no PlatformAgent",
            "write the name of a PlatformAgent of this namespace, or add its manifest",
        ),
    ],
)
def test_an_orphan_is_told_with_the_nearest_agent(candidate: AgentPlugin, message: str, hint: str) -> None:
    agents = {(NAMESPACE, AGENT), ("elsewhere", "other")}
    (fault,) = orphan_findings([candidate], agents)
    assert _told(fault) == ("AgentNotFound", "error", "p: spec.agentRef")
    assert fault.message == f"{message}, so the plugin is applied nowhere"
    assert fault.hint == hint
