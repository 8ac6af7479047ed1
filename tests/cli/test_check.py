"""`check` names what made a lock stale or an output drift, and changes nothing."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest

from kagent_render.compile.adapters.python import configuration as python
from kagent_render.compile.capabilities.catalog import load_catalog
from tests.cli.team import LOCK, ONES, PAIR_FOLDER, ZEROS, actor_templates, edit, lock_spec
from tests.running import Run, run, tree

CRITIC, HELPER, LEAD = "critic", "helper", "lead"


def check(folder: Path, *args: str) -> Run:
    """Check with JSON output; whatever is found, nothing is written."""
    before = tree(folder)
    done = run("check", "-o", "json", *args, cwd=folder)
    assert tree(folder) == before
    return done


def prepared(done: Run) -> dict[str, tuple[str, str]]:
    """Status and reason of the condition Prepared, by template."""
    return {
        pair["template"]: (condition["status"], condition["reason"])
        for pair in done.json["pairs"]
        for condition in pair["conditions"]
        if condition["type"] == "Prepared"
    }


def stale(done: Run) -> list[str]:
    """The templates whose pairs are not current."""
    return [template for template, (status, _) in prepared(done).items() if status == "False"]


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


def test_an_output_as_rendered_is_current(team: Path) -> None:
    done = check(team)
    assert done.status == 0
    assert set(prepared(done).values()) == {("True", "Prepared")}
    assert done.faults == []
    assert done.json["changed"] == []


EDITS: dict[str, tuple[str, str, str, tuple[str, str | None], list[str]]] = {
    # file, old, new, (object, field), templates whose pairs are stale
    "a prompt": (
        "lead.yaml",
        "You lead.",
        "You decide.",
        ("AgentTemplate/lead", "spec.systemPrompt"),
        [LEAD],
    ),
    "a tool selection": ("lead.yaml", "[find, open]", "[find]", ("AgentTemplate/lead", "spec.tools"), [LEAD]),
    "a binding": ("lead.yaml", "Doubts.", "Doubts it all.", ("AgentTemplate/lead", "spec.tools"), [LEAD]),
    "a description": ("lead.yaml", "Leads.", "Leads us.", ("AgentTemplate/lead", "spec.description"), [LEAD]),
    "a field that is gone": (
        "lead.yaml",
        "  description: Leads.\n",
        "",
        ("AgentTemplate/lead", "spec.description"),
        [LEAD],
    ),
    "labels": ("lead.yaml", "tier: gold", "tier: lead", ("AgentTemplate/lead", "metadata.labels"), [LEAD]),
    "a shared child": (
        "helper.yaml",
        "You are",
        "You may be",
        ("AgentTemplate/helper", "spec.systemPrompt"),
        [HELPER, LEAD],
    ),
    "a dedicated child": (
        "critic.yaml",
        "You are",
        "You may be",
        ("AgentTemplate/critic", "spec.systemPrompt"),
        [CRITIC, LEAD],
    ),
    "the Harness's environment": (
        "harness.yaml",
        "value: info",
        "value: debug",
        ("Harness/runtime", "spec.env"),
        [CRITIC, HELPER, LEAD],
    ),
    "the Harness's image": (
        "harness.yaml",
        ZEROS,
        ONES,
        ("Harness/runtime", "spec.workload"),
        [CRITIC, HELPER, LEAD],
    ),
    "a ModelConfig": (
        "inputs.yaml",
        "some-model",
        "another-model",
        ("ModelConfig/aws", "spec"),
        [CRITIC, HELPER, LEAD],
    ),
    "an MCP server": (
        "inputs.yaml",
        "search.example.com",
        "find.example.com",
        ("RemoteMCPServer/search", "spec"),
        [LEAD],
    ),
    "a ConfigMap key": (
        "inputs.yaml",
        "Be brief.",
        "Be very brief.",
        ("ConfigMap/texts", "data.rules"),
        [LEAD],
    ),
    "the key names of a Secret": (
        "inputs.yaml",
        "  AWS_SECRET_ACCESS_KEY: not-kept\n",
        "  AWS_SECRET_ACCESS_KEY: not-kept\n  AWS_SESSION_TOKEN: not-kept\n",
        ("Secret/aws", None),
        [CRITIC, HELPER, LEAD],
    ),
    "the pause image": (
        "kagent-render.yaml",
        ZEROS,
        ONES,
        ("RenderConfig/None", "spec.substrate.pauseImage"),
        [CRITIC, HELPER, LEAD],
    ),
    "the worker pool": (
        "kagent-render.yaml",
        "workerPool: pool",
        "workerPool: pond",
        ("RenderConfig/None", "spec.substrate.workerPool"),
        [CRITIC, HELPER, LEAD],
    ),
    "the controller": (
        "kagent-render.yaml",
        "name: kagent-controller",
        "name: kagent",
        ("RenderConfig/None", "spec.controller.name"),
        [CRITIC, HELPER, LEAD],
    ),
    "the tools address": (
        "kagent-render.yaml",
        "  substrate:\n",
        "  tools: {url: 'https://tools.example.com'}\n  substrate:\n",
        ("RenderConfig/None", "spec.tools.url"),
        [LEAD],
    ),
}


@pytest.mark.parametrize(("file", "old", "new", "cause", "templates"), EDITS.values(), ids=EDITS.keys())
def test_check_names_the_edit_that_made_a_lock_stale(
    team: Path, file: str, old: str, new: str, cause: tuple[str, str | None], templates: list[str]
) -> None:
    edit(team / file, old, new)
    done = check(team)
    assert done.status == 1
    assert told(done) == [("LockStale", *cause)]
    assert done.faults[0]["source"]["path"] == file
    assert stale(done) == templates
    assert all(prepared(done)[name] == ("False", "LockStale") for name in templates)
    assert {path for path in done.json["changed"] if path.endswith("lock.yaml")} == {
        f"rendered/team/runtime/{name}/revision.lock.yaml" for name in templates
    }


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        pytest.param(
            "inputs.yaml", "Nobody reads this.", "Still nobody.", id="a ConfigMap key that nobody uses"
        ),
        pytest.param(
            "inputs.yaml", "AWS_ACCESS_KEY_ID: not-kept", "AWS_ACCESS_KEY_ID: other", id="a Secret's value"
        ),
        pytest.param("harness.yaml", "spec:\n", "# a comment\nspec:\n", id="a comment"),
        pytest.param("lead.yaml", "[find, open]", "\n      - find\n      - open", id="another spelling"),
    ],
)
def test_an_edit_that_changes_no_input_leaves_locks_current(
    team: Path, file: str, old: str, new: str
) -> None:
    edit(team / file, old, new)
    assert check(team).status == 0


def test_two_edits_are_two_causes(team: Path) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    edit(team / "inputs.yaml", "Be brief.", "Be loud.")
    assert told(check(team)) == [
        ("LockStale", "ConfigMap/texts", "data.rules"),
        ("LockStale", "AgentTemplate/lead", "spec.systemPrompt"),
    ]


def test_a_template_that_names_another_model_is_told_at_the_template(team: Path) -> None:
    (team / "other.yaml").write_text(
        "apiVersion: kagent.dev/v1alpha2\nkind: ModelConfig\nmetadata: {namespace: team, name: other}\n"
        "spec: {provider: Ollama, model: m, ollama: {host: 'http://ollama:11434'}}\n"
    )
    edit(team / "lead.yaml", "{name: aws}", "{name: other}")
    done = check(team)
    assert ("LockStale", "AgentTemplate/lead", "spec.modelConfig") in told(done)


def test_a_conversion_to_another_version_is_told_at_the_api_version(team: Path) -> None:
    for name in ("lead", "helper", "critic"):
        text = (team / f"{name}.yaml").read_text()
        text = text.replace("kagent.dev/v1alpha2", "kagent.dev/v1alpha3").partition("  harnesses:")[0]
        (team / f"{name}.yaml").write_text(text)
    assert ("LockStale", "AgentTemplate/lead", "apiVersion") in told(check(team))


def test_another_format_of_the_adapter_is_named(team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "FORMAT", 2)
    done = check(team, "--no-cache")
    assert done.status == 1
    assert stale(done) == [CRITIC, HELPER, LEAD]
    assert all("writes format 2, the lock has" in fault["message"] for fault in done.faults)
    assert {fault["source"]["path"] for fault in done.faults} == {
        f"rendered/team/runtime/{name}/revision.lock.yaml" for name in (CRITIC, HELPER, LEAD)
    }


def test_another_capability_record_is_named(team: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tuple(dataclasses.replace(record, version="changed") for record in load_catalog())
    monkeypatch.setattr("kagent_render.cli.run.load_catalog", lambda: changed)
    done = check(team, "--no-cache")
    assert stale(done) == [CRITIC, HELPER, LEAD]
    assert all("capability record `python-reference`" in fault["message"] for fault in done.faults)


def test_fewer_retained_revisions_are_named(team: Path) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    run("render", cwd=team)
    edit(team / "kagent-render.yaml", "revisions: 3", "revisions: 1")
    done = check(team)
    assert stale(done) == [LEAD]
    assert "retained revisions" in done.faults[0]["message"]


def test_annotations_that_follow_another_setting_are_named(team: Path) -> None:
    edit(team / "kagent-render.yaml", "protect: true", "protect: false")
    done = check(team)
    assert done.status == 1
    assert told(done) == [("LockStale", "RenderConfig/None", "spec.retention.protect")]
    assert stale(done) == [CRITIC, HELPER, LEAD]


def one_manifest(folder: Path, name: str = "lead-runtime-critic") -> str:
    return next(
        f"{PAIR_FOLDER}/actortemplates/{found}.yaml"
        for found in actor_templates(folder)
        if found.rpartition("-")[0] == name
    )


def test_a_manifest_edited_by_hand_is_drift_at_its_first_changed_line(team: Path) -> None:
    path = one_manifest(team)
    lines = (team / path).read_text().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines, 1) if "image:" in line)
    lines[number - 1] = lines[number - 1].replace(ZEROS, ONES)
    (team / path).write_text("".join(lines))
    done = check(team)
    assert told(done) == [("OutputDrift", None, None)]
    assert done.faults[0]["source"] == {"path": path, "line": number, "column": 1}
    assert f"line {number}" in done.faults[0]["message"]
    assert prepared(done)["lead"] == ("False", "OutputDrift")
    assert stale(done) == [LEAD]
    assert done.json["changed"] == [path]


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        pytest.param(lambda text: text + "extra: line\n", -1, id="a line more"),
        pytest.param(lambda text: text[:-1], -2, id="no line end at the end"),
        pytest.param(lambda text: "", 1, id="an empty file"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), 1, id="CRLF"),
    ],
)
def test_drift_that_is_in_no_line_is_told_at_the_nearest(team: Path, damage: Any, line: int) -> None:
    path = one_manifest(team)
    text = (team / path).read_text()
    (team / path).write_bytes(damage(text).encode())
    number = line if line > 0 else text.count("\n") + 2 + line
    assert check(team).faults[0]["source"]["line"] == number


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(f"{PAIR_FOLDER}/kustomization.yaml", id="the pair's kustomization"),
        pytest.param("rendered/team/kustomization.yaml", id="the namespace's kustomization"),
        pytest.param("rendered/kustomization.yaml", id="the root's kustomization"),
        pytest.param("rendered/.gitattributes", id="the attributes"),
    ],
)
def test_each_file_that_is_missing_is_drift(team: Path, path: str) -> None:
    (team / path).unlink()
    done = check(team)
    assert told(done) == [("OutputDrift", None, None)]
    assert done.faults[0]["message"] == f"`{path}` is missing"
    assert done.json["changed"] == [path]


def test_a_missing_manifest_is_drift_of_its_pair(team: Path) -> None:
    path = one_manifest(team)
    (team / path).unlink()
    done = check(team)
    assert stale(done) == [LEAD]
    assert done.faults[0]["message"] == f"`{path}` is missing"


def test_without_a_lock_the_pair_has_none(team: Path) -> None:
    (team / LOCK).unlink()
    done = check(team)
    assert done.status == 1
    assert told(done) == [("LockMissing", None, None)]
    assert done.faults[0]["pair"] == {"namespace": "team", "harness": "runtime", "template": "lead"}
    assert prepared(done)["lead"] == ("False", "LockMissing")


def test_without_any_output_every_pair_lacks_its_lock(team: Path) -> None:
    shutil.rmtree(team / "rendered")
    done = check(team)
    assert [reason for reason, _, _ in told(done)] == ["LockMissing"] * 3


def test_a_foreign_file_is_drift(team: Path) -> None:
    (team / "rendered/team/notes.txt").write_text("mine")
    done = check(team)
    assert told(done) == [("OutputDrift", None, None)]
    assert done.faults[0]["source"]["path"] == "rendered/team/notes.txt"
    assert done.json["changed"] == []


def test_a_manifest_that_no_revision_needs_is_drift(team: Path) -> None:
    extra = f"{PAIR_FOLDER}/actortemplates/lead-runtime-{'0' * 12}.yaml"
    (team / extra).write_text("kind: ActorTemplate\n")
    done = check(team)
    assert told(done) == [("OutputDrift", None, None)]
    assert done.json["changed"] == [extra]


def test_a_pair_that_is_gone_leaves_a_stale_lock(team: Path) -> None:
    (team / "lead.yaml").unlink()
    done = check(team)
    assert done.status == 1
    gone = [fault for fault in done.faults if fault["source"]["path"] == LOCK]
    assert [fault["reason"] for fault in gone] == ["LockStale"]
    assert gone[0]["pair"] == {"namespace": "team", "harness": "runtime", "template": "lead"}


LOCK_DAMAGE: dict[str, tuple[Any, str, int, str]] = {
    # change of the text, reason, line, part of the message
    "not canonical": (
        lambda text: text.replace("name: runtime", "name:  runtime", 1),
        "LockInvalid",
        14,
        "line 14",
    ),
    "conflict markers": (
        lambda text: text.replace("  target:", "<<<<<<< ours\n  target:", 1),
        "LockConflict",
        11,
        "conflict markers",
    ),
    "CRLF": (lambda text: text.replace("\n", "\r\n"), "LockInvalid", 1, "carriage returns"),
    "a newer schema": (
        lambda text: text.replace("    version: 1\n", "    version: 2\n", 1),
        "LockInvalid",
        8,
        "needs a newer kagent-render",
    ),
    "an edit": (
        lambda text: text.replace("You are the helper", "You are the boss", 1),
        "LockInvalid",
        10,
        "edited",
    ),
    "not YAML": (lambda text: text.replace("spec:", "spec: [", 1), "LockInvalid", 8, "not YAML"),
    "not a lock": (lambda text: "kind: Other\n", "LockInvalid", 1, ""),
    "empty": (lambda text: "", "LockInvalid", 1, ""),
}


@pytest.mark.parametrize(
    ("damage", "reason", "line", "message"), LOCK_DAMAGE.values(), ids=LOCK_DAMAGE.keys()
)
def test_what_is_wrong_with_a_lock_file_is_told_apart(
    team: Path, damage: Any, reason: str, line: int, message: str
) -> None:
    text = (team / LOCK).read_text()
    (team / LOCK).write_bytes(damage(text).encode())
    done = check(team)
    assert done.status == 1
    assert [(fault["reason"], fault["source"]["path"]) for fault in done.faults] == [(reason, LOCK)]
    assert done.faults[0]["source"]["line"] == line
    assert message in done.faults[0]["message"]
    assert prepared(done)["lead"] == ("False", reason)
    assert stale(done) == [LEAD]


def test_a_failed_pair_is_told_with_its_own_reason_and_keeps_its_output(team: Path) -> None:
    edit(team / "lead.yaml", "name: search}", "name: serch}")
    done = check(team)
    assert told(done) == [("MCPServerNotFound", "AgentTemplate/lead", "spec.tools[0].mcp.server.name")]
    assert prepared(done) == {
        "critic": ("True", "Prepared"),
        "helper": ("True", "Prepared"),
        "lead": ("False", "Blocked"),
    }
    assert done.json["changed"] == []


def test_an_invalid_document_blocks_the_pairs_that_need_it(team: Path) -> None:
    edit(team / "lead.yaml", "  promptTemplate:", "  promptTemplat:")
    done = check(team)
    assert ("UnknownField", "AgentTemplate/lead", "spec.promptTemplat") in told(done)
    lead = next(pair for pair in done.json["pairs"] if pair["template"] == "lead")
    assert lead["revision"] is None
    assert {(c["type"], c["status"], c["reason"]) for c in lead["conditions"]} == {
        (kind, "False", "Blocked") for kind in ("Accepted", "ResolvedRefs", "Compatible", "Prepared")
    }
    assert done.json["changed"] == []


def test_a_file_that_cannot_be_read_makes_no_pair_gone(team: Path) -> None:
    (team / "lead.yaml").write_text("apiVersion: kagent.dev/v1alpha2\nkind: [AgentTemplate\n")
    done = check(team)
    assert [reason for reason, _, _ in told(done)] == ["YAMLInvalid"]
    assert done.json["changed"] == []


DIAGNOSTIC_KEYS = {
    "reason",
    "condition",
    "severity",
    "message",
    "hint",
    "object",
    "field",
    "source",
    "pair",
}


def test_json_has_every_key_always(team: Path) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    (team / "rendered/notes.txt").write_text("mine")
    document = check(team).json
    assert set(document) == {"pairs", "diagnostics", "changed"}
    assert [pair["template"] for pair in document["pairs"]] == ["critic", "helper", "lead"]
    for pair in document["pairs"]:
        assert set(pair) == {"namespace", "harness", "template", "revision", "conditions"}
        assert [c["type"] for c in pair["conditions"]] == [
            "Accepted",
            "ResolvedRefs",
            "Compatible",
            "Prepared",
        ]
        assert all(set(c) == {"type", "status", "reason", "message"} for c in pair["conditions"])
    for found in document["diagnostics"]:
        assert set(found) == DIAGNOSTIC_KEYS
        assert found["severity"] in {"error", "warning", "info"}
    stale_lock = next(found for found in document["diagnostics"] if found["reason"] == "LockStale")
    assert stale_lock == {
        "reason": "LockStale",
        "condition": "Prepared",
        "severity": "error",
        "message": stale_lock["message"],
        "hint": "run `kagent-render render` and commit the result",
        "object": {
            "apiVersion": "kagent.dev/v1alpha2",
            "kind": "AgentTemplate",
            "namespace": "team",
            "name": "lead",
        },
        "field": "spec.systemPrompt",
        "source": {"path": "lead.yaml", "line": 12, "column": 3},
        "pair": {"namespace": "team", "harness": "runtime", "template": "lead"},
    }
    foreign = next(found for found in document["diagnostics"] if found["reason"] == "OutputDrift")
    assert (foreign["object"], foreign["field"], foreign["pair"]) == (None, None, None)


def test_json_goes_to_stdout_and_nothing_to_stderr(team: Path) -> None:
    done = run("check", "-o", "json", cwd=team)
    assert done.err == ""


def test_a_revision_in_json_is_the_lock_s(team: Path) -> None:
    revisions = {pair["template"]: pair["revision"] for pair in check(team).json["pairs"]}
    assert revisions["lead"] == lock_spec(team)["revision"]


def test_text_says_how_many_pairs_are_not_current(team: Path) -> None:
    assert "✓ 3 pairs current" in run("check", cwd=team).err
    edit(team / "helper.yaml", "You are", "You may be")
    done = run("check", cwd=team)
    assert done.out == ""
    assert "✗ 2 of 3 pairs not current (1 error, 4 warnings)" in done.err
    assert "2 locks are stale: `spec.systemPrompt` was edited in AgentTemplate `helper`" in done.err
    assert "`team/runtime/helper`, `team/runtime/lead`" in done.err
