"""`explain` says for each value of the output which line of which file it comes from."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.team import PAIR, edit
from tests.running import EXAMPLE, run, tree

CONFIG = "spec.containers[0].env[KAGENT_CONFIG_JSON]"


@pytest.fixture(scope="module")
def entries(rendered_team: Path) -> list[dict[str, Any]]:
    """Everything that is explained of the pair."""
    done = run("explain", PAIR, "-o", "json", cwd=rendered_team)
    assert done.status == 0
    found: list[dict[str, Any]] = done.json
    return found


SOURCES: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    # boundary, field, (file, text of the line) of each source
    "pause image": ("", "spec.pauseImage", [("kagent-render.yaml", "pauseImage:")]),
    "image": ("", "spec.containers[0].image", [("harness.yaml", "image:")]),
    "worker pool": ("", "spec.workerSelector.matchLabels", [("kagent-render.yaml", "workerPool:")]),
    "snapshots": ("", "spec.snapshotsConfig.location", [("kagent-render.yaml", "snapshotLocation:")]),
    "a Harness variable": ("", "spec.containers[0].env[LEVEL]", [("harness.yaml", "name: LEVEL")]),
    "a provider's region": ("", "spec.containers[0].env[AWS_REGION]", [("inputs.yaml", "region:")]),
    "a provider's credential": (
        "",
        "spec.containers[0].env[AWS_ACCESS_KEY_ID]",
        [("inputs.yaml", "apiKeySecret:")],
    ),
    "the controller": ("", "spec.containers[0].env[KAGENT_URL]", [("kagent-render.yaml", "controller:")]),
    "name": ("", f"{CONFIG}.name", [("lead.yaml", "name: lead")]),
    "description": ("", f"{CONFIG}.description", [("lead.yaml", "description: Leads.")]),
    "model": ("", f"{CONFIG}.model", [("inputs.yaml", "model: some-model")]),
    "prompt with an include": (
        "",
        f"{CONFIG}.instruction",
        [("lead.yaml", "systemPrompt:"), ("inputs.yaml", "rules: Be brief.")],
    ),
    "MCP tools": ("", f"{CONFIG}.http_tools[0]", [("lead.yaml", "- mcp:"), ("inputs.yaml", "url:")]),
    "a Dedicated tool": ("", f"{CONFIG}.http_tools[1]", [("lead.yaml", "- agent:\n      name: critic")]),
    "a sub-agent's name": ("", f"{CONFIG}.sub_agents[0].name", [("lead.yaml", "name: helper\n")]),
    "a sub-agent's description": (
        "",
        f"{CONFIG}.sub_agents[0].description",
        [("lead.yaml", "description: Helps.")],
    ),
    "a sub-agent's prompt": (
        "",
        f"{CONFIG}.sub_agents[0].instruction",
        [("helper.yaml", "systemPrompt:")],
    ),
    "a Dedicated agent's name": ("critic", f"{CONFIG}.name", [("lead.yaml", "name: critic\n")]),
    "a Dedicated agent's description": (
        "critic",
        f"{CONFIG}.description",
        [("lead.yaml", "description: Doubts.")],
    ),
    "a Dedicated agent's prompt": ("critic", f"{CONFIG}.instruction", [("critic.yaml", "systemPrompt:")]),
    "where a Dedicated agent is bound": (
        "critic",
        "metadata.annotations[render.kagent.dev/binding-path]",
        [("lead.yaml", "name: critic\n")],
    ),
    "egress to the model": (
        "",
        "egress[https://bedrock-runtime.eu-central-1.amazonaws.com:443]",
        [("inputs.yaml", "provider:")],
    ),
    "egress to an MCP server": ("", "egress[https://search.example.com:443]", [("inputs.yaml", "url:")]),
    "egress to the controller": (
        "",
        "egress[http://kagent-controller.kagent:8083]",
        [("kagent-render.yaml", "controller:")],
    ),
    "a requirement": ("", "requirements[nativeAgentTools]", [("lead.yaml", "- agent:\n      name: helper")]),
}


@pytest.mark.parametrize(("boundary", "field", "sources"), SOURCES.values(), ids=SOURCES.keys())
def test_each_value_has_its_sources(
    rendered_team: Path,
    entries: list[dict[str, Any]],
    boundary: str,
    field: str,
    sources: list[tuple[str, str]],
) -> None:
    found = [entry for entry in entries if (entry["boundary"], entry["field"]) == (boundary, field)]
    assert len(found) == 1
    places = [(source["source"]["path"], source["source"]["line"]) for source in found[0]["sources"]]
    assert places == [(path, place(rendered_team, path, text)) for path, text in sources]


def place(folder: Path, path: str, text: str) -> int:
    """The line on which the first occurrence of a text begins."""
    content = (folder / path).read_text()
    assert text in content
    return content.count("\n", 0, content.index(text)) + 1


def test_every_value_names_its_actor_template_and_has_a_source_or_a_rule(
    entries: list[dict[str, Any]], rendered_team: Path
) -> None:
    written = {Path(path).stem for path in tree(rendered_team) if f"{PAIR}/actortemplates/" in path}
    assert {entry["actorTemplate"] for entry in entries} == written
    for entry in entries:
        assert set(entry) == {"boundary", "actorTemplate", "field", "value", "note", "sources"}
        assert entry["sources"] or entry["note"], entry


def test_a_default_is_told_as_one(entries: list[dict[str, Any]]) -> None:
    tools = next(entry for entry in entries if entry["field"].endswith("env[KAGENT_TOOLS_URL]"))
    assert tools["sources"] == []
    assert tools["note"] == "the default of RenderConfig's spec.tools.url"


def explained(folder: Path, field: str) -> list[str]:
    return [entry["field"] for entry in run("explain", PAIR, field, "-o", "json", cwd=folder).json]


@pytest.mark.parametrize(
    ("field", "count", "part"),
    [
        pytest.param("spec.containers[0].image", 2, "spec.containers[0].image", id="a whole field"),
        pytest.param("spec.containers[0].env[LEVEL]", 2, "env[LEVEL]", id="a variable by name"),
        pytest.param("egress", 8, "egress[", id="a part"),
        pytest.param("instruction", 3, ".instruction", id="a word"),
        pytest.param(f"{CONFIG}.sub_agents[0]", 4, "sub_agents[0].", id="what is below a field"),
        pytest.param("INSTRUCTION", 3, ".instruction", id="in any case"),
    ],
)
def test_a_field_selects(rendered_team: Path, field: str, count: int, part: str) -> None:
    found = explained(rendered_team, field)
    assert len(found) == count
    assert all(part in entry for entry in found)


def test_a_variable_may_be_given_by_its_index_in_the_manifest(rendered_team: Path) -> None:
    names = [entry for entry in explained(rendered_team, "spec.containers[0].env") if "]." not in entry[19:]]
    by_index = explained(rendered_team, "spec.containers[0].env[3]")
    assert by_index == [names[3]] or names[3] in by_index
    assert explained(rendered_team, "env[3]")[0] == names[3]


@pytest.mark.parametrize(
    ("pair", "hint"),
    [
        pytest.param("team/runtime/laed", "did you mean `team/runtime/lead`?", id="a near one"),
        pytest.param("lead", "did you mean `team/runtime/lead`?", id="a template's name"),
        pytest.param(
            "nothing-like-it",
            "write a pair as `namespace/harness/template`, a platform agent as `namespace/name`",
            id="a far one",
        ),
    ],
)
def test_an_unknown_pair_is_status_2_with_a_hint(team: Path, pair: str, hint: str) -> None:
    done = run("explain", pair, cwd=team)
    assert done.status == 2
    assert done.err == f"error: no pair `{pair}`\n  hint: {hint}\n"


def test_an_unknown_field_is_status_2_with_a_hint(team: Path) -> None:
    done = run("explain", PAIR, "spec.replicas", cwd=team)
    assert done.status == 2
    assert f"run `kagent-render explain {PAIR}` to see all fields" in done.err


def test_a_pair_that_fails_is_explained_by_its_diagnostics(team: Path) -> None:
    edit(team / "lead.yaml", "name: search}", "name: serch}")
    done = run("explain", PAIR, cwd=team)
    assert done.status == 1
    assert done.out == ""
    assert "error[MCPServerNotFound]" in done.err
    document = run("explain", PAIR, "-o", "json", cwd=team)
    assert document.status == 1
    assert [fault["reason"] for fault in document.faults] == ["MCPServerNotFound"]
    assert [pair["template"] for pair in document.json["pairs"]] == ["lead"]
    assert run("explain", "team/runtime/critic", cwd=team).status == 0


def test_text_has_paths_that_open_from_the_working_directory(rendered_team: Path) -> None:
    done = run("explain", PAIR, "spec.pauseImage", "..", cwd=rendered_team / "rendered")
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0].startswith("ActorTemplate lead-runtime-")
    assert lines[1].startswith("  spec.pauseImage = registry.example.com/pause@sha256:")
    assert lines[2] == "      ../kagent-render.yaml:10:5  RenderConfig spec.substrate.pauseImage"


def test_text_puts_each_value_on_one_line(team: Path) -> None:
    edit(team / "lead.yaml", "You lead.", "You lead.\n    On\ttwo lines. " + "x" * 200)
    (line,) = [
        line for line in run("explain", PAIR, "instruction", cwd=team).out.splitlines() if "You lead" in line
    ]
    assert line.endswith("…")
    assert "⏎On" in line


def test_an_image_is_whole_however_long(team: Path) -> None:
    image = f"registry.example.com/{'folder/' * 20}runtime@sha256:{'0' * 64}"
    text = (team / "harness.yaml").read_text()
    (team / "harness.yaml").write_text(re.sub("image: .*", f"image: {image}", text))
    found = run("explain", PAIR, "spec.containers[0].image", "-o", "json", cwd=team).json
    assert {entry["value"] for entry in found} == {image}


def test_credentials_are_the_variables_that_refer_to_secrets(rendered_team: Path) -> None:
    found = run("explain", PAIR, "credentials", "-o", "json", cwd=rendered_team).json
    assert {entry["field"]: entry["value"] for entry in found} == {
        f"spec.containers[0].env[{name}]": f"key {name} of Secret aws"
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
    }


def test_explain_writes_nothing(team: Path) -> None:
    before = tree(team)
    run("explain", PAIR, cwd=team)
    assert tree(team) == before


def test_the_literal_headers_of_a_model_are_not_shown(tmp_path: Path) -> None:
    root = shutil.copytree(EXAMPLE.parent / "variants/claude", tmp_path / "claude")
    headers = "  defaultHeaders: {X-Plain: hunter2}\n  provider: Anthropic"
    edit(root / "runtime.yaml", "  provider: Anthropic", headers)
    done = run("explain", "release-team/runtime/release-manager", cwd=root)
    assert "env[ANTHROPIC_CUSTOM_HEADERS] = a literal, not shown" in done.out
    assert "hunter2" not in done.out + done.err


def test_a_fault_that_another_pair_has_too_is_told_of_each(team: Path) -> None:
    edit(team / "critic.yaml", "runtime: python", "runtime: other")
    for pair in ("team/runtime/critic", "team/runtime/lead"):
        done = run("explain", pair, cwd=team)
        assert done.status == 1
        assert "error[NotAdmitted]" in done.err
