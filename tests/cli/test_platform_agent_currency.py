"""`check` names what made the Component of a PlatformAgent stale or drift; nothing is overwritten blindly."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.platform import (
    AGENT,
    FOLDER,
    LOCK,
    NAMES,
    OTHER,
    OTHER_FOLDER,
    check,
    plugin,
    prepared,
    render,
    told,
)
from tests.cli.team import ONES, ZEROS, edit
from tests.running import tree

EDITS: dict[str, tuple[str, str, str, tuple[str, str], list[str]]] = {
    # file, old, new, (object, field), agents whose locks are stale
    "a plugin's image": (
        "stockout.yaml",
        ZEROS,
        ONES,
        ("AgentPlugin/stockout", "spec.image"),
        [AGENT],
    ),
    "a plugin's pull policy": (
        "investigator.yaml",
        "Always",
        "Never",
        ("AgentPlugin/investigator", "spec.imagePullPolicy"),
        [AGENT],
    ),
    "a plugin's profile": (
        "investigator.yaml",
        "targetProfile: platform",
        "targetProfile: cluster-a",
        ("AgentPlugin/investigator", "spec.targetProfile"),
        [AGENT],
    ),
    "a plugin's profile that is gone": (
        "investigator.yaml",
        "  targetProfile: platform\n",
        "",
        ("AgentPlugin/investigator", "spec.targetProfile"),
        [AGENT],
    ),
    "a plugin's config": (
        "stockout.yaml",
        "- stockout",
        "- stock",
        ("AgentPlugin/stockout", "spec.config"),
        [AGENT],
    ),
    "a comment in a plugin's config": (
        "stockout.yaml",
        "    platform_toolsets:\n",
        "    # why\n    platform_toolsets:\n",
        ("AgentPlugin/stockout", "spec.config"),
        [AGENT],
    ),
    "a plugin's environment": (
        "stockout.yaml",
        "key: token",
        "key: other",
        ("AgentPlugin/stockout", "spec.env"),
        [AGENT],
    ),
    "the agent's harness": (
        "agent.yaml",
        "maxTurns: 3",
        "maxTurns: 4",
        ("PlatformAgent/platform-agent", "spec.harness"),
        [AGENT],
    ),
    "a field that the agent has now": (
        "agent.yaml",
        "spec:\n",
        "spec:\n  deployment: {replicas: 2}\n",
        ("PlatformAgent/platform-agent", "spec.deployment"),
        [AGENT],
    ),
    "the version of the cluster": (
        "kagent-render.yaml",
        "1.35",
        "1.36",
        ("RenderConfig/None", "spec.kubeVersion"),
        [OTHER, AGENT],
    ),
    "the annotation of the agent": (
        "agent.yaml",
        "  name: platform-agent\n",
        '  name: platform-agent\n  annotations: {kubeagents.x-k8s.io/enable-image-volumes: "true"}\n',
        ("PlatformAgent/platform-agent", "metadata.annotations[kubeagents.x-k8s.io/enable-image-volumes]"),
        [AGENT],
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "cause", "agents"), EDITS.values(), ids=EDITS)
def test_check_names_the_edit_that_made_a_lock_stale(
    platform: Path, file: str, old: str, new: str, cause: tuple[str, str], agents: list[str]
) -> None:
    edit(platform / file, old, new)
    before = tree(platform)
    done = check(platform)
    assert tree(platform) == before
    assert (done.status, told(done)) == (1, [("LockStale", *cause)])
    assert done.faults[0]["source"]["path"] == file
    assert done.faults[0]["hint"] == "run `kagent-render render` and commit the result"
    assert [name for name, state in prepared(done).items() if state == ("False", "LockStale")] == agents
    assert render(platform).status == 0
    assert check(platform).status == 0


def test_a_plugin_that_was_added_is_named(platform: Path) -> None:
    (platform / "more.yaml").write_text(plugin("more"))
    [fault] = check(platform).faults
    assert (fault["reason"], fault["object"]["name"]) == ("LockStale", "more")
    assert "AgentPlugin `more` was added to PlatformAgent `platform-agent`" in fault["message"]
    assert fault["source"]["path"] == "more.yaml"


@pytest.mark.parametrize("moved", [False, True], ids=["gone", "of another agent"])
def test_a_plugin_that_was_removed_is_named(platform: Path, moved: bool) -> None:
    if moved:
        edit(platform / "stockout.yaml", "agentRef: platform-agent", "agentRef: keeper")
        edit(platform / "stockout.yaml", "namespace: ops", "namespace: lab")
    else:
        (platform / "stockout.yaml").unlink()
    faults = check(platform).faults
    removed = [fault for fault in faults if "was removed from" in fault["message"]]
    assert [fault["reason"] for fault in removed] == ["LockStale"]
    assert "AgentPlugin `stockout`" in removed[0]["message"]
    assert removed[0]["source"]["path"] == LOCK
    assert len(faults) == (2 if moved else 1)


def test_each_of_several_plugins_that_were_removed_is_named_where_the_lock_has_it(platform: Path) -> None:
    lock = (platform / LOCK).read_text().splitlines()
    for name in ("stockout", "investigator"):
        (platform / f"{name}.yaml").unlink()
    found = {fault["source"]["line"]: fault["message"] for fault in check(platform).faults}
    for name in ("stockout", "investigator"):
        assert f"AgentPlugin `{name}` was removed" in found[lock.index(f"  - name: {name}") + 1]


NO_INPUT = {
    "a comment": ("stockout.yaml", "spec:\n", "# why\nspec:\n"),
    "a label": ("agent.yaml", "namespace: ops\n", "namespace: ops\n  labels: {a: b}\n"),
    "another spelling": ("investigator.yaml", "PullPolicy: Always", 'PullPolicy: "Always"'),
    "a setting for pairs": ("kagent-render.yaml", "spec:\n", "spec:\n  retention: {revisions: 9}\n"),
}


@pytest.mark.parametrize(("file", "old", "new"), NO_INPUT.values(), ids=NO_INPUT)
def test_an_edit_that_changes_no_input_leaves_locks_current(
    platform: Path, file: str, old: str, new: str
) -> None:
    edit(platform / file, old, new)
    assert check(platform).status == 0


def test_without_a_lock_the_agent_has_none(platform: Path) -> None:
    (platform / LOCK).unlink()
    done = check(platform)
    assert (done.status, told(done)) == (1, [("LockMissing", None, None)])
    assert done.faults[0]["source"]["path"] == LOCK
    assert prepared(done) == {OTHER: ("True", "Prepared"), AGENT: ("False", "LockMissing")}


def test_without_any_output_every_agent_lacks_its_lock(platform: Path) -> None:
    shutil.rmtree(platform / "rendered")
    reasons = [fault["reason"] for fault in check(platform).faults]
    assert sorted(reasons) == ["LockMissing", "LockMissing"]


COMPONENT = [name for name in NAMES if name != "revision.lock.yaml"]


@pytest.mark.parametrize("name", COMPONENT)
@pytest.mark.parametrize(
    ("damage", "line"),
    [
        pytest.param(lambda text: text + "extra: line\n", -1, id="a line more"),
        pytest.param(lambda text: text.replace("name: ", "name:  ", 1), 0, id="an edit"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), 1, id="CRLF"),
        pytest.param(lambda text: "", 1, id="empty"),
    ],
)
def test_a_file_edited_by_hand_is_drift_of_its_agent(
    platform: Path, name: str, damage: Any, line: int
) -> None:
    path = platform / FOLDER / name
    text = path.read_text()
    path.write_bytes(damage(text).encode())
    first = next(n for n, found in enumerate(text.splitlines(), 1) if "name: " in found)
    expected = {-1: text.count("\n") + 1, 0: first}.get(line, line)
    done = check(platform)
    assert [(fault["reason"], fault["source"]) for fault in done.faults] == [
        ("OutputDrift", {"path": f"{FOLDER}/{name}", "line": expected, "column": 1})
    ]
    assert prepared(done)[AGENT] == ("False", "OutputDrift")
    assert prepared(done)[OTHER] == ("True", "Prepared")
    assert done.json["changed"] == [f"{FOLDER}/{name}"]
    assert render(platform).json["changed"] == [f"{FOLDER}/{name}"]
    assert path.read_text() == text


@pytest.mark.parametrize("name", COMPONENT)
def test_a_file_that_is_missing_is_drift_of_its_agent(platform: Path, name: str) -> None:
    (platform / FOLDER / name).unlink()
    done = check(platform)
    assert done.faults[0]["message"] == f"`{FOLDER}/{name}` is missing"
    assert prepared(done)[AGENT] == ("False", "OutputDrift")


@pytest.mark.parametrize("name", NAMES)
def test_conflict_markers_are_called_so(platform: Path, name: str) -> None:
    path = platform / FOLDER / name
    text = path.read_text()
    path.write_text(f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n")
    done = check(platform)
    assert [(fault["reason"], fault["source"]["line"]) for fault in done.faults] == [("LockConflict", 1)]
    assert prepared(done)[AGENT] == ("False", "LockConflict")


LOCK_DAMAGE: dict[str, tuple[Any, str]] = {
    # change of the text, part of the message
    "not canonical": (lambda text: text.replace("name: stockout", "name:  stockout", 1), "line"),
    "CRLF": (lambda text: text.replace("\n", "\r\n"), "carriage returns"),
    "an edit": (lambda text: text.replace("phase: Ready", "phase: Broken", 1), "edited"),
    "not YAML": (lambda text: text.replace("spec:", "spec: [", 1), "not YAML"),
    "another kind": (lambda text: text.replace("PreparedPlatformAgent", "PreparedRevision"), ""),
    "empty": (lambda text: "", ""),
}


@pytest.mark.parametrize(("damage", "message"), LOCK_DAMAGE.values(), ids=LOCK_DAMAGE)
def test_a_damaged_lock_is_told_and_rendering_again_mends_it(
    platform: Path, damage: Any, message: str
) -> None:
    text = (platform / LOCK).read_text()
    (platform / LOCK).write_bytes(damage(text).encode())
    done = check(platform)
    assert [(fault["reason"], fault["source"]["path"]) for fault in done.faults] == [("LockInvalid", LOCK)]
    assert message in done.faults[0]["message"]
    assert prepared(done)[AGENT] == ("False", "LockInvalid")
    assert render(platform).status == 0
    assert (platform / LOCK).read_text() == text


def of_a_newer_release(folder: Path) -> None:
    edit(folder / LOCK, "    version: 1\n", "    version: 2\n")


def test_a_lock_of_a_newer_release_is_never_overwritten(platform: Path) -> None:
    of_a_newer_release(platform)
    edit(platform / "stockout.yaml", "- stockout", "- stock")
    edit(platform / "lab.yaml", "  agentRef: keeper\n", "  agentRef: keeper\n  imagePullPolicy: Never\n")
    before = tree(platform)
    done = render(platform)
    assert (done.status, told(done)) == (1, [("LockInvalid", None, "spec.schema.version")])
    assert "needs a newer kagent-render" in done.faults[0]["message"]
    assert prepared(done)[AGENT] == ("False", "LockInvalid")
    assert tree(platform) == before
    going = render(platform, "--keep-going")
    assert going.status == 1
    assert going.json["changed"] == [f"{OTHER_FOLDER}/gateway.yaml", f"{OTHER_FOLDER}/revision.lock.yaml"]
    after = tree(platform)
    assert all(after[path] == before[path] for path in before if path.startswith(FOLDER))


def test_a_lock_of_a_newer_release_that_may_pin_a_tag_asks_for_that_release(platform: Path) -> None:
    edit(platform / LOCK, "version: 1\n    revision: 1", "version: 2\n    revision: 1")
    (platform / "tagged.yaml").write_text(plugin("tagged", image="registry.example.com/plugins/tagged:v1"))
    newer = next(fault for fault in check(platform).faults if fault["reason"] == "LockInvalid")
    assert newer["hint"] == "update kagent-render"


def test_two_causes_are_told_each_at_its_place(platform: Path) -> None:
    edit(platform / "stockout.yaml", "- stockout", "- stock")
    edit(platform / "agent.yaml", "maxTurns: 3", "maxTurns: 4")
    assert told(check(platform)) == [
        ("LockStale", "PlatformAgent/platform-agent", "spec.harness"),
        ("LockStale", "AgentPlugin/stockout", "spec.config"),
    ]


def test_a_finding_of_a_plugin_comes_beside_what_is_stale(platform: Path) -> None:
    edit(platform / "stockout.yaml", "    platform_toolsets:\n", "    logging: {}\n    platform_toolsets:\n")
    assert sorted(told(check(platform))) == [
        ("LockStale", "AgentPlugin/stockout", "spec.config"),
        ("PluginConfigDropped", "AgentPlugin/stockout", "spec.config"),
    ]


def test_a_degraded_plugin_that_is_mended_makes_its_lock_stale(platform: Path) -> None:
    edit(platform / "kagent-render.yaml", "1.35", "1.34")
    assert render(platform).status == 1
    edit(platform / "kagent-render.yaml", "1.34", "1.35")
    assert told(check(platform)) == [("LockStale", "RenderConfig/None", "spec.kubeVersion")]


def test_what_a_manifest_says_of_its_own_status_is_an_input_of_the_report(platform: Path) -> None:
    edit(platform / "stockout.yaml", "name: stockout}", "name: stockout, generation: 3}")
    done = check(platform)
    assert [(fault["reason"], fault["source"]["path"]) for fault in done.faults] == [("LockStale", LOCK)]
    assert (
        "what `status.yaml` tells of the plugins of PlatformAgent `platform-agent` changed"
        in (done.faults[0]["message"])
    )
    assert render(platform).status == 0
    assert check(platform).status == 0
