from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.action.workplace import Job, open_job
from tests.cli.team import edit, write_team
from tests.running import run
from tests.source.git_repositories import git


@pytest.fixture(scope="session")
def pull_request(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of GitHub's test merge of a pull request; its parents are `main` and `topic`."""
    folder = write_team(tmp_path_factory.mktemp("pull") / "repository")
    assert run("render", cwd=folder).status == 0
    git(folder, "init", "--quiet", "--initial-branch=start", ".")
    commit(folder, "start")
    git(folder, "checkout", "--quiet", "-b", "main", "start")
    commit(folder, "main")
    git(folder, "checkout", "--quiet", "-b", "topic", "start")
    edit(folder / "critic.yaml", "You are the critic.", "You are `$(id)`.")
    assert run("render", cwd=folder).status == 0
    commit(folder, "topic")
    merge(folder)
    return folder


def merge(folder: Path) -> None:
    """Check out what GitHub makes of the two branches for a test."""
    git(folder, "checkout", "--quiet", "--detach", "main")
    git(folder, "merge", "--quiet", "--no-edit", "topic")


def widen(job: Job) -> None:
    """Let the pull request widen what an agent may do."""
    folder = job.checkout
    git(folder, "checkout", "--quiet", "topic")
    edit(folder / "lead.yaml", "[find, open]", "[find, open, write]")
    assert run("render", cwd=folder).status == 0
    commit(folder, "wider")
    merge(folder)
    job.inputs["HEAD_COMMIT"] = git(folder, "rev-parse", "topic")


def commit(folder: Path, name: str) -> None:
    (folder / f"{name}.txt").write_text("unrelated\n")
    git(folder, "add", "--all", ".")
    git(folder, "commit", "--quiet", "--message", name)


@pytest.fixture
def job(pull_request: Path, tmp_path: Path) -> Job:
    """A job in a checkout of its own."""
    checkout = shutil.copytree(pull_request, tmp_path / "checkout")
    return open_job(tmp_path / "job", checkout)
