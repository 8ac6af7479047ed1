"""What `docs/adopting.md` offers works today: its hook, its job, several teams in one root."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.markdown import blocks, page, sections
from tests.running import Run, run
from tests.source.git_repositories import git

_PAGE = page("docs/adopting.md")


def _file(path: str) -> Any:
    (text,) = (block.text for block in blocks(_PAGE, "yaml") if block.path == path)
    return yaml.safe_load(text)


def _edit(root: Path) -> None:
    template = root / "agents" / "assistant.yaml"
    template.write_text(template.read_text().replace("gpt-5-mini", "gpt-5"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with everything committed, after an edit that was rendered and not added."""
    root = tmp_path / "repository"
    assert run("init", str(root), cwd=tmp_path).status == 0
    assert run("render", cwd=root).status == 0
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "start")
    _edit(root)
    assert run("render", cwd=root).status == 0
    return root


def _hook(root: Path) -> Run:
    (wanted,) = _file(".pre-commit-config.yaml")["repos"][0]["hooks"]
    (hook,) = (hook for hook in yaml.safe_load(page(".pre-commit-hooks.yaml")) if hook["id"] == wanted["id"])
    program, *arguments = hook["entry"].split()
    assert program == "kagent-render"
    return run(*arguments, "--output", "json", cwd=root)


def test_the_hook_passes_once_the_output_is_added(root: Path) -> None:
    (add,) = re.findall(r"^\$ git (add .+)$", _PAGE, re.MULTILINE)
    git(root, *add.split())
    assert _hook(root).status == 0


def test_the_hook_refuses_a_commit_of_tracked_files_alone(root: Path) -> None:
    git(root, "add", "--update")
    done = _hook(root)
    assert done.status == 1
    assert len(done.json["unstaged"]) == 1
    found = run("check", "--staged", "--output", "json", cwd=root).faults
    assert [fault["reason"] for fault in found] == ["OutputDrift"]
    assert "`OutputDrift`" in sections(_PAGE, 2)["Commit what render writes"]


def test_the_command_of_the_job_passes_in_a_checkout_of_one_commit(root: Path, tmp_path: Path) -> None:
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "edit")
    git(tmp_path, "clone", "--quiet", "--depth=1", root.as_uri(), "checkout")
    (command,) = re.findall(r"It runs `kagent-render (.+?)`", _PAGE)
    assert run(*command.split(), cwd=tmp_path / "checkout").status == 0


def test_each_team_has_a_folder_of_its_own(root: Path) -> None:
    for file in sorted((root / "agents").iterdir()):
        copy = file.with_name(f"search-{file.name}")
        copy.write_text(file.read_text().replace("agent-team", "search-team"))
    assert run("render", cwd=root).status == 0
    folders = {path.name for path in (root / "rendered").iterdir() if path.is_dir()}
    assert folders == {"agent-team", "search-team"}


def test_every_value_of_the_configuration_is_told_to_be_shared_or_not() -> None:
    (readme,) = (block for block in blocks(page("README.md"), "yaml") if block.path == "kagent-render.yaml")
    values = yaml.safe_load(readme.text)["spec"]
    rows = re.findall(r"^\| (`.+?) \|", sections(_PAGE, 2)["Several teams in one root"], re.MULTILINE)
    told = {name.split(".")[0] for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    assert told == set(values)
    assert {name.split(".")[1] for row in rows for name in re.findall(r"`(substrate\.\w+)`", row)} == set(
        values["substrate"]
    )


def test_an_excerpt_is_withheld_from_a_file_with_a_secret(root: Path) -> None:
    template = root / "agents" / "assistant.yaml"
    template.write_text(template.read_text().replace("  systemPrompt:", "  sytemPrompt:"))
    assert "sytemPrompt: |" in run("check", cwd=root).err
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {namespace: agent-team, name: other}\n"
    template.write_text(template.read_text() + secret)
    told = run("check", cwd=root).err
    assert "sytemPrompt: |" not in told
    assert "agents/assistant.yaml:" in told
