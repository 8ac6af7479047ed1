"""What is at fault in a plugin is told and left out; what nobody can answer keeps its agent as it was."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.platform import (
    AGENT,
    FOLDER,
    LOCK,
    OTHER,
    OTHER_FOLDER,
    check,
    config_data,
    gateway,
    plugin,
    prepared,
    render,
    statuses,
    told,
    volumes,
)
from tests.cli.team import PAIR_FOLDER, edit
from tests.running import run, tree

LONG = "a" * 57
DEGRADED: dict[str, tuple[str, str, str]] = {
    # manifest, reason, field
    "a name with a hyphen": (plugin("my-plugin"), "InvalidPluginName", "metadata.name"),
    "a name that is too long": (plugin(LONG), "InvalidPluginName", "metadata.name"),
    "the name of a built-in plugin": (plugin("sessionstore"), "DuplicatePluginName", "metadata.name"),
    "an image that is no reference": (plugin("odd", image="No Image"), "ImagePullFailed", "spec.image"),
}


@pytest.mark.parametrize(("manifest", "reason", "field"), DEGRADED.values(), ids=DEGRADED)
def test_a_degraded_plugin_is_left_out_and_told_and_the_rest_is_written(
    platform: Path, manifest: str, reason: str, field: str
) -> None:
    (platform / "more.yaml").write_text(manifest)
    name = manifest.partition("name: ")[2].partition("}")[0]
    before = volumes(platform)
    done = render(platform)
    assert done.status == 1
    assert told(done) == [(reason, f"AgentPlugin/{name}", field)]
    assert statuses(platform)[name][0] == reason
    assert volumes(platform) == before
    assert name not in str(config_data(platform))
    assert prepared(done) == {OTHER: ("True", "Prepared"), AGENT: ("True", "Prepared")}
    assert_told_again_and_nothing_else(platform, done.faults)


def assert_told_again_and_nothing_else(folder: Path, faults: list[dict[str, Any]]) -> None:
    """That what was written is current, with the same errors."""
    again = check(folder)
    assert again.status == 1
    assert again.faults == faults
    assert again.json["changed"] == []
    assert set(prepared(again).values()) == {("True", "Prepared")}


OLD_CLUSTERS = {
    "below 1.35": ('kubeVersion: "1.35"', 'kubeVersion: "1.34"'),
    "not told": ('  kubeVersion: "1.35"\n', "  output: rendered\n"),
}


@pytest.mark.parametrize(("old", "new"), OLD_CLUSTERS.values(), ids=OLD_CLUSTERS)
def test_a_cluster_without_image_volumes_mounts_none_and_still_enables(
    platform: Path, old: str, new: str
) -> None:
    edit(platform / "kagent-render.yaml", old, new)
    done = render(platform)
    assert done.status == 1
    assert {reason for reason, _, _ in told(done)} == {"ImageVolumeUnsupported"}
    assert len(done.faults) == 3
    assert volumes(platform) == {}
    assert gateway(platform)["containers"][0]["env"][0]["name"] == "SLACK_API_TOKEN"
    assert config_data(platform)["profile-default.overlay.yaml"]["plugins"] == {"enabled": ["stockout"]}
    assert_told_again_and_nothing_else(platform, done.faults)


def annotate(folder: Path, value: str) -> None:
    annotation = f'  annotations: {{kubeagents.x-k8s.io/enable-image-volumes: "{value}"}}\n'
    edit(folder / "agent.yaml", "  name: platform-agent\n", f"  name: platform-agent\n{annotation}")


@pytest.mark.parametrize(("value", "mounted"), [("true", 2), ("false", 0)])
def test_the_annotation_of_an_agent_wins_over_the_version_of_the_cluster(
    platform: Path, value: str, mounted: int
) -> None:
    annotate(platform, value)
    if mounted:
        edit(platform / "kagent-render.yaml", "1.35", "1.34")
    render(platform)
    assert len(volumes(platform)) == mounted
    assert len(volumes(platform, OTHER_FOLDER)) == (0 if mounted else 1)


IGNORED: dict[str, tuple[dict[str, Any], str, str]] = {
    # spec, reason, field
    "a config that is no mapping": ({"config": "- a\n"}, "PluginConfigInvalid", "spec.config"),
    "a config that is no YAML": ({"config": "a: [\n"}, "PluginConfigInvalid", "spec.config"),
    "keys that no plugin may set": (
        {"config": "agent: {a: 1}\nlogging: {b: 2}\napprovals: {cron_mode: approve}\n"},
        "PluginConfigDropped",
        "spec.config",
    ),
    "a variable of the operator's own": (
        {"env": [{"name": "A", "value": "a"}, {"name": "PATH", "value": "/bin"}]},
        "ReservedEnvName",
        "spec.env[1].name",
    ),
}


@pytest.mark.parametrize(("spec", "reason", "field"), IGNORED.values(), ids=IGNORED)
def test_what_is_ignored_of_a_plugin_is_told_once_and_the_plugin_is_written(
    platform: Path, spec: dict[str, Any], reason: str, field: str
) -> None:
    (platform / "more.yaml").write_text(plugin("more", **spec))
    done = render(platform)
    assert done.status == 1
    assert told(done) == [(reason, "AgentPlugin/more", field)]
    assert "plugin-more" in volumes(platform)
    assert statuses(platform)["more"][0] == "Applied"
    variables = {entry["name"] for entry in gateway(platform)["containers"][0]["env"]}
    assert "PATH" not in variables
    assert_told_again_and_nothing_else(platform, done.faults)


def test_strict_makes_warnings_errors_that_keep_no_agent_from_being_written(platform: Path) -> None:
    edit(platform / "investigator.yaml", "targetProfile: platform", "targetProfile: elsewhere")
    before = tree(platform)
    loose = check(platform)
    assert [
        found["severity"] for found in loose.json["diagnostics"] if found["reason"] == "ProfileNotFound"
    ] == ["warning"]
    done = render(platform, "--strict")
    assert (done.status, told(done)) == (
        1,
        [("ProfileNotFound", "AgentPlugin/investigator", "spec.targetProfile")],
    )
    assert tree(platform) != before
    assert check(platform).status == 0
    assert check(platform, "--strict").status == 1


FRONT_DOOR = "    experimental: {platformFrontDoor: true}\n    tuning:\n"


def test_a_plugin_that_is_left_out_has_no_image_although_another_has_its_reference(platform: Path) -> None:
    image = yaml.safe_load((platform / "stockout.yaml").read_text())["spec"]["image"]
    (platform / "twin.yaml").write_text(plugin("stock-out", image=image))
    done = render(platform)
    by_name = {found["name"]: found for found in done.json["agentPlugins"]}
    assert (by_name["stock-out"]["digest"], by_name["stock-out"]["rendered"]) == (None, False)
    assert by_name["stockout"]["digest"] == image.rpartition("@")[2]
    lock = yaml.safe_load((platform / LOCK).read_text())["spec"]["plugins"]
    assert {entry["name"]: "image" in entry for entry in lock}["stock-out"] is False


@pytest.mark.parametrize(("front_door", "told_of"), [(True, True), (False, False)])
def test_what_a_plugin_erases_of_the_platform_profile_is_told(
    platform: Path, front_door: bool, told_of: bool
) -> None:
    if front_door:
        edit(platform / "agent.yaml", "    tuning:\n", FRONT_DOOR)
    (platform / "more.yaml").write_text(
        plugin("more", targetProfile="platform", config="platform_toolsets: {slack: all}\n")
    )
    done = render(platform)
    assert done.status == 0
    found = {entry["reason"] for entry in done.json["diagnostics"]}
    assert ("PluginConfigErases" in found) is told_of


LITERAL = "{name: API_TOKEN, value: sk-Pl4ntedQ7vZ2mX9cR5tK8wB3nJ6hL1}"


def test_a_strict_warning_about_a_plugin_keeps_nothing_from_being_written(platform: Path) -> None:
    edit(platform / "investigator.yaml", "spec:\n", f"spec:\n  env: [{LITERAL}]\n")
    done = render(platform, "--strict")
    assert (done.status, [reason for reason, _, _ in told(done)]) == (1, ["CredentialLiteral"])
    assert LOCK in done.json["changed"]
    assert prepared(done)[AGENT] == ("True", "Prepared")


def test_a_strict_warning_about_an_agent_keeps_that_agent_as_it_was(platform: Path) -> None:
    edit(platform / "agent.yaml", "spec:\n", f"spec:\n  deployment: {{env: [{LITERAL}]}}\n")
    before = tree(platform)
    for flags in (["--strict"], ["--strict", "--keep-going"]):
        done = render(platform, *flags)
        assert (done.status, [reason for reason, _, _ in told(done)]) == (1, ["CredentialLiteral"])
        assert prepared(done) == {OTHER: ("True", "Prepared"), AGENT: ("False", "Blocked")}
        assert tree(platform) == before
    assert LOCK in render(platform).json["changed"]


def untag(folder: Path, name: str = "stockout") -> None:
    """Name the image of a plugin by a tag that no lock pins."""
    path = folder / f"{name}.yaml"
    text = path.read_text()
    head, _, rest = text.partition("@sha256:")
    path.write_text(f"{head}:v9\n{rest.partition(chr(10))[2]}")


def unnamed(folder: Path) -> None:
    """Take away what every plugin must have."""
    path = folder / "stockout.yaml"
    path.write_text("".join(line for line in path.read_text().splitlines(True) if "  image:" not in line))


def misspelt(folder: Path) -> None:
    edit(folder / "agent.yaml", "  harness:\n", "  harnes:\n")


def nowhere(folder: Path) -> None:
    edit(folder / "stockout.yaml", "namespace: ops, ", "")


def twice(folder: Path) -> None:
    (folder / "again.yaml").write_text((folder / "stockout.yaml").read_text())


def of_another_kind(folder: Path) -> None:
    edit(folder / "stockout.yaml", "kind: AgentPlugin", "kind: AgentPlugn")


def of_another_version(folder: Path) -> None:
    edit(folder / "stockout.yaml", "/v1alpha1", "/v1beta1")


def unreadable(folder: Path) -> None:
    edit(folder / "stockout.yaml", "  agentRef: platform-agent\n", "  agentRef: [platform-agent\n")


FAILURES: dict[str, tuple[Any, str, str]] = {
    # change, reason, reason of the agent's condition
    "a tag that nobody may resolve": (untag, "ArtifactUnavailableOffline", "Blocked"),
    "a plugin that is not valid": (unnamed, "InvalidSpec", "Blocked"),
    "a plugin without a namespace": (nowhere, "InvalidSpec", "Blocked"),
    "a plugin that is there twice": (twice, "DuplicateObject", "Blocked"),
    "a plugin of a misspelt kind": (of_another_kind, "UnknownField", "Blocked"),
    "a plugin of another version": (of_another_version, "UnsupportedVersion", "Blocked"),
    "an agent that is not valid": (misspelt, "InvalidSpec", "Blocked"),
    "a document that is no YAML": (unreadable, "YAMLInvalid", "Blocked"),
}


@pytest.mark.parametrize(("damage", "reason", "prepared_reason"), FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize("kept_going", [False, True], ids=["all or nothing", "keep going"])
def test_an_agent_that_fails_keeps_every_file_that_it_had(
    platform: Path, damage: Any, reason: str, prepared_reason: str, kept_going: bool
) -> None:
    damage(platform)
    edit(platform / "lab.yaml", "  agentRef: keeper\n", "  agentRef: keeper\n  imagePullPolicy: Never\n")
    before = tree(platform)
    done = render(platform, *(["--keep-going"] if kept_going else []))
    assert done.status == 1
    assert reason in {fault["reason"] for fault in done.faults}
    after = tree(platform)
    changed = {path for path in after if before.get(path) != after[path]}
    assert after.keys() == before.keys()
    assert set(done.json["changed"]) == changed
    writable = kept_going and reason != "YAMLInvalid"  # a file that nobody can read may hold any plugin
    assert changed == (
        {f"{OTHER_FOLDER}/{name}" for name in ("gateway.yaml", "revision.lock.yaml")} if writable else set()
    )
    assert prepared(done)[AGENT] == ("False", prepared_reason)


def test_a_failed_agent_is_told_at_the_plugin_whose_image_nobody_knows(platform: Path) -> None:
    untag(platform)
    done = check(platform)
    assert told(done) == [("ArtifactUnavailableOffline", "AgentPlugin/stockout", "spec.image")]
    assert done.faults[0]["source"]["path"] == "stockout.yaml"
    [agent] = [found for found in done.json["platformAgents"] if found["name"] == "platform-agent"]
    assert agent["revision"] is None
    assert [condition["status"] for condition in agent["conditions"]] == ["True", "False", "False", "False"]
    text = run("explain", AGENT, "--offline", cwd=platform)
    assert text.status == 1
    assert "ArtifactUnavailableOffline" in text.err


def test_an_agent_that_is_not_valid_is_blocked_as_an_agent(platform: Path) -> None:
    misspelt(platform)
    [agent] = [found for found in check(platform).json["platformAgents"] if found["name"] == "platform-agent"]
    assert {condition["reason"] for condition in agent["conditions"]} == {"Blocked"}
    assert not [condition for condition in agent["conditions"] if "pair" in condition["message"]]


def unnamed_agent(folder: Path) -> None:
    edit(folder / "agent.yaml", "  name: platform-agent\n", "")


def agent_of_another_kind(folder: Path) -> None:
    edit(folder / "agent.yaml", "kind: PlatformAgent", "kind: PlatformAgnt")


def unreadable_agent(folder: Path) -> None:
    edit(folder / "agent.yaml", "metadata:\n", "metadata: {\n")


@pytest.mark.parametrize("damage", [misspelt, unnamed_agent, agent_of_another_kind, unreadable_agent])
def test_the_plugins_of_an_agent_that_is_not_valid_are_no_orphans(platform: Path, damage: Any) -> None:
    damage(platform)
    assert check(platform).status == 1
    assert "AgentNotFound" not in {fault["reason"] for fault in check(platform).faults}


def test_an_unreachable_registry_keeps_the_agent_as_it_was(platform: Path) -> None:
    text = (platform / "stockout.yaml").read_text()
    head, _, rest = text.partition("registry.example.com/plugins/stockout@sha256:")
    (platform / "stockout.yaml").write_text(f"{head}127.0.0.1:1/stockout:v1\n{rest.partition(chr(10))[2]}")
    before = tree(platform)
    done = run("render", "-o", "json", cwd=platform)
    assert (done.status, told(done)) == (
        1,
        [("ArtifactFetchFailed", "AgentPlugin/stockout", "spec.image")],
    )
    assert tree(platform) == before


def test_an_agent_that_fails_lets_a_pair_be_written_with_keep_going(mixed: Path) -> None:
    untag(mixed)
    edit(mixed / "lead.yaml", "You lead.", "You decide.")
    before = tree(mixed)
    assert render(mixed).status == 1
    assert tree(mixed) == before
    done = render(mixed, "--keep-going")
    assert done.status == 1
    assert {path.startswith(f"{PAIR_FOLDER}/") for path in done.json["changed"]} == {True}
    after = tree(mixed)
    assert all(after[path] == before[path] for path in before if path.startswith(FOLDER))


def test_a_pair_that_fails_lets_an_agent_be_written_with_keep_going(mixed: Path) -> None:
    edit(mixed / "lead.yaml", "name: search}", "name: serch}")
    edit(mixed / "stockout.yaml", "- stockout", "- stock")
    before = tree(mixed)
    assert render(mixed).status == 1
    assert tree(mixed) == before
    done = render(mixed, "--keep-going")
    assert done.status == 1
    assert {path.startswith(f"{FOLDER}/") for path in done.json["changed"]} == {True}
    assert LOCK in done.json["changed"]


def test_a_plugin_at_fault_keeps_no_pair_from_being_written(mixed: Path) -> None:
    (mixed / "more.yaml").write_text(plugin("my-plugin"))
    edit(mixed / "lead.yaml", "You lead.", "You decide.")
    done = render(mixed)
    assert (done.status, told(done)) == (1, [("InvalidPluginName", "AgentPlugin/my-plugin", "metadata.name")])
    assert f"{PAIR_FOLDER}/revision.lock.yaml" in done.json["changed"]
    assert LOCK in done.json["changed"]


def test_the_environment_of_the_machine_plays_no_part(platform: Path) -> None:
    names = {
        "KUBERNETES_SERVICE_HOST": "10.0.0.1",
        "PLATFORM_AGENT_HOME": "/elsewhere",
        "PATH": os.environ["PATH"],
    }
    assert check(platform, env=names).status == 0
