"""PlatformAgents beside pairs: what is written, what is printed, and what stays as it is."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.platform import (
    AGENT,
    AGENT_FILES,
    FOLDER,
    LOCK,
    NAMES,
    OTHER,
    OTHER_FOLDER,
    check,
    config_data,
    plugin,
    prepared,
    render,
    told,
    volumes,
)
from tests.cli.team import LOCK as PAIR_LOCK
from tests.cli.team import edit
from tests.running import run, tree

DIAGNOSTIC = {
    "reason", "condition", "severity", "message", "hint", "object", "field", "source", "pair",
}  # fmt: skip
PLUGIN = {
    "namespace", "name", "agentRef", "profile", "image", "digest", "rendered", "phase", "reason", "message",
    "targetAgents", "observedGeneration",
}  # fmt: skip


def outside(output: dict[str, bytes], folder: str = "/_agentplugins/") -> dict[str, bytes]:
    """The files that are of no agent."""
    return {path: data for path, data in output.items() if folder not in path}


def test_each_agent_has_a_folder_of_its_own_in_its_namespace(platform: Path) -> None:
    written = {path for path in tree(platform) if path.startswith("rendered/")}
    components = {f"{folder}/{name}" for folder in (FOLDER, OTHER_FOLDER) for name in NAMES}
    assert written == {"rendered/.gitattributes", *components}


def test_what_was_rendered_is_current_and_rendering_again_writes_nothing(platform: Path) -> None:
    before = tree(platform)
    done = check(platform)
    assert (done.status, done.faults, done.json["changed"]) == (0, [], [])
    again = render(platform, "--exit-code")
    assert (again.status, again.json["changed"]) == (0, [])
    assert tree(platform) == before


def test_an_agent_takes_the_plugins_of_its_namespace_that_name_it(platform: Path) -> None:
    (platform / "elsewhere.yaml").write_text(plugin("stray", namespace="lab"))
    assert render(platform).status == 1
    assert set(volumes(platform)) == {"plugin-investigator", "plugin-stockout"}
    assert set(volumes(platform, OTHER_FOLDER)) == {"plugin-probe"}


def test_an_edit_rewrites_its_own_agent_alone(platform: Path) -> None:
    edit(platform / "stockout.yaml", "- stockout", "- stock")
    changed = render(platform).json["changed"]
    assert set(changed) == {f"{FOLDER}/{name}" for name in ("configmap.yaml", "gateway.yaml")} | {LOCK}
    assert config_data(platform)["profile-default.overlay.yaml"]["platform_toolsets"] == {
        "google_chat": ["stock"]
    }


@pytest.mark.parametrize("command", ["render", "check"])
def test_json_tells_every_agent_and_plugin_with_every_key(platform: Path, command: str) -> None:
    (platform / "orphan.yaml").write_text(plugin("orphan", of="nobody"))
    done = run(command, "--offline", "-o", "json", cwd=platform)
    assert done.status == 1
    assert set(done.json) == {"pairs", "platformAgents", "agentPlugins", "diagnostics", "changed"}
    assert done.json["pairs"] == []
    assert prepared(done) == {OTHER: ("True", "Prepared"), AGENT: ("True", "Prepared")}
    assert all(agent["revision"].startswith("sha256:") for agent in done.json["platformAgents"])
    plugins = done.json["agentPlugins"]
    assert [(found["namespace"], found["name"], found["reason"]) for found in plugins] == [
        ("lab", "probe", "Applied"),
        ("ops", "investigator", "Applied"),
        ("ops", "orphan", "AgentNotFound"),
        ("ops", "stockout", "Applied"),
    ]
    assert all(set(found) == PLUGIN for found in plugins)
    assert all(set(found) == DIAGNOSTIC for found in done.json["diagnostics"])
    [fault] = done.faults
    assert fault["object"]["name"] == "orphan"
    assert fault["source"] == {"path": "orphan.yaml", "line": 5, "column": 3}


def test_text_draws_each_agent_with_its_plugins(platform: Path) -> None:
    edit(platform / "stockout.yaml", "- stockout", "- stock")
    lines = run("render", "--offline", cwd=platform).err.splitlines()
    assert lines[-1].startswith("✓ 2 platform agents prepared, wrote 3 files")
    assert [line.split()[1] for line in lines[:-1] if line[0] in "├└"] == [
        "probe",
        "investigator",
        "stockout",
    ]
    assert run("check", "--offline", cwd=platform).err.startswith("✓ 2 platform agents current")


def test_check_counts_the_agents_that_are_not_current(platform: Path) -> None:
    edit(platform / "stockout.yaml", "- stockout", "- stock")
    assert "1 of 2 platform agents not current" in run("check", "--offline", cwd=platform).err


@pytest.mark.parametrize("command", ["render", "check"])
def test_a_root_without_agents_prints_none(team: Path, command: str) -> None:
    assert set(run(command, "-o", "json", cwd=team).json) == {"pairs", "diagnostics", "changed"}


def test_plugins_alone_are_told_and_write_nothing(platform: Path) -> None:
    shutil.rmtree(platform / "rendered")
    for name in ("agent.yaml", "lab.yaml"):
        (platform / name).unlink()
    done = render(platform)
    assert done.status == 1
    assert {reason for reason, _, _ in told(done)} == {"AgentNotFound"}
    assert done.json["platformAgents"] == []
    assert [(found["name"], found["targetAgents"]) for found in done.json["agentPlugins"]] == [
        ("investigator", None),
        ("stockout", None),
    ]
    assert not (platform / "rendered").exists()
    assert check(platform).json["diagnostics"] == done.json["diagnostics"]


def test_adding_agents_changes_no_byte_of_a_pair(team: Path) -> None:
    before = tree(team / "rendered")
    for name, text in AGENT_FILES.items():
        (team / name).write_text(text)
    edit(team / "kagent-render.yaml", "spec:\n", 'spec:\n  kubeVersion: "1.35"\n')
    done = render(team)
    assert done.status == 0
    assert all("/_agentplugins/" in path for path in done.json["changed"])
    assert len(done.json["pairs"]) == 3
    assert outside(tree(team / "rendered")) == before
    for name in AGENT_FILES:
        (team / name).unlink()
    assert render(team).status == 0
    assert tree(team / "rendered") == before


def test_no_kustomization_of_the_pairs_lists_an_agent(mixed: Path) -> None:
    paths = [path for path in mixed.rglob("kustomization.yaml") if "_agentplugins" not in path.parts]
    assert len(paths) == 5
    assert not [path for path in paths if "_agentplugins" in path.read_text()]


def test_an_agent_that_is_gone_takes_its_folder_with_it(platform: Path) -> None:
    (platform / "lab.yaml").unlink()
    stale = check(platform)
    assert stale.status == 1
    assert [(fault["reason"], fault["source"]["path"]) for fault in stale.faults] == [
        ("LockStale", f"{OTHER_FOLDER}/revision.lock.yaml")
    ]
    assert "no manifest of the platform agent `lab/keeper` is left" in stale.faults[0]["message"]
    done = render(platform)
    assert done.status == 0
    assert set(done.json["changed"]) == {f"{OTHER_FOLDER}/{name}" for name in NAMES}
    assert not (platform / "rendered/lab").exists()


def test_a_foreign_file_in_the_folder_of_an_agent_that_is_gone_stays_and_is_told(platform: Path) -> None:
    notes = platform / OTHER_FOLDER / "notes.md"
    notes.write_text("mine")
    (platform / "lab.yaml").unlink()
    done = render(platform)
    assert done.status == 0
    assert [
        found["source"]["path"] for found in done.json["diagnostics"] if found["severity"] == "warning"
    ] == [f"{OTHER_FOLDER}/notes.md"]
    assert [path.name for path in (platform / OTHER_FOLDER).iterdir()] == ["notes.md"]
    assert [(fault["reason"], fault["source"]["path"]) for fault in check(platform).faults] == [
        ("OutputDrift", f"{OTHER_FOLDER}/notes.md")
    ]


def test_the_last_agent_that_goes_takes_the_whole_output(platform: Path) -> None:
    for name in AGENT_FILES:
        (platform / name).unlink()
    assert render(platform).status == 0
    assert tree(platform / "rendered") == {}


def test_memory_changes_nothing(platform: Path) -> None:
    (platform / "more.yaml").write_text(
        plugin("more", config="logging: {a: 1}\nplatforms:\n", env=[{"name": "PATH", "value": "/bin"}])
    )
    without = render(platform, "--no-cache").json
    output = tree(platform / "rendered")
    assert len(without["diagnostics"]) > 3
    shutil.rmtree(platform / "rendered")
    for _ in range(2):
        again = render(platform).json
        assert again["diagnostics"] == without["diagnostics"]
        assert again["platformAgents"] == without["platformAgents"]
        assert tree(platform / "rendered") == output
    assert check(platform, "--no-cache").json == check(platform).json


def explained(folder: Path, name: str, *args: str) -> Any:
    done = run("explain", name, *args, "--offline", "-o", "json", cwd=folder)
    assert done.status == 0, done.err
    return done.json


SOURCES = {
    # field: (file, text of its line)
    "data[profile-default.overlay.yaml].platform_toolsets": ("stockout.yaml", "google_chat:"),
    "data[profile-platform.overlay.yaml].plugins": ("investigator.yaml", "metadata:"),
    "spec.template.spec.volumes[plugin-stockout]": ("stockout.yaml", "image:"),
    "spec.template.spec.containers[platform-agent].env[SLACK_API_TOKEN]": (
        "stockout.yaml",
        "SLACK_API_TOKEN",
    ),
    "imageVolumes": ("kagent-render.yaml", "kubeVersion:"),
    "plugins[stockout]": ("stockout.yaml", "metadata:"),
}


@pytest.mark.parametrize(("field", "source"), SOURCES.items(), ids=SOURCES)
def test_explain_says_where_a_value_comes_from(platform: Path, field: str, source: tuple[str, str]) -> None:
    entry = explained(platform, AGENT, field)[0]
    place = entry["sources"][0]["source"]
    line = (platform / place["path"]).read_text().splitlines()[place["line"] - 1]
    assert place["path"] == source[0]
    assert source[1] in line


def test_explain_shows_an_agent_beside_pairs(mixed: Path) -> None:
    assert explained(mixed, AGENT, "imageVolumes")
    assert explained(mixed, "team/runtime/lead")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("ops/platform-agen", "did you mean `ops/platform-agent`?"), ("keeper", "did you mean `lab/keeper`?")],
)
def test_explain_knows_the_nearest_agent(platform: Path, name: str, hint: str) -> None:
    done = run("explain", name, "--offline", cwd=platform)
    assert done.status == 2
    assert hint in done.err


def test_an_unrelated_pair_keeps_its_lock_when_an_agent_changes(mixed: Path) -> None:
    before = (mixed / PAIR_LOCK).stat().st_mtime_ns
    edit(mixed / "stockout.yaml", "- stockout", "- stock")
    assert render(mixed).status == 0
    assert (mixed / PAIR_LOCK).stat().st_mtime_ns == before
