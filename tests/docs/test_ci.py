"""What `docs/ci.md` offers: its hooks, its jobs and its formats are those that there are."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from kagent_render.cli.options import CI_FORMATS, FORMATS
from kagent_render.diagnostics import github, markdown, sarif
from kagent_render.diagnostics.finding import LONGEST_TEXT
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import blocks, page, sections
from tests.parts import REPOSITORY, go_program
from tests.running import run

_PAGE = page("docs/ci.md")
_HOOKS = yaml.safe_load(page(".pre-commit-hooks.yaml"))
_WORKFLOWS = [
    (name, block) for name in ("docs/ci.md", "docs/adopting.md") for block in blocks(page(name), "yaml")
]
_PINNED = re.compile(r"[\w-]+/[\w/-]+@[0-9a-f]{40}|OWNER/kagent-gitops@COMMIT")


def _text(path: str) -> str:
    (text,) = (block.text for block in blocks(_PAGE) if block.path == path)
    return text


def _workflows() -> list[Any]:
    return [
        pytest.param(block.text, id=name) for name, block in _WORKFLOWS if block.path.startswith(".github/")
    ]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with everything committed, and an edit."""
    assert run("init", ".", cwd=tmp_path).status == 0
    assert run("render", cwd=tmp_path).status == 0
    for command in ("git init --quiet", "git add .", "git commit --quiet --message start"):
        assert execute(command, tmp_path)[0] == 0
    template = tmp_path / "agents/assistant.yaml"
    template.write_text(template.read_text().replace("gpt-5-mini", "gpt-5"))
    return tmp_path


def test_the_hooks_are_those_that_are_shipped() -> None:
    (wanted,) = yaml.safe_load(_text(".pre-commit-config.yaml"))["repos"][0]["hooks"]
    shipped = [hook["id"] for hook in _HOOKS]
    assert wanted["id"] in shipped
    assert re.findall(r"^\| `(kagent-render[\w-]*)` \|", _PAGE, re.MULTILINE) == shipped


def test_a_hook_runs_at_every_commit_once_and_alone() -> None:
    for hook in _HOOKS:
        assert hook["always_run"] is True
        assert hook["pass_filenames"] is False
        assert hook["require_serial"] is True
        assert hook["language"] == "python"


@pytest.mark.parametrize(
    ("path", "matches"),
    [
        ("kagent-render.yaml", True),
        ("teams/search/kagent-render.yaml", True),
        ("agents/lead.yml", True),
        (".kagent/artifacts/abc/plugin.json", True),
        ("teams/a/.kagent/in-use/team.yaml", True),
        ("rendered/.gitattributes", True),
        ("rendered/team/runtime/lead/revision.lock.yaml", True),
        ("src/main.py", False),
        ("docs/yaml.md", False),
        ("kagent/notes.txt", False),
    ],
)
def test_the_expression_of_who_does_not_want_every_commit(path: str, matches: bool) -> None:
    for hook in _HOOKS:
        assert bool(re.search(hook["files"], path)) == matches


def test_the_first_attempt_writes_and_the_second_passes_as_shown(root: Path) -> None:
    statuses = []
    for command, output in commands(_PAGE, "hook"):
        status, real = execute(command, root)
        assert agrees(output, real), real
        statuses.append(status)
    assert statuses == [0, 1, 0, 0]
    assert [command for command, _ in commands(_PAGE, "hook")][1] == _HOOKS[0]["entry"]


def test_the_commands_of_the_hooks_are_told() -> None:
    assert f"exec {_HOOKS[0]['entry']}\n" in _text(".git/hooks/pre-commit")
    assert f"`{_HOOKS[1]['entry']}`" in _PAGE


@pytest.mark.parametrize("text", _workflows())
def test_a_workflow_gives_away_as_little_as_it_can(text: str) -> None:
    workflow = yaml.safe_load(text)
    assert "pull_request_target" not in text
    (job,) = workflow["jobs"].values()
    assert set(workflow["permissions"]) <= {"contents"}
    assert job.get("permissions", workflow["permissions"])["contents"] == "read"
    for step in job["steps"]:
        assert _PINNED.fullmatch(step["uses"])
        assert "run" not in step
    assert job["steps"][0]["with"]["persist-credentials"] is False


@pytest.mark.oracle
@pytest.mark.parametrize("text", _workflows())
def test_actionlint_finds_nothing_in_a_workflow(text: str) -> None:
    """The action is taken from this checkout, so that its inputs and outputs are looked at, too."""
    local = text.replace("OWNER/kagent-gitops@COMMIT", "./")
    assert _actionlint(local) == ""
    assert "is not defined in action" in _actionlint(
        local.replace("uses: ./", "uses: ./\n      with: {nothing: x}")
    )


def _actionlint(text: str) -> str:
    arguments = [str(go_program("reports")), "workflow", str(REPOSITORY)]
    return subprocess.run(arguments, input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("kind", ["input", "output"])
def test_every_input_and_output_of_the_action_is_told(kind: str) -> None:
    told = re.search(rf"^\| {kind} \| is \|\n\|---\|---\|\n((?:\| .+\n)+)", _PAGE, re.MULTILINE)
    assert told
    action = yaml.safe_load(page("action.yml"))
    assert re.findall(r"^\| `([\w-]+)`", told[1], re.MULTILINE) == list(action[f"{kind}s"])


def test_the_command_by_hand_annotates(root: Path) -> None:
    ((command, _),) = commands(_PAGE, "by-hand")
    status, told = execute(command, root)
    assert status == 1
    assert told.startswith("::error file=agents/assistant.yaml,")


def test_the_job_for_gitlab_writes_its_report_and_decides(root: Path) -> None:
    (job,) = yaml.safe_load(_text(".gitlab-ci.yml")).values()
    report, decision = job["script"]
    program, target = report.removesuffix(" || true").split(" > ")
    assert target == job["artifacts"]["reports"]["codequality"]
    status, told = execute(program, root)
    assert status == 1
    assert '"check_name": "LockStale"' in told
    assert execute(decision, root)[0] == 1


def test_every_format_is_told_with_its_bounds() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", sections(_PAGE, 2)["Formats"], re.MULTILINE))
    assert list(rows) == [*FORMATS, *CI_FORMATS]
    assert f"{sarif.MOST_RESULTS:,} results" in rows["sarif"]
    assert f"{github.SHOWN} errors" in rows["github"]
    assert f"{markdown.COMMENT_SIZE:,} bytes" in rows["markdown"]
    assert f"{LONGEST_TEXT:,} characters" in _PAGE
