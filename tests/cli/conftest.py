from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.team import write_team
from tests.running import copy_example, run
from tests.source.git_repositories import git


@pytest.fixture(scope="session")
def rendered_team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of `team`, rendered once; tests copy it."""
    folder = write_team(tmp_path_factory.mktemp("rendered") / "team")
    done = run("render", cwd=folder)
    assert done.status == 0, done.err
    return folder


@pytest.fixture
def team(rendered_team: Path, tmp_path: Path) -> Path:
    """A rendered root of one's own, outside of any Git repository."""
    return shutil.copytree(rendered_team, tmp_path / "team")


@pytest.fixture
def committed(team: Path) -> Path:
    """A rendered root at the top of a Git repository, all of it committed."""
    git(team, "init", "--quiet", "--initial-branch=main", ".")
    git(team, "add", "--all", "--force", ".")
    git(team, "commit", "--quiet", "--message", "start")
    return team


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    """The incident example, rendered: the one with a vendored plugin."""
    return copy_example(tmp_path / "incident")
