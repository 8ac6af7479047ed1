"""The pages about graphs, statements and pruning show what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import copytree

import pytest

from kagent_render.cli.graph import FORMATS
from kagent_render.provenance.statement import BUILD_TYPE, BUILDER, TREE_DIGEST
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import page, sections
from tests.parts import REPOSITORY
from tests.running import run
from tests.source.git_repositories import git

PAGES = ("graph", "watch", "provenance", "retention")


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    for name in ("incident", "plugins"):
        copytree(REPOSITORY / "examples" / name, tmp_path / "examples" / name)
    return tmp_path


@pytest.mark.parametrize(("name", "block"), [("graph", "graph"), ("provenance", "statement")])
def test_a_page_shows_what_its_commands_print(examples: Path, name: str, block: str) -> None:
    steps = list(commands(page(f"docs/{name}.md"), block))
    assert steps
    for command, output in steps:
        status, real = execute(command, examples)
        assert status == 0
        assert agrees(output, real), real


def test_the_page_of_pruning_shows_what_happens(tmp_path: Path) -> None:
    run("init", ".", cwd=tmp_path)
    run("render", cwd=tmp_path)
    git(tmp_path, "init", "--quiet", ".")
    for model in ("gpt-5-mini", "gpt-5"):
        path = tmp_path / "agents/assistant.yaml"
        path.write_text(re.sub("model: .*", f"model: {model}", path.read_text()))
        run("render", cwd=tmp_path)
        git(tmp_path, "add", "--all")
        git(tmp_path, "commit", "--quiet", "--message", model)
    for command, output in commands(page("docs/retention.md"), "prune"):
        status, real = execute(command, tmp_path)
        assert status == 0
        assert agrees(output, real), real


def test_every_format_of_graph_has_a_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", sections(page("docs/graph.md"), 2)["Formats"], re.MULTILINE)
    assert tuple(rows) == FORMATS


def test_the_page_names_what_a_statement_holds(examples: Path) -> None:
    text = page("docs/provenance.md")
    assert all(f"`{name}`" in text for name in (BUILD_TYPE, BUILDER, TREE_DIGEST))
    done = run("verify", "--offline", "--statement", "-", "examples/incident", cwd=examples)
    definition = json.loads(done.out)["predicate"]["buildDefinition"]
    fields = re.findall(r"^\| `([\w.\[\]]+)` \|", text, re.MULTILINE)
    assert {f"buildDefinition.{name}" for name in definition} <= {
        field.removesuffix(".roots[]") for field in fields
    }
    for root in definition["externalParameters"]["roots"]:
        assert all(f"`{name}`" in text for name in root if name != "config")


@pytest.mark.parametrize("name", PAGES)
def test_every_flag_that_a_page_names_is_one_of_its_command(name: str) -> None:
    command = {"provenance": "verify", "retention": "prune"}.get(name, name)
    shown = run(command, "--help", cwd=REPOSITORY).out
    prose = re.sub(r"```.*?```", "", page(f"docs/{name}.md"), flags=re.DOTALL)
    flags = set(re.findall(r"`(--[a-z-]+)", prose))
    assert flags
    assert {flag for flag in flags if flag not in shown} == set()
