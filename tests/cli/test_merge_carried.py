"""Merges of pairs that ConfigMaps carry, by the real Git, with the driver and without it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.cli.branches import own_identity
from tests.cli.team import PAIR_FOLDER, actor_templates, edit, of_ateapi, write_team
from tests.cli.test_merge import (
    DESCRIPTION,
    PROMPT,
    TOOLS,
    Edit,
    add,
    attempt,
    finish,
    fork,
    is_current,
    lead,
    start,
)
from tests.parts import REPOSITORY, program
from tests.running import run
from tests.source.git_repositories import ENVIRONMENT, git

pytestmark = pytest.mark.server

VARIABLE = lead("You lead.", "You lead ${TEAM}.")


@pytest.fixture(scope="module", autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Git's own environment, this program on PATH for the driver and the hook."""
    folder = tmp_path_factory.mktemp("bin")
    own = folder / "kagent-render"
    own.write_text(f'#!/bin/sh\nPYTHONPATH={REPOSITORY} exec {sys.executable} -m kagent_render "$@"\n')
    own.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENVIRONMENT, "PATH", f"{folder}:{ENVIRONMENT['PATH']}")
        own_identity(patch)
        patch.setitem(ENVIRONMENT, "GIT_EDITOR", ":")
        yield


@pytest.fixture(scope="module", params=[True, False], ids=["driver", "plain"])
def started(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return start(of_ateapi(write_team(tmp_path_factory.mktemp("merge") / "team")), merging=request.param)


@pytest.fixture
def team(started: Path, tmp_path: Path) -> Path:
    return shutil.copytree(started, tmp_path / "team", symlinks=True)


def carried(folder: Path) -> set[str]:
    """The ActorTemplates in the pair's ConfigMap, as kustomize makes it."""
    command = [program("kubectl"), "kustomize", str(folder / PAIR_FOLDER)]
    made = yaml.load(subprocess.run(command, capture_output=True, check=True).stdout, yaml.CSafeLoader)
    return {key.removesuffix(".yaml") for key in made["data"]} - {"revision.lock"}


@pytest.mark.parametrize("theirs", [PROMPT, VARIABLE, DESCRIPTION], ids=["prompt", "variable", "description"])
def test_edits_of_one_pair_end_current_with_what_both_sides_need(team: Path, theirs: Edit) -> None:
    fork(team, TOOLS, theirs)
    status, _ = attempt(team, "merge", "--no-edit", "topic")
    assert status == 1  # the driver's hook has staged what is to be committed, or there are conflicts
    finish(team)
    git(team, "commit", "--quiet", "--no-edit")
    assert is_current(team)
    assert carried(team) == actor_templates(team)


def test_different_pairs_merge_to_what_kustomize_builds(team: Path) -> None:
    fork(team, add("alpha"), add("omega"))
    status, told = attempt(team, "merge", "--quiet", "--no-edit", "topic")
    assert status == 0, told
    command = [program("kubectl"), "kustomize", str(team / "rendered")]
    built = subprocess.run(command, capture_output=True, check=True).stdout
    assert (
        len(list(yaml.load_all(built, yaml.CSafeLoader))) == len(list(team.rglob("revision.lock.yaml"))) == 5
    )
    assert run("render", "--offline", cwd=team).status == 0
    assert git(team, "diff", "--name-only") in ("", "rendered/team/kustomization.yaml")


def test_a_kustomization_that_one_side_edited_by_hand_is_never_merged_silently(team: Path) -> None:
    path = f"{PAIR_FOLDER}/kustomization.yaml"

    def by_hand(folder: Path) -> None:
        PROMPT(folder)
        assert run("render", "--offline", cwd=folder).status == 0
        edit(folder / path, "  files:\n", "  literals: [a=b]\n  files:\n")

    git(team, "checkout", "--quiet", "-b", "topic")
    by_hand(team)
    git(team, "add", "--all", ".")
    git(team, "commit", "--quiet", "--message", "theirs")
    git(team, "checkout", "--quiet", "main")
    TOOLS(team)
    assert run("render", "--offline", cwd=team).status == 0
    git(team, "add", "--all", ".")
    git(team, "commit", "--quiet", "--message", "ours")
    assert attempt(team, "merge", "--no-edit", "topic")[0] == 1
    finish(team)
    git(team, "commit", "--quiet", "--no-edit")
    assert is_current(team)
    assert "literals" not in (team / path).read_text()
