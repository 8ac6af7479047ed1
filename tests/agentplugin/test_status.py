import pytest

from kagent_render.agentplugin.images import PullFailure
from kagent_render.agentplugin.status import orphan_statuses
from kagent_render.api.kubeagents import IMAGE_VOLUMES_ANNOTATION, AgentPlugin
from tests.agentplugin.agents import AGENT, Images, agent, compiled, image, plugin

NAME = (
    "Plugin name '{}' must start with a lowercase letter and contain only lowercase letters and digits"
    " (max 56 characters)."
)
TAKEN = "Plugin name '{}' collides with built-in or already registered plugin."
UNSUPPORTED = (
    "Kubernetes version does not support ImageVolumeSource (requires 1.35+)."
    " OCI volume for agent platform-agent was not mounted."
)
APPLIED = "Plugin successfully applied to agent platform-agent."
FAILED = {"registry.example.com/p:v1": PullFailure("registry.example.com/p:v1", "manifest unknown")}


@pytest.mark.parametrize(
    ("candidate", "kube_version", "images", "reason", "message"),
    [
        pytest.param(plugin("p"), "1.35", {}, "Applied", APPLIED, id="applied"),
        pytest.param(plugin("p"), "1.35", image(plugin("p")), "Applied", APPLIED, id="applied, pinned"),
        pytest.param(
            plugin("not-valid"), "1.35", {}, "InvalidPluginName", NAME.format("not-valid"), id="hyphen"
        ),
        pytest.param(plugin("a" * 57), "1.35", {}, "InvalidPluginName", NAME.format("a" * 57), id="too long"),
        pytest.param(
            plugin("sessionstore"),
            "1.35",
            {},
            "DuplicatePluginName",
            TAKEN.format("sessionstore"),
            id="built-in",
        ),
        pytest.param(plugin("p"), "1.34", {}, "ImageVolumeUnsupported", UNSUPPORTED, id="old cluster"),
        pytest.param(plugin("p"), None, {}, "ImageVolumeUnsupported", UNSUPPORTED, id="unknown cluster"),
        pytest.param(
            plugin("p"),
            "1.35",
            FAILED,
            "ImagePullFailed",
            "Plugin image 'registry.example.com/p:v1' could not be pulled, which is blocking agent"
            " platform-agent from starting: manifest unknown",
            id="no image",
        ),
        pytest.param(
            plugin("session-store"),
            "1.34",
            {},
            "InvalidPluginName",
            NAME.format("session-store"),
            id="an invalid name before a taken one",
        ),
        pytest.param(
            plugin("sessionstore"),
            "1.34",
            {},
            "DuplicatePluginName",
            TAKEN.format("sessionstore"),
            id="a taken name before image volumes",
        ),
        pytest.param(
            plugin("p"),
            "1.34",
            FAILED,
            "ImageVolumeUnsupported",
            UNSUPPORTED,
            id="image volumes before images",
        ),
        pytest.param(
            plugin("p", image="registry.example.com/p:v10"),
            "1.35",
            FAILED,
            "Applied",
            APPLIED,
            id="v10 is not v1",
        ),
        pytest.param(
            plugin("p", config="agent: {}\nlogging: {}\nplatforms: {}\n"),
            "1.35",
            {},
            "Applied",
            f"{APPLIED} Ignored config key(s) outside the allowed subtrees [approvals, platforms,"
            " platform_toolsets]: agent, logging.",
            id="dropped keys",
        ),
        pytest.param(
            plugin("p", config="agent: {}\n"),
            "1.34",
            {},
            "ImageVolumeUnsupported",
            UNSUPPORTED,
            id="degraded",
        ),
    ],
)
def test_the_first_reason_that_holds_is_the_status(
    candidate: AgentPlugin, kube_version: str | None, images: Images, reason: str, message: str
) -> None:
    (status,) = compiled(candidate, kube_version=kube_version, images=images).statuses
    assert (status.reason, status.message) == (reason, message)
    assert status.phase == ("Ready" if reason == "Applied" else "Degraded")
    assert status.is_ready is (reason == "Applied")
    assert status.target_agents == (AGENT,)


@pytest.mark.parametrize("config", ["a: [", "a:\n\tb: 1", "- a", "text", "5", "platforms: .nan"])
def test_a_config_that_is_no_mapping_is_told_where_the_plugin_is_applied(config: str) -> None:
    (status,) = compiled(plugin("p", config=config)).statuses
    assert status.is_ready
    assert status.message.startswith(f"{APPLIED} spec.config is not valid YAML and was ignored: ")
    assert status.message.endswith(".")


@pytest.mark.parametrize(
    "config", ["", "# c", "~", "platforms: {a: 1}\n---\nagent: 1", "approvals: {mode: off}"]
)
def test_a_config_that_counts_as_a_whole_is_not_told(config: str) -> None:
    (status,) = compiled(plugin("p", config=config)).statuses
    assert (status.is_ready, status.message) == (True, APPLIED)


def test_the_annotation_gives_the_same_message_as_the_version() -> None:
    off = agent(annotations={IMAGE_VOLUMES_ANNOTATION: "false"})
    (status,) = compiled(plugin("p"), of=off).statuses
    assert (status.reason, status.message) == ("ImageVolumeUnsupported", UNSUPPORTED)


def test_of_a_repeated_name_the_first_is_ready() -> None:
    made = compiled(plugin("same", image="one"), plugin("same", image="two"))
    assert [(status.plugin.image, status.reason) for status in made.statuses] == [
        ("one", "Applied"),
        ("two", "DuplicatePluginName"),
    ]


def test_an_invalid_name_counts_as_taken_for_statuses_only() -> None:
    made = compiled(plugin("myplugin"), plugin("my-plugin"))
    assert [(status.plugin.name, status.reason) for status in made.statuses] == [
        ("my-plugin", "InvalidPluginName"),
        ("myplugin", "DuplicatePluginName"),
    ]
    assert [found.name for found in made.rendered] == ["myplugin"]
    assert [volume.name for volume in made.volumes] == ["plugin-myplugin"]


def test_every_selected_plugin_has_a_status_in_name_order() -> None:
    made = compiled(plugin("c"), plugin("not-valid"), plugin("a"), plugin("other", "another-agent"))
    assert [status.plugin.name for status in made.statuses] == ["a", "c", "not-valid"]


@pytest.mark.parametrize(
    ("known", "targets"),
    [
        ((), (AGENT,)),
        ((AGENT,), (AGENT,)),
        (("former",), ("former", AGENT)),
        ((AGENT, "former"), (AGENT, "former")),
    ],
)
@pytest.mark.parametrize("name", ["p", "not-valid"])
def test_an_agent_is_appended_once_to_the_manifests_own_targets(
    name: str, known: tuple[str, ...], targets: tuple[str, ...]
) -> None:
    (status,) = compiled(plugin(name, target_agents=known)).statuses
    assert status.target_agents == targets


@pytest.mark.parametrize("generation", [None, 1, 7])
def test_a_status_is_of_the_manifests_generation(generation: int | None) -> None:
    (status,) = compiled(plugin("p", generation=generation)).statuses
    assert status.observed_generation == generation


def test_an_orphan_has_no_targets() -> None:
    lost = plugin("not-valid", "gone", generation=3, target_agents=("gone",))
    (status,) = orphan_statuses([lost])
    assert (status.phase, status.reason, status.target_agents) == ("Degraded", "AgentNotFound", None)
    assert status.observed_generation == 3
    assert status.message == (
        "No PlatformAgent named 'gone' exists in namespace 'kubeagents-system';"
        " this plugin is not applied to any agent."
    )


def test_a_plugin_that_names_no_agent_has_no_status() -> None:
    assert orphan_statuses([plugin("p", "")]) == ()


@pytest.mark.parametrize("cause", ["{agent}", "100% {0}", "'quoted'"])
def test_a_cause_is_taken_as_it_is(cause: str) -> None:
    found = plugin("p")
    (status,) = compiled(found, images={found.image: PullFailure(found.image, cause)}).statuses
    assert status.message.endswith(f"from starting: {cause}")
