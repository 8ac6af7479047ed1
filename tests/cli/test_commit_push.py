"""`commit --push`: the branch at a remote, over real Git transports."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.artifacts.git.backend import git_backend
from tests.cli.branches import BRANCH, LOCK, commit, content, done, edit_and_commit, own_identity, put
from tests.cli.team import write_team
from tests.running import run
from tests.servers import serving
from tests.source.git_repositories import ENVIRONMENT, git

pytestmark = pytest.mark.server


@pytest.fixture(scope="module", autouse=True)
def identity() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        own_identity(patch)
        yield


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """A bare repository with the sources on `main`."""
    folder = write_team(tmp_path / "start")
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "start")
    git(tmp_path, "clone", "--quiet", "--bare", str(folder), "remote.git")
    return tmp_path / "remote.git"


def clone(remote: Path, name: str, *options: str) -> Path:
    git(remote.parent, "clone", "--quiet", *options, remote.as_uri(), name)
    return remote.parent / name


def at(folder: Path, branch: str = BRANCH) -> str | None:
    """The commit at a branch of a repository; None where there is none."""
    return git(folder, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}") or None


def test_the_branch_is_made_at_the_remote_and_here(remote: Path) -> None:
    here = clone(remote, "here")
    found = done(here, "--push")
    assert found["new"] == at(remote) == at(here)
    assert (found["old"], found["pushed"]) == (None, "origin")
    again = done(here, "--push")
    assert (again["new"], again["pushed"], again["changed"]) == (found["new"], None, [])


def test_a_remote_ahead_of_here_is_gone_on_from(remote: Path) -> None:
    one, two = clone(remote, "one"), clone(remote, "two")
    done(one, "--push")
    assert done(two, "--push")["changed"] == []  # which has no such branch yet
    edit_and_commit(two, "You lead.", "You lead them.")
    second = done(two, "--push")["new"]
    edit_and_commit(one, "You are the critic.", "You doubt.", "critic.yaml")
    third = done(one, "--push")
    assert third["old"] == second
    assert at(remote) == at(one) == third["new"]


def test_commits_that_are_only_here_are_pushed_with_the_next(remote: Path) -> None:
    here = clone(remote, "here")
    first = done(here)["new"]
    assert at(remote) is None
    found = done(here, "--push")
    assert (found["changed"], found["pushed"], at(remote)) == ([], "origin", first)


def test_branches_that_went_apart_are_told_and_nothing_moves(remote: Path) -> None:
    one, two = clone(remote, "one"), clone(remote, "two")
    mine = done(one)["new"]
    edit_and_commit(two, "You lead.", "You lead them.")
    theirs = done(two, "--push")["new"]
    found = commit(one, "--push")
    assert (found.status, at(one), at(remote)) == (2, mine, theirs)
    assert f"git branch --delete --force {BRANCH}" in found.err
    git(one, "branch", "--delete", "--force", BRANCH)
    assert done(one, "--push")["old"] == theirs


def test_a_lost_race_at_the_remote_is_rendered_again_on_what_came_first(
    remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kagent_render.publication.remote import RemoteBranch

    one, two = clone(remote, "one"), clone(remote, "two")
    done(one, "--push")
    done(two, "--push")
    edit_and_commit(one, "You are the critic.", "You doubt.", "critic.yaml")
    edit_and_commit(two, "You are the helper.", "You help.", "helper.yaml")
    push = RemoteBranch.push
    raced: list[str] = []

    def push_second(branch: RemoteBranch, new: str, old: str | None) -> None:
        if not raced:
            raced.append(new)
            raced.append(put(one, {"theirs": b"theirs"}))
            git(one, "push", "--quiet", "origin", BRANCH)
        push(branch, new, old)

    monkeypatch.setattr(RemoteBranch, "push", push_second)
    found = done(two, "--push")
    assert found["old"] == raced[1] != found["new"] == at(remote) == at(two)
    assert content(remote, "theirs") == "theirs"
    assert git(remote, "merge-base", "--is-ancestor", raced[1], BRANCH) == ""


def _hook(remote: Path, name: str, text: str) -> None:
    (remote / "hooks").mkdir(exist_ok=True)
    hook = remote / "hooks" / name
    hook.write_text(f"#!/bin/sh\n{text}\n")
    hook.chmod(0o755)


def test_a_protected_branch_is_one_clear_error_and_the_branch_here_stays(remote: Path) -> None:
    here = clone(remote, "here")
    first = done(here, "--push")["new"]
    edit_and_commit(here, "You lead.", "You lead them.")
    said = r"printf 'protected \033[31m::error::x https://u:secret@example.com/\n' >&2; exit 1"
    _hook(remote, "pre-receive", said)
    found = run("commit", "--branch", BRANCH, "--push", cwd=here)
    assert found.status == 2
    assert f"`origin` does not take `{BRANCH}`" in found.err
    assert "\n  git: [remote rejected] (pre-receive hook declined)\n" in found.err
    assert "hint: the branch here is where it was" in found.err
    assert "secret" not in found.err
    assert "\x1b" not in found.err
    assert not any(line.startswith("::") for line in found.err.splitlines())
    assert at(here) == at(remote) == first
    (remote / "hooks" / "pre-receive").unlink()
    assert done(here, "--push")["old"] == first


def test_an_update_hook_that_refuses_every_time_is_no_race(remote: Path) -> None:
    here = clone(remote, "here")
    _hook(remote, "update", "exit 1")
    found = commit(here, "--push")
    assert (found.status, "hook declined" in found.err, at(here)) == (2, True, None)


def test_the_own_pre_push_hook_has_a_word(remote: Path) -> None:
    here = clone(remote, "here")
    _hook(here / ".git", "pre-push", "echo not today >&2; exit 1")
    found = commit(here, "--push")
    assert (found.status, "not today" in found.err, at(remote), at(here)) == (2, True, None, None)


@pytest.mark.parametrize("branch", [BRANCH, "releases/agents"])
def test_a_shallow_clone_goes_on_from_the_tip_of_the_remote(remote: Path, branch: str) -> None:
    done(clone(remote, "full"), "--push", branch=branch)
    edited = clone(remote, "edited")
    edit_and_commit(edited, "You lead.", "You lead them.")
    git(edited, "push", "--quiet", "origin", "main")
    shallow = clone(remote, "shallow", "--depth=1", "--single-branch")
    before = at(remote, branch)
    found = done(shallow, "--push", branch=branch)
    assert (found["old"], at(remote, branch)) == (before, found["new"])
    assert len(git(remote, "log", "--format=%H", branch).split()) == 2
    git(remote, "fsck", "--strict")
    edit_and_commit(edited, "You lead them.", "You lead all.")
    done(edited, "--push", branch=branch)
    git(edited, "push", "--quiet", "origin", "main")
    git(shallow, "pull", "--quiet")
    assert done(shallow, "--push", branch=branch)["changed"] == []
    assert at(shallow, branch) == at(remote, branch)


def test_the_remote_is_the_one_that_git_is_configured_to_push_to(remote: Path) -> None:
    here = clone(remote, "here")
    git(remote.parent, "init", "--quiet", "--bare", "deploy.git")
    git(here, "remote", "add", "fleet", str(remote.parent / "deploy.git"))
    git(here, "config", f"branch.{BRANCH}.remote", "fleet")
    assert done(here, "--push")["pushed"] == "fleet"
    assert at(remote) is None
    assert done(here, "--push", "origin")["pushed"] == "origin"
    address = (remote.parent / "deploy.git").as_uri()
    assert done(here, f"--push={address}")["pushed"] is None


@pytest.mark.parametrize("name", ["nowhere", "--upload-pack=touch x", ".."])
def test_what_is_no_remote_is_refused(remote: Path, name: str) -> None:
    here = clone(remote, "here")
    git(here, "config", f"branch.{BRANCH}.remote", name)
    found = commit(here, "--push")
    assert (found.status, "there is no remote" in found.err) == (2, True), found.err


@pytest.mark.parametrize("password", ["secret", "it's secret", 'a"secret', "@secret@"])
def test_a_remote_that_cannot_be_reached_is_told_without_credentials(remote: Path, password: str) -> None:
    here = clone(remote, "here")
    address = f"http://user:{password}@127.0.0.1:1/x.git"
    git(here, "remote", "set-url", "origin", address)
    for arguments in (["--push"], [f"--push={address}"]):
        found = commit(here, *arguments)
        assert found.status == 2
        assert "cannot be asked for" in found.err
        assert "secret" not in found.err + found.out
        assert at(here) is None


def test_a_push_over_http_from_a_shallow_clone(remote: Path) -> None:
    git(remote, "config", "http.receivepack", "true")
    with serving(git_backend(remote.parent, pusher="user")) as server:
        here = remote.parent / "here"
        git(remote.parent, "clone", "--quiet", "--depth=1", f"{server.url}/remote.git", str(here))
        first = done(here, "--push")["new"]
        edit_and_commit(here, "You lead.", "You lead them.")
        second = done(here, "--push")
    assert (second["old"], second["new"]) == (first, at(remote))
    assert "You lead them." in content(remote, LOCK)


def test_many_clones_that_push_at_once_all_get_there(remote: Path) -> None:
    """Each renders its own commit; every one is an ancestor of what is left in the end."""
    import sys

    clones = []
    for number in range(4):
        folder = clone(remote, f"clone-{number}")
        edit_and_commit(folder, "You are the helper.", f"You help {number}.", "helper.yaml")
        clones.append(folder)
    environment = {**os.environ, **ENVIRONMENT}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "kagent_render", "commit", "--branch", BRANCH, "--push"],
            cwd=folder, env=environment, stderr=subprocess.PIPE, text=True,
        )
        for folder in clones
    ]  # fmt: skip
    for process in started:
        _, told = process.communicate(timeout=120)
        assert process.returncode == 0, told
    for folder in clones:
        tip = at(folder)
        assert tip is not None
        git(remote, "merge-base", "--is-ancestor", tip, BRANCH)
    assert len(git(remote, "log", "--format=%H", BRANCH).split()) == len(clones)
    git(remote, "fsck", "--strict", "--no-dangling")


def test_a_clone_that_borrows_objects_is_written_by_itself(remote: Path) -> None:
    lender = clone(remote, "lender")
    done(lender, "--push")
    borrower = clone(remote, "borrower", "--reference", str(lender))
    edit_and_commit(borrower, "You lead.", "You lead them.")
    before = sorted(path.name for path in (lender / ".git" / "objects").rglob("*"))
    done(borrower, "--push")
    assert sorted(path.name for path in (lender / ".git" / "objects").rglob("*")) == before
    shutil.copytree(remote, remote.parent / "copy.git")
    git(remote.parent / "copy.git", "fsck", "--strict", "--no-dangling")
