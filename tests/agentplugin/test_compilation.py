from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kagent_render.agentplugin.compilation import wanted_images
from kagent_render.agentplugin.compiled import CompiledAgent
from kagent_render.agentplugin.findings import agent_findings
from kagent_render.agentplugin.images import PullFailure
from kagent_render.api.kubeagents import AgentPlugin, Limits
from tests.agentplugin.agents import Images, agent, compiled, image, overlay, plugin, variables

GONE: Images = {"registry.example.com/p:v1": PullFailure("registry.example.com/p:v1", "manifest unknown")}
CONFIG = "platforms: {pubsub: {enabled: true}}\napprovals: {mode: manual}\n"


@pytest.mark.parametrize(
    ("plugins", "wanted"),
    [
        ([], []),
        ([plugin("b", image="two"), plugin("a", image="one")], ["one", "two"]),
        ([plugin("a", image="one"), plugin("b", image="one")], ["one"]),
        ([plugin("a", image="")], [""]),  # a cluster refuses every pod with such a volume
        ([plugin("not-valid", image="one"), plugin("sessionstore", image="two")], []),
        ([plugin("same", image="one"), plugin("same", image="two")], ["one"]),
        ([plugin("a", "another-agent", image="one")], []),
    ],
)
def test_the_images_of_admitted_plugins_are_wanted(plugins: list[AgentPlugin], wanted: list[str]) -> None:
    assert list(wanted_images(agent(), plugins)) == wanted


def test_a_plugin_whose_image_is_gone_is_left_out_wholly() -> None:
    gone, there = plugin("p", config=CONFIG, env=variables(X="1")), plugin("q")
    made, without = compiled(gone, there, images=GONE), compiled(there)
    assert made.rendered == (there,)
    assert (made.data, made.config_hash, made.volumes, made.env) == (
        without.data,
        without.config_hash,
        without.volumes,
        without.env,
    )
    assert [status.reason for status in made.statuses] == ["ImagePullFailed", "Applied"]


def test_without_image_volumes_an_image_that_is_gone_changes_nothing() -> None:
    gone = plugin("p", config=CONFIG, env=variables(X="1"))
    made = compiled(gone, images=GONE, kube_version="1.34")
    assert made.rendered == (gone,)
    assert overlay(made, "default") == {"plugins": {"enabled": ["p"]}, "approvals": {"mode": "manual"}}
    assert [found.name for found in made.env] == ["X"]
    assert made.volumes == ()


def test_a_name_stays_taken_by_a_plugin_whose_image_is_gone() -> None:
    made = compiled(plugin("p"), plugin("p", image="other"), images=GONE)
    assert made.rendered == ()
    assert [status.reason for status in made.statuses] == ["ImagePullFailed", "DuplicatePluginName"]


def test_an_image_that_was_not_looked_up_is_written_as_it_is() -> None:
    made = compiled(plugin("p"))
    assert [volume.reference for volume in made.volumes] == ["registry.example.com/p:v1"]
    assert made.images == {}
    assert made.statuses[0].is_ready


def test_the_images_of_rendered_plugins_are_known() -> None:
    p, lost = plugin("p"), plugin("not-valid")
    assert compiled(p, lost, images={**image(p), **image(lost)}).images == image(p)


def test_an_agent_is_compiled_with_its_own_plugins_alone() -> None:
    others = plugin("b", "another-agent", config=CONFIG), plugin("c", namespace="elsewhere", config=CONFIG)
    made = compiled(plugin("a"), *others)
    assert [found.name for found in made.selected] == ["a"]
    assert made.data == compiled(plugin("a")).data


NAMES = st.sampled_from(["a", "b", "c", "zz", "a10", "a2", "my-plugin", "myplugin", "sessionstore", "9lives"])
CONFIGS = st.sampled_from(
    [
        "",
        CONFIG,
        "platforms:\n",
        "platforms: {slack: {extra: {list: [1, b]}}}\n",
        "approvals: {list: [b, a], mode: auto}\n",
        "platform_toolsets: {cli: [x]}\n",
        "agent: {}\n",
        "a: [",
    ]
)
PLUGINS = st.builds(
    plugin,
    NAMES,
    config=CONFIGS,
    profile=st.sampled_from(["", "platform", "cluster-a", "ops"]),
    env=st.sampled_from([(), variables(X="1"), variables(X="2", Y="3"), variables(PATH="/x", HOME="/y")]),
)
UNIQUE = st.lists(PLUGINS, max_size=6, unique_by=lambda found: found.name)


def _output(made: CompiledAgent) -> tuple[Any, ...]:
    findings = list(agent_findings(made, {}))
    return made.data, list(made.data), made.config_hash, made.volumes, made.env, made.statuses, findings


@settings(suppress_health_check=[HealthCheck.too_slow])  # each plugin is read from its YAML
@given(UNIQUE, st.randoms(use_true_random=False), st.sampled_from([None, "1.34", "1.35"]))
def test_the_order_of_the_input_changes_nothing(
    plugins: list[AgentPlugin], random: Any, version: str
) -> None:
    shuffled = list(plugins)
    random.shuffle(shuffled)
    of = agent(front_door=True, max_in_progress=1, tuning={"platform": Limits(8, 200)})
    first = compiled(*plugins, of=of, kube_version=version)
    assert _output(first) == _output(compiled(*shuffled, of=of, kube_version=version))


@given(UNIQUE)
def test_what_is_rendered_is_told_as_applied_or_as_the_quirk_of_an_invalid_name(
    plugins: list[AgentPlugin],
) -> None:
    made = compiled(*plugins)
    applied = [status.plugin for status in made.statuses if status.is_ready]
    assert [found for found in made.rendered if found.name != "myplugin"] == [
        found for found in applied if found.name != "myplugin"
    ]
    assert len(made.statuses) == len(made.selected) == len(plugins)


@given(UNIQUE)
def test_mount_and_enablement_go_together(plugins: list[AgentPlugin]) -> None:
    made = compiled(*plugins)
    for profile in ("default", "platform", "cluster-a", "ops"):
        named = [found.name for found in made.rendered if (found.profile or "default") == profile]
        block = (overlay(made, profile) or {}).get("plugins", {"enabled": []})
        assert block["enabled"] == named
    assert [volume.plugin for volume in made.volumes] == list(made.rendered)
