from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.platform import AGENT_FILES, write_platform
from tests.cli.team import edit, write_team
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


@pytest.fixture(scope="session")
def rendered_platform(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of `platform`, rendered once; tests copy it."""
    folder = write_platform(tmp_path_factory.mktemp("rendered") / "platform")
    done = run("render", "--offline", cwd=folder)
    assert done.status == 0, done.err
    return folder


@pytest.fixture
def platform(rendered_platform: Path, tmp_path: Path) -> Path:
    """A rendered root with PlatformAgents alone, outside of any Git repository."""
    return shutil.copytree(rendered_platform, tmp_path / "platform")


@pytest.fixture
def mixed(team: Path) -> Path:
    """A rendered root with pairs and PlatformAgents."""
    for name, text in AGENT_FILES.items():
        (team / name).write_text(text)
    edit(team / "kagent-render.yaml", "spec:\n", 'spec:\n  kubeVersion: "1.35"\n')
    done = run("render", "--offline", cwd=team)
    assert done.status == 0, done.err
    return team
