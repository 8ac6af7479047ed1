from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.action.workplace import Job, open_job
from tests.cli.team import write_team
from tests.running import run
from tests.source.git_repositories import git


@pytest.fixture(scope="session")
def pull_request(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of GitHub's test merge of a pull request; its parents are `main` and `topic`."""
    folder = write_team(tmp_path_factory.mktemp("pull") / "repository")
    assert run("render", cwd=folder).status == 0
    git(folder, "init", "--quiet", "--initial-branch=start", ".")
    commit(folder, "start")
    for branch in ("main", "topic"):
        git(folder, "checkout", "--quiet", "-b", branch, "start")
        commit(folder, branch)
    git(folder, "checkout", "--quiet", "--detach", "main")
    git(folder, "merge", "--quiet", "--no-edit", "topic")
    return folder


def commit(folder: Path, name: str) -> None:
    (folder / f"{name}.txt").write_text("unrelated\n")
    git(folder, "add", "--all", ".")
    git(folder, "commit", "--quiet", "--message", name)


@pytest.fixture
def job(pull_request: Path, tmp_path: Path) -> Job:
    """A job in a checkout of its own."""
    checkout = shutil.copytree(pull_request, tmp_path / "checkout")
    return open_job(tmp_path / "job", checkout)
