"""The hooks that this repository ships, run by the real pre-commit at real commits.

pre-commit builds their environment as it does for a user: from a clone of this checkout, with pip.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.cli.team import LOCK, MEMBER, PAIR_FOLDER, edit
from tests.parts import REPOSITORY, missing, program
from tests.running import tree
from tests.source.git_repositories import ENVIRONMENT, git

pytestmark = pytest.mark.server

CONFIG = """\
default_install_hook_types: [pre-commit, pre-merge-commit]
repos:
- repo: {repository}
  rev: {revision}
  hooks:
  - id: {hook}
"""
NEW_LOCK = "rendered/team/runtime/scribe/revision.lock.yaml"


@dataclass(frozen=True)
class Hooks:
    """This checkout as a repository of hooks, and the environment of everything that uses it."""

    repository: Path
    revision: str
    environment: Mapping[str, str]

    def install(self, folder: Path, hook: str) -> None:
        """Let Git call one hook at every commit in `folder`; the configuration itself is committed."""
        config = CONFIG.format(repository=self.repository, revision=self.revision, hook=hook)
        (folder / ".pre-commit-config.yaml").write_text(config)
        git(folder, "add", ".pre-commit-config.yaml")
        git(folder, "commit", "--quiet", "--message", "hooks")
        self.call(folder, program("pre-commit"), "install")

    def call(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program in `folder`; its streams are put together."""
        return subprocess.run(
            arguments,
            cwd=folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def render(self, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Render by the program that pre-commit installed."""
        return self.call(folder, self.program, "render", *arguments)

    @property
    def program(self) -> str:
        """The program that pre-commit installed."""
        (found,) = Path(self.environment["PRE_COMMIT_HOME"]).glob("repo*/py_env*/bin/kagent-render")
        return str(found)

    def commit(self, folder: Path, *arguments: str) -> tuple[bool, str]:
        """Commit, and say whether that went through, and what was told."""
        done = self.call(folder, "git", "commit", "--message", "change", *arguments)
        return done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    repository = tmp_path_factory.mktemp("hooks") / "kagent-gitops"
    repository.mkdir()
    listed = git(REPOSITORY, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, listed):
        if (REPOSITORY / name).is_file() and not name.startswith("tests/"):
            (repository / name).parent.mkdir(parents=True, exist_ok=True)
            (repository / name).write_bytes((REPOSITORY / name).read_bytes())
    git(repository, "init", "--quiet", "--initial-branch=main", ".")
    git(repository, "add", "--all", ".")
    git(repository, "commit", "--quiet", "--message", "as it is")
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        **ENVIRONMENT,
        "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit")),
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache")),
    }
    found = Hooks(repository, git(repository, "rev-parse", "HEAD"), environment)
    trial = tmp_path_factory.mktemp("trial")
    git(trial, "init", "--quiet", ".")
    text = CONFIG.format(repository=repository, revision=found.revision, hook="kagent-render-check")
    (trial / ".pre-commit-config.yaml").write_text(text)
    git(trial, "add", ".")
    done = found.call(trial, program("pre-commit"), "install-hooks")
    if done.returncode:
        missing(f"pre-commit could not build the environment of the hooks: {done.stdout[-1000:]}")
    return found


@pytest.fixture
def writing(hooks: Hooks, committed: Path) -> Path:
    hooks.install(committed, "kagent-render")
    return committed


@pytest.fixture
def checking(hooks: Hooks, committed: Path) -> Path:
    hooks.install(committed, "kagent-render-check")
    return committed


def stage_edit(folder: Path) -> None:
    edit(folder / "lead.yaml", "You lead.", "You decide.")
    git(folder, "add", "lead.yaml")


def files_at_head(folder: Path) -> set[str]:
    return set(git(folder, "ls-tree", "-r", "--name-only", "HEAD").split())


def is_current(hooks: Hooks, folder: Path) -> bool:
    """Whether HEAD is what the check of a pull request wants."""
    return hooks.call(folder, hooks.program, "check", "--rev", "HEAD", "--frozen").returncode == 0


def test_the_first_commit_writes_and_fails_and_the_second_passes(hooks: Hooks, writing: Path) -> None:
    stage_edit(writing)
    passed, told = hooks.commit(writing)
    assert not passed
    assert "3 files rewritten: git add them" in told
    assert f"  rewritten   {LOCK}" in told
    git(writing, "add", "rendered")
    assert hooks.commit(writing)[0]
    assert is_current(hooks, writing)


def test_an_edit_staged_in_part_is_committed_in_part(hooks: Hooks, writing: Path) -> None:
    stage_edit(writing)
    edit(writing / "lead.yaml", "Leads.", "Not staged.")
    assert not hooks.commit(writing)[0]
    git(writing, "add", "rendered")
    assert hooks.commit(writing)[0]
    assert "Not staged." in (writing / "lead.yaml").read_text()
    assert "Not staged." not in git(writing, "show", f"HEAD:{LOCK}")
    assert is_current(hooks, writing)


def test_output_of_what_is_not_staged_keeps_a_commit_back_until_the_index_is_rendered(
    hooks: Hooks, writing: Path
) -> None:
    """pre-commit takes unstaged output away, and gives it back in the place of what the hook wrote."""
    stage_edit(writing)
    edit(writing / "lead.yaml", "Leads.", "Not staged.")
    assert hooks.render(writing).returncode == 0
    passed, told = hooks.commit(writing)
    assert not passed
    assert "Rolling back fixes" in told
    *_, hint = hooks.render(writing, "--staged").stdout.splitlines()
    git(writing, *shlex.split(hint.partition("`git ")[2].removesuffix("`")))
    assert hooks.commit(writing)[0]
    assert is_current(hooks, writing)


def test_a_new_lock_that_nobody_added_is_not_missed(hooks: Hooks, writing: Path) -> None:
    (writing / "scribe.yaml").write_text(MEMBER.format("scribe"))
    git(writing, "add", "scribe.yaml")
    assert not hooks.commit(writing)[0]
    git(writing, "add", "--update")
    passed, told = hooks.commit(writing)
    assert not passed
    assert f"  not staged  {NEW_LOCK}" in told
    git(writing, "add", "rendered")
    assert hooks.commit(writing)[0]
    assert NEW_LOCK in files_at_head(writing)
    assert is_current(hooks, writing)


def test_an_untracked_manifest_does_not_leak(hooks: Hooks, writing: Path) -> None:
    (writing / "scribe.yaml").write_text(MEMBER.format("scribe"))
    (writing / "broken.yaml").write_text("apiVersion: kagent.dev/v1alpha2\nkind: [\n")
    (writing / "notes.txt").write_text("unrelated\n")
    git(writing, "add", "notes.txt")
    passed, told = hooks.commit(writing)
    assert passed, told
    assert not (writing / NEW_LOCK).exists()


def test_a_deleted_manifest_takes_its_output_along(hooks: Hooks, writing: Path) -> None:
    git(writing, "rm", "--quiet", "lead.yaml")
    passed, told = hooks.commit(writing)
    assert not passed
    assert "git add rendered" in told
    git(writing, "add", "rendered")
    assert hooks.commit(writing)[0]
    assert not any(path.startswith(PAIR_FOLDER) for path in files_at_head(writing))


def test_a_broken_manifest_is_one_error_at_its_line(hooks: Hooks, writing: Path) -> None:
    edit(writing / "lead.yaml", "modelConfig: {name: aws}", "modelConfg: {name: aws}")
    git(writing, "add", ".")
    before = tree(writing / "rendered")
    passed, told = hooks.commit(writing)
    assert not passed
    assert told.count("error[UnknownField]") == 1
    assert "--> lead.yaml:11:3 " in told
    assert "Traceback" not in told
    assert tree(writing / "rendered") == before


def test_commit_all_needs_new_files_to_be_added(hooks: Hooks, writing: Path) -> None:
    edit(writing / "lead.yaml", "You lead.", "You decide.")
    assert not hooks.commit(writing, "--all")[0]
    passed, told = hooks.commit(writing, "--all")
    assert not passed
    assert "1 file not staged" in told
    git(writing, "add", "rendered")
    assert hooks.commit(writing, "--all")[0]
    assert is_current(hooks, writing)


def test_a_commit_of_one_path_needs_the_output_in_it(hooks: Hooks, writing: Path) -> None:
    edit(writing / "lead.yaml", "You lead.", "You decide.")
    assert not hooks.commit(writing, "lead.yaml")[0]
    git(writing, "add", "rendered")
    passed, told = hooks.commit(writing, "lead.yaml")
    assert not passed
    assert "commit without naming paths" in told
    assert hooks.commit(writing, "lead.yaml", "rendered")[0]
    assert is_current(hooks, writing)


def test_a_merge_is_looked_at(hooks: Hooks, writing: Path) -> None:
    for name in ("scribe", "scout"):
        git(writing, "checkout", "--quiet", "-b", name, "main")
        (writing / f"{name}.yaml").write_text(MEMBER.format(name))
        git(writing, "add", ".")
        assert not hooks.commit(writing)[0]
        git(writing, "add", "rendered")
        assert hooks.commit(writing)[0]
    merged = hooks.call(writing, "git", "merge", "--no-edit", "scribe")
    assert merged.returncode == 0, merged.stdout
    assert "kagent-render" in merged.stdout
    assert is_current(hooks, writing)


@pytest.mark.parametrize("driver_first", [True, False])
def test_a_merge_of_one_pair_is_rendered_beside_the_hooks_of_pre_commit(
    hooks: Hooks, committed: Path, driver_first: bool
) -> None:
    path = f"{Path(hooks.program).parent}{os.pathsep}{os.environ['PATH']}"
    hooks = replace(hooks, environment={**hooks.environment, "PATH": path})
    if not driver_first:
        hooks.install(committed, "kagent-render")
    hooks.call(committed, hooks.program, "merge", "--install")
    if driver_first:
        hooks.install(committed, "kagent-render")
    for branch, old, new in (("theirs", "Leads.", "Leads all."), ("main", "You lead.", "You decide.")):
        if branch != "main":
            git(committed, "branch", branch)
        git(committed, "checkout", "--quiet", branch)
        edit(committed / "lead.yaml", old, new)
        assert hooks.render(committed).returncode == 0
        git(committed, "add", ".")
        assert hooks.commit(committed)[0]
    merged = hooks.call(committed, "git", "merge", "--no-edit", "theirs")
    assert merged.returncode
    assert "git commit --no-edit" in merged.stdout
    assert hooks.call(committed, "git", "commit", "--no-edit").returncode == 0
    assert is_current(hooks, committed)


def test_a_linked_work_tree_is_its_own(hooks: Hooks, writing: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(writing, "worktree", "add", "--quiet", "-b", "other", str(linked))
    stage_edit(linked)
    before = tree(writing / "rendered")
    assert not hooks.commit(linked)[0]
    git(linked, "add", "rendered")
    assert hooks.commit(linked)[0]
    assert tree(writing / "rendered") == before
    assert is_current(hooks, linked)


def test_the_checking_hook_never_writes(hooks: Hooks, checking: Path) -> None:
    stage_edit(checking)
    before = tree(checking / "rendered")
    passed, told = hooks.commit(checking)
    assert not passed
    assert "error[LockStale]" in told
    assert tree(checking / "rendered") == before
    git(checking, "reset", "--quiet", "--hard")
    (checking / "notes.txt").write_text("unrelated\n")
    git(checking, "add", "notes.txt")
    assert hooks.commit(checking)[0]


def test_try_repo_runs_both_hooks_in_a_repository_without_commits(hooks: Hooks, team: Path) -> None:
    git(team, "init", "--quiet", "--initial-branch=main", ".")
    git(team, "add", ".")
    done = hooks.call(team, program("pre-commit"), "try-repo", str(hooks.repository), "--all-files")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("Passed") == 2
