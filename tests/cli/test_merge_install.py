"""`merge --install`, and calls of `merge` that make no sense."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.branches import own_identity
from tests.cli.team import CONFIG
from tests.running import Run, run, tree
from tests.source.git_repositories import git


@pytest.fixture(scope="module", autouse=True)
def identity() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        own_identity(patch)
        yield


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    (folder / "teams" / "a").mkdir(parents=True)
    (folder / "kagent-render.yaml").write_text(CONFIG)
    (folder / "teams" / "a" / "kagent-render.yaml").write_text(CONFIG + "  output: out\n")
    git(folder, "init", "--quiet", "--template=", ".")
    return folder


def install(folder: Path) -> Run:
    done = run("merge", "--install", cwd=folder)
    assert done.status == 0, done.err
    return done


def test_configuration_attributes_and_hook_are_this_clones_own(clone: Path) -> None:
    assert install(clone).out == ""
    local = git(clone, "config", "--local", "--get-regexp", "^merge[.]kagent-render[.]")
    assert "merge.kagent-render.driver kagent-render merge %O %A %B %P %S %X %Y" in local.splitlines()
    attributes = (clone / ".git" / "info" / "attributes").read_text()
    assert "/rendered/**/kustomization.yaml" in attributes
    assert "/teams/a/out/**/kustomization.yaml" in attributes
    hook = clone / ".git" / "hooks" / "pre-merge-commit"
    assert os.access(hook, os.X_OK)
    assert hook.read_text().endswith("exec kagent-render merge --hook\n")


def test_installing_again_changes_nothing(clone: Path) -> None:
    install(clone)
    before = tree(clone)
    assert install(clone).err == ""
    assert tree(clone) == before


def test_what_somebody_set_up_stays_and_is_told(clone: Path) -> None:
    hook = clone / ".git" / "hooks" / "pre-merge-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nmine\n")
    git(clone, "config", "merge.kagent-render.driver", "my-own %A")
    told = install(clone).err
    assert "kept merge.kagent-render.driver = my-own %A" in told
    assert "let .git/hooks/pre-merge-commit run: kagent-render merge --hook" in told
    assert hook.read_text() == "#!/bin/sh\nmine\n"
    assert git(clone, "config", "merge.kagent-render.driver") == "my-own %A"


def test_hooks_that_are_kept_elsewhere_are_not_written(clone: Path, tmp_path: Path) -> None:
    git(clone, "config", "core.hooksPath", str(tmp_path / "shared"))
    assert "let ../shared/pre-merge-commit run" in install(clone).err
    assert not (tmp_path / "shared").exists()


def test_a_link_in_the_place_of_the_hook_is_not_followed(clone: Path, tmp_path: Path) -> None:
    hook = clone / ".git" / "hooks" / "pre-merge-commit"
    hook.parent.mkdir()
    hook.symlink_to(tmp_path / "elsewhere")
    install(clone)
    assert not (tmp_path / "elsewhere").exists()


def test_outside_of_git_there_is_nothing_to_install(tmp_path: Path) -> None:
    done = run("merge", "--install", cwd=tmp_path)
    assert (done.status, "no Git work tree" in done.err) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [[], ["a"], ["a", "b", "c"], ["a", "b", "c", "d", "e"], ["--install", "--finish"], ["--hook", *"abcd"]],
)
def test_a_call_that_makes_no_sense_is_refused(clone: Path, arguments: list[str]) -> None:
    assert run("merge", *arguments, cwd=clone).status == 2


def test_a_side_that_cannot_be_read_is_told(clone: Path) -> None:
    done = run("merge", "no", "such", "files", "rendered/kustomization.yaml", cwd=clone)
    assert (done.status, "cannot be read" in done.err) == (2, True)
