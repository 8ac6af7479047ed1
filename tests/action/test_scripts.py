"""The steps of the action, run by bash with real Git as a runner runs them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.action.conftest import widen
from tests.action.workplace import ACTION, Job
from tests.cli.team import edit
from tests.source.git_repositories import git

pytestmark = pytest.mark.process

COMMENTS = "repos/owner/repository/issues"
BOT = "github-actions[bot]"


def comment(number: int, body: str, author: str = BOT) -> dict[str, Any]:
    return {"id": number, "user": {"login": author}, "body": body}


def marker(job: Job) -> str:
    """The line by which the comment of the job's path is found again."""
    job.run("review")
    return job.body.splitlines()[0]


def method(call: list[str]) -> str:
    return call[call.index("--method") + 1] if "--method" in call else "GET"


def test_a_clean_repository_has_no_annotation_and_a_summary(job: Job) -> None:
    done = job.run("check")
    assert done.returncode == 0
    assert "::error" not in done.stdout
    assert "3 pairs current" in job.summary
    assert json.loads(Path(job.outputs["sarif"]).read_text())["version"] == "2.1.0"


def test_a_stale_lock_is_annotated_and_fails(job: Job) -> None:
    edit(job.checkout / "lead.yaml", "You lead.", "You decide.")
    done = job.run("check")
    assert done.returncode == 1
    assert "::error file=lead.yaml,line=12,col=3,title=LockStale" in done.stdout
    assert "`LockStale`" in job.summary
    assert "LockStale" in Path(job.outputs["sarif"]).read_text()


def test_strict_is_an_input(job: Job) -> None:
    assert job.run("check", INPUT_STRICT="true").returncode == 1


@pytest.mark.parametrize(
    "path", ["$(touch injected)", "`touch injected`", "--help", "a; touch injected", "-o"]
)
def test_a_path_is_a_path_and_nothing_else(job: Job, path: str) -> None:
    assert job.run("check", INPUT_PATH=path).returncode == 2
    (job.checkout / path).mkdir(parents=True)
    done = job.run("check", INPUT_PATH=path)
    assert done.returncode == 0, done.stderr
    assert not (job.checkout / "injected").exists()


def test_wrong_usage_has_no_sarif_file_to_upload(job: Job) -> None:
    assert job.run("check", INPUT_PATH="nowhere").returncode == 2
    assert job.outputs == {}


def test_a_pull_request_is_compared_with_the_branch_that_it_is_for(job: Job) -> None:
    assert job.run("review").returncode == 0
    assert job.diffs == [
        [
            "diff",
            "--offline",
            "--path",
            ".",
            "--output",
            "markdown",
            "--max-size",
            "65000",
            "--exit-code",
            "--",
            "HEAD^1",
            "HEAD",
        ]
    ]
    assert "2 pairs change and widen nothing" in job.summary
    assert job.outputs["changed"] == "true"


def test_the_head_of_a_branch_is_compared_with_where_it_began(job: Job) -> None:
    base = git(job.checkout, "rev-parse", "main")
    git(job.checkout, "checkout", "--quiet", "topic")
    assert job.run("review", BASE_COMMIT=base).returncode == 0
    assert job.diffs[0][-2:] == [git(job.checkout, "rev-parse", "start"), "HEAD"]


def test_a_merge_at_the_head_of_a_branch_is_no_test_merge(job: Job) -> None:
    git(job.checkout, "checkout", "--quiet", "topic")
    git(job.checkout, "merge", "--quiet", "--no-edit", "main")
    job.inputs["HEAD_COMMIT"] = git(job.checkout, "rev-parse", "HEAD")
    assert job.run("review", BASE_COMMIT=git(job.checkout, "rev-parse", "main")).returncode == 0
    assert job.diffs[0][-2:] == [git(job.checkout, "rev-parse", "main"), "HEAD"]
    assert job.outputs["changed"] == "true"


def test_without_that_much_history_it_is_compared_with_the_base_of_the_event(job: Job) -> None:
    git(job.checkout, "checkout", "--quiet", "topic")
    unrelated = git(job.checkout, "commit-tree", "-m", "unrelated", "HEAD^{tree}")
    assert job.run("review", BASE_COMMIT=unrelated).returncode == 0
    assert job.diffs[0][-2:] == [unrelated, "HEAD"]


def test_a_base_of_one_s_own_wins(job: Job) -> None:
    assert job.run("review", INPUT_BASE="start").returncode == 0
    assert job.diffs[0][-2:] == ["start", "HEAD"]


def test_a_base_that_was_not_checked_out_is_told_with_the_fix(job: Job, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{job.checkout}", "shallow")
    shallow = Job(job.folder, tmp_path / "shallow", job.inputs)
    done = shallow.run("review", BASE_COMMIT="f" * 40)
    assert done.returncode == 2
    assert done.stdout.startswith("::error::")
    assert "fetch-depth: 2" in done.stdout
    assert shallow.calls == []


def test_a_comparison_that_fails_fails_the_step(job: Job) -> None:
    job.fails(2)
    assert job.run("review").returncode == 2
    assert job.calls == []


def test_the_first_comment_is_written_from_a_file(job: Job) -> None:
    assert job.run("review").returncode == 0
    assert [method(call) for call in job.calls] == ["GET", "POST"]
    assert f"{COMMENTS}/7/comments" in job.calls[1]
    assert job.body.startswith("<!-- kagent-render ")
    assert "+You are `$(id)`." in job.body
    assert job.body.endswith(job.summary)


def test_the_same_comment_is_edited_from_then_on(job: Job) -> None:
    body = f"{marker(job)}\nold"
    job.comment([comment(n, "another") for n in range(100)], [comment(200, body), comment(201, body)])
    assert job.run("review").returncode == 0
    assert method(job.calls[-1]) == "PATCH"
    assert f"{COMMENTS}/comments/200" in job.calls[-1]


@pytest.mark.parametrize("author", ["octocat", "github-actions", "another[bot]"])
def test_a_comment_of_somebody_else_is_left_alone(job: Job, author: str) -> None:
    job.comment([comment(1, f"{marker(job)}\nold", author), comment(2, f"> {marker(job)}")])
    assert job.run("review").returncode == 0
    assert method(job.calls[-1]) == "POST"


def test_each_path_has_a_comment_of_its_own(job: Job) -> None:
    first = marker(job)
    job.inputs["INPUT_PATH"] = "teams/search"
    assert marker(job) != first


def test_without_a_change_no_comment_is_begun_and_an_old_one_is_edited(job: Job) -> None:
    mark = marker(job)
    job.inputs["INPUT_BASE"] = "HEAD"
    before = len(job.calls)
    assert job.run("review").returncode == 0
    assert [method(call) for call in job.calls[before:]] == ["GET"]
    assert job.outputs["changed"] == "false"
    job.comment([comment(3, mark)])
    assert job.run("review").returncode == 0
    assert method(job.calls[-1]) == "PATCH"
    assert "No agent changed" in job.body


@pytest.mark.parametrize("refused", [f"{COMMENTS}/7/comments?per_page=100", "POST"])
def test_a_token_that_may_not_write_leaves_it_at_the_summary(job: Job, refused: str) -> None:
    done = job.run("review", GH_REFUSES=refused)
    assert done.returncode == 0
    assert done.stdout.startswith("::notice::the token may not ")
    assert "2 pairs change and widen nothing" in job.summary
    assert "403" not in done.stdout + done.stderr


def test_a_comment_is_an_input(job: Job) -> None:
    assert job.run("review", INPUT_COMMENT="false").returncode == 0
    assert job.calls == []


@pytest.mark.parametrize("status", [0, 1])
def test_what_must_not_happen_fails_after_it_was_told(job: Job, status: int) -> None:
    if status:
        widen(job)
    done = job.run("review", INPUT_FAIL_ON="widening")
    assert done.returncode == status
    assert job.diffs[1][-5:] == ["--fail-on", "widening", "--", "HEAD^1", "HEAD"]
    assert method(job.calls[-1]) == "POST"
    assert ("::error::" in done.stdout) == bool(status)


@pytest.mark.parametrize("script", ["install", "check", "review", "comment"])
def test_a_script_parses_and_can_be_run(script: str) -> None:
    path = ACTION / script
    assert path.stat().st_mode & 0o111
    assert subprocess.run(["bash", "-n", str(path)], capture_output=True).returncode == 0


HOSTILE_MODULES = (
    "venv",
    "pip",
    "ensurepip",
    "json",
    "site",
    "sitecustomize",
    "click",
    "kagent_render",
    "yaml",
)


def test_installing_runs_nothing_of_the_repository_under_review(job: Job, tmp_path: Path) -> None:
    for name in HOSTILE_MODULES:
        (job.checkout / f"{name}.py").write_text("raise SystemExit('hostile')\n")
    path = tmp_path / "path"
    done = job.run("install", GITHUB_PATH=str(path), PYTHONPATH="", **_pip_settings())
    assert done.returncode == 0, done.stdout + done.stderr
    folder = Path(path.read_text().strip())
    assert [entry.name for entry in folder.iterdir()] == ["kagent-render"]
    found = subprocess.run(
        [str(folder / "kagent-render"), "check", "--frozen"],
        cwd=job.checkout,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr


def _pip_settings() -> dict[str, str]:
    """Where this machine has its packages from."""
    import os

    names = ("HOME", "HTTPS_PROXY", "https_proxy", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
    return {name: value for name, value in os.environ.items() if name.startswith("PIP_") or name in names}
