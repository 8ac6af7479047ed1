"""Repositories whose output is on a branch of its own, for tests of `commit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.team import PAIR_FOLDER, edit
from tests.running import Run, run
from tests.source.git_repositories import ENVIRONMENT, git

BRANCH = "deploy"
RECORD = ".kagent/rendered-from/team/runtime/lead.yaml"
LOCK = f"{PAIR_FOLDER}/revision.lock.yaml"


def own_identity(patch: pytest.MonkeyPatch) -> None:
    """Git's environment of the tests: an identity, a time, and no configuration of the machine."""
    for name, value in ENVIRONMENT.items():
        patch.setenv(name, value)


def commit(folder: Path, *args: str, branch: str = BRANCH) -> Run:
    """Commit without a network where nothing is pushed, with JSON output."""
    offline = () if any(argument.startswith("--push") for argument in args) else ("--offline",)
    return run("commit", "--branch", branch, "-o", "json", *offline, *args, cwd=folder)


def done(folder: Path, *args: str, branch: str = BRANCH) -> Any:
    """What a commit that has to succeed printed."""
    found = commit(folder, *args, branch=branch)
    assert found.status == 0, found.err + found.out
    return found.json


def listed(folder: Path, revision: str = BRANCH) -> list[str]:
    """Every path of a revision."""
    return git(folder, "ls-tree", "-r", "--name-only", "-z", revision).rstrip("\0").split("\0")


def content(folder: Path, path: str, revision: str = BRANCH) -> str:
    """A file of a revision."""
    return git(folder, "show", f"{revision}:{path}")


def edit_and_commit(folder: Path, old: str, new: str, path: str = "lead.yaml") -> str:
    """Replace a text in a source, commit it, and give the commit's id."""
    edit(folder / path, old, new)
    git(folder, "commit", "--quiet", "--all", "--message", f"{old} to {new}")
    return git(folder, "rev-parse", "HEAD")


def put(folder: Path, files: dict[str, bytes], branch: str = BRANCH) -> str:
    """Commit files of other people to the branch, past the work tree."""
    folder = folder.resolve()
    other = folder.parent / f"{folder.name}-other"
    git(folder, "worktree", "add", "--quiet", str(other), branch)
    for path, data in files.items():
        (other / path).parent.mkdir(parents=True, exist_ok=True)
        (other / path).write_bytes(data)
    git(other, "add", "--all", "--force", ".")
    git(other, "commit", "--quiet", "--message", "other people's")
    found = git(other, "rev-parse", "HEAD")
    git(folder, "worktree", "remove", "--force", str(other))
    return found
