"""Merges by the real Git with the driver installed: what is committed is current, or `check` says why not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.branches import own_identity
from tests.cli.platform import FOLDER, write_platform
from tests.cli.team import LOCK, MEMBER, actor_templates, edit, lock_spec, write_team
from tests.parts import REPOSITORY
from tests.running import run
from tests.source.git_repositories import ENVIRONMENT, git

pytestmark = pytest.mark.server

Edit = Callable[[Path], None]


@pytest.fixture(scope="module", autouse=True)
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Git's own environment, and this program on PATH for the driver and the hook."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "kagent-render"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={REPOSITORY} exec {sys.executable} -m kagent_render "$@"\n')
    program.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENVIRONMENT, "PATH", f"{folder}:{ENVIRONMENT['PATH']}")
        own_identity(patch)
        patch.setitem(ENVIRONMENT, "GIT_EDITOR", ":")
        yield


def start(folder: Path, *, merging: bool) -> Path:
    git(folder, "init", "--quiet", "--initial-branch=main", "--template=", ".")
    _save(folder, "start")
    if merging:
        assert run("merge", "--install", cwd=folder).status == 0
    return folder


def _save(folder: Path, message: str, *, rendered: bool = True) -> None:
    if rendered:
        done = run("render", "--offline", cwd=folder)
        assert done.status == 0, done.err
    git(folder, "add", "--all", ".")
    git(folder, "commit", "--quiet", "--message", message)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return start(write_team(tmp_path_factory.mktemp("merge") / "team"), merging=True)


@pytest.fixture
def team(started: Path, tmp_path: Path) -> Path:
    return shutil.copytree(started, tmp_path / "team", symlinks=True)


@pytest.fixture
def plain(team: Path) -> Path:
    """The same where nothing is installed."""
    git(team, "config", "--remove-section", "merge.kagent-render")
    (team / ".git" / "info" / "attributes").unlink()
    (team / ".git" / "hooks" / "pre-merge-commit").unlink()
    return team


def lead(old: str, new: str) -> Edit:
    return lambda folder: edit(folder / "lead.yaml", old, new)


def add(name: str) -> Edit:
    def write(folder: Path) -> None:
        (folder / f"{name}.yaml").write_text(MEMBER.format(name))

    return write


PROMPT = lead("You lead.", "You lead them.")
DESCRIPTION = lead("description: Leads.", "description: Leads all.")
TOOLS = lead("tools: [find, open]", "tools: [find]")


def fork(folder: Path, ours: Edit, theirs: Edit, *, rendered: bool = True) -> None:
    """Two branches from here, each with one edit; `main` is checked out."""
    git(folder, "checkout", "--quiet", "-b", "topic")
    theirs(folder)
    _save(folder, "theirs", rendered=rendered)
    git(folder, "checkout", "--quiet", "main")
    ours(folder)
    _save(folder, "ours", rendered=rendered)


def attempt(folder: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def finish(folder: Path) -> None:
    done = run("merge", "--finish", cwd=folder)
    assert done.status == 0, done.err


def reasons(folder: Path) -> set[str]:
    return {fault["reason"] for fault in run("check", "--offline", "-o", "json", cwd=folder).faults}


def is_current(folder: Path) -> bool:
    """Whether everything is committed, and is what the manifests give."""
    return git(folder, "status", "--porcelain") == "" and not reasons(folder)


def test_different_pairs_merge_by_themselves(team: Path) -> None:
    fork(team, add("alpha"), add("beta"))
    status, told = attempt(team, "merge", "--quiet", "--no-edit", "topic")
    assert status == 0, told
    assert is_current(team)


def test_a_pair_that_one_side_removed_does_not_come_back_with_its_neighbour(team: Path) -> None:
    add("alpha")(team)
    _save(team, "alpha")
    fork(team, lambda folder: (folder / "alpha.yaml").unlink(), add("beta"))
    status, told = attempt(team, "merge", "--quiet", "--no-edit", "topic")
    assert status == 0, told
    assert is_current(team)


def test_different_pairs_merge_without_a_driver_too_but_for_the_order_of_a_list(plain: Path) -> None:
    fork(plain, add("zeta"), add("omega"))
    status, told = attempt(plain, "merge", "--quiet", "--no-edit", "topic")
    assert status == 0, told
    assert reasons(plain) == {"OutputDrift"}
    assert run("render", "--offline", cwd=plain).status == 0
    assert git(plain, "diff", "--name-only") == "rendered/team/kustomization.yaml"


def test_the_same_pair_merges_with_one_command(team: Path) -> None:
    fork(team, DESCRIPTION, PROMPT)
    status, told = attempt(team, "merge", "--no-edit", "topic")
    assert status == 1
    assert "CONFLICT" not in told
    assert "git commit --no-edit" in told
    git(team, "commit", "--quiet", "--no-edit")
    assert is_current(team)
    assert len(git(team, "log", "-1", "--format=%P").split()) == 2
    prompts = [prompt["text"] for prompt in lock_spec(team)["prompts"]]
    assert any("You lead them." in text for text in prompts)


def test_both_sides_are_retained_for_instances_of_either(team: Path) -> None:
    fork(team, TOOLS, PROMPT)
    revisions = [_revision(team, side) for side in ("main", "topic")]
    attempt(team, "merge", "--no-edit", "topic")
    git(team, "commit", "--quiet", "--no-edit")
    spec = lock_spec(team)
    assert [known["revision"] for known in spec["retained"]] == revisions
    assert {name for known in spec["retained"] for name in known["actorTemplates"]} < actor_templates(team)
    assert is_current(team)


def _revision(folder: Path, side: str) -> str:
    text = git(folder, "show", f"{side}:{LOCK}")
    return text.partition("\n  revision: ")[2].partition("\n")[0]


def test_a_merge_that_stops_is_finished_with_the_same_result(team: Path) -> None:
    """Without the hook the lock is in conflict, since the manifests that it names are not there."""
    (team / ".git" / "hooks" / "pre-merge-commit").unlink()
    fork(team, TOOLS, PROMPT)
    status, told = attempt(team, "merge", "--no-edit", "topic")
    assert status == 1
    assert "kagent-render merge --finish" in told
    assert f"UU {LOCK}" in git(team, "status", "--porcelain").splitlines()
    finish(team)
    git(team, "commit", "--quiet", "--no-edit")
    assert is_current(team)
    assert len(lock_spec(team)["retained"]) == 2


def test_a_merge_that_stops_at_another_file_leaves_the_lock_to_finish(team: Path) -> None:
    """Git runs no hook then, and a commit would have the lock without the manifests that it names."""

    def noting(text: str, change: Edit) -> Edit:
        def write(folder: Path) -> None:
            (folder / "README.md").write_text(text)
            change(folder)

        return write

    fork(team, noting("ours", TOOLS), noting("theirs", PROMPT))
    status, told = attempt(team, "merge", "--no-edit", "topic")
    assert status == 1
    assert "kagent-render merge --finish" in told
    (team / "README.md").write_text("both")
    git(team, "add", "README.md")
    assert attempt(team, "commit", "--no-edit")[0] != 0
    finish(team)
    git(team, "commit", "--quiet", "--no-edit")
    assert is_current(team)


@pytest.mark.parametrize(
    ("begin", "go_on", "rendered"),
    [
        (["rebase", "main", "topic"], ["rebase", "--continue"], True),
        (["cherry-pick", "topic"], ["cherry-pick", "--continue"], True),
        (["pull", "--no-rebase", "--no-edit", ".", "topic"], ["commit", "--no-edit"], True),
        (["pull", "--rebase", ".", "topic"], ["rebase", "--continue"], True),
        (["merge", "--no-commit", "topic"], ["commit", "--no-edit"], True),
        (["merge", "--squash", "topic"], ["commit", "-m", "squashed"], True),
        (["merge", "-s", "resolve", "topic"], ["commit", "--no-edit"], False),  # which knows no drivers
    ],
)
def test_every_way_of_merging_ends_current_after_finish(
    team: Path, begin: list[str], go_on: list[str], rendered: bool
) -> None:
    fork(team, DESCRIPTION, PROMPT)
    _, told = attempt(team, *begin)
    assert ("rendered the lock of team/runtime/lead" in told) is rendered
    assert ("<<<<<<<" not in (team / LOCK).read_text()) is rendered
    finish(team)
    status, told = attempt(team, *go_on)
    assert status == 0, told
    assert is_current(team)
    assert "You lead them." in (team / "lead.yaml").read_text()
    assert "Leads all." in (team / "lead.yaml").read_text()


def test_a_rebase_of_many_commits_stops_at_each_that_needs_it(team: Path) -> None:
    git(team, "checkout", "--quiet", "-b", "topic")
    for old, new in (("You lead.", "You lead 1."), ("You lead 1.", "You lead 2.")):
        lead(old, new)(team)
        _save(team, new)
    git(team, "checkout", "--quiet", "main")
    DESCRIPTION(team)
    _save(team, "ours")
    status, _ = attempt(team, "rebase", "main", "topic")
    for _ in range(2):
        assert status == 1
        finish(team)
        status, _ = attempt(team, "rebase", "--continue")
    assert status == 0
    assert is_current(team)


def test_a_stash_is_merged_like_a_commit(team: Path) -> None:
    PROMPT(team)
    assert run("render", "--offline", cwd=team).status == 0
    git(team, "add", "--all", ".")
    git(team, "stash")
    DESCRIPTION(team)
    _save(team, "ours")
    status, told = attempt(team, "stash", "pop")
    assert (status, "<<<<<<<" in (team / LOCK).read_text()) == (1, False), told
    finish(team)
    assert reasons(team) == set()


def test_a_revert_ends_current(team: Path) -> None:
    PROMPT(team)
    _save(team, "to be reverted")
    DESCRIPTION(team)
    _save(team, "ours")
    attempt(team, "revert", "--no-edit", "HEAD~1")
    finish(team)
    attempt(team, "revert", "--continue")
    assert is_current(team)


def test_manifests_in_conflict_leave_named_markers(team: Path) -> None:
    fork(team, PROMPT, lead("You lead.", "You follow."))
    ours, theirs = (_revision(team, side)[:19] for side in ("main", "topic"))
    status, told = attempt(team, "merge", "--no-edit", "topic")
    assert status == 1
    assert "`lead.yaml` is in conflict, too" in told
    text = (team / LOCK).read_text()
    assert f"<<<<<<< ours team/runtime/lead {ours}\n" in text
    assert f">>>>>>> theirs team/runtime/lead {theirs}\n" in text
    git(team, "checkout", "--quiet", "--ours", "lead.yaml")
    assert "LockConflict" in reasons(team)
    git(team, "add", "lead.yaml")
    finish(team)
    git(team, "commit", "--quiet", "--no-edit")
    assert is_current(team)


def test_finishing_is_refused_while_a_manifest_is_in_conflict(team: Path) -> None:
    fork(team, PROMPT, lead("You lead.", "You follow."))
    attempt(team, "merge", "--no-edit", "topic")
    done = run("merge", "--finish", cwd=team)
    assert (done.status, "YAMLInvalid" in done.err) == (1, True)
    assert f"UU {LOCK}" in git(team, "status", "--porcelain").splitlines()


def test_a_lock_that_was_edited_is_left_to_somebody(team: Path) -> None:
    def tamper(folder: Path) -> None:
        TOOLS(folder)
        assert run("render", "--offline", cwd=folder).status == 0
        edit(folder / LOCK, "    variant: python", "    variant: claude")

    git(team, "checkout", "--quiet", "-b", "topic")
    tamper(team)
    _save(team, "tampered", rendered=False)
    git(team, "checkout", "--quiet", "main")
    PROMPT(team)
    _save(team, "ours")
    status, told = attempt(team, "merge", "--no-edit", "topic")
    assert (status, "the lock of theirs is not valid" in told) == (1, True)
    assert "LockConflict" in reasons(team)


def test_a_criss_cross_history_ends_current(team: Path) -> None:
    fork(team, DESCRIPTION, PROMPT)
    for branch, other in (("main", "topic~0"), ("topic", "main~1")):
        git(team, "checkout", "--quiet", branch)
        attempt(team, "merge", "--no-edit", git(team, "rev-parse", other) if branch == "main" else "first")
        finish(team)
        attempt(team, "commit", "--quiet", "--no-edit")
        if branch == "main":
            git(team, "branch", "first", "main~1")
    assert len(git(team, "merge-base", "--all", "main", "topic").split()) == 2
    TOOLS(team)
    _save(team, "tools")
    git(team, "checkout", "--quiet", "main")
    lead("tier: gold", "tier: silver")(team)
    _save(team, "tier")
    attempt(team, "merge", "--no-edit", "topic")
    finish(team)
    attempt(team, "commit", "--quiet", "--no-edit")
    assert is_current(team)
    assert "tools: [find]" in (team / "lead.yaml").read_text()


def test_an_octopus_has_no_drivers_and_is_told_by_check(team: Path) -> None:
    git(team, "branch", "one")
    fork(team, DESCRIPTION, PROMPT)
    git(team, "checkout", "--quiet", "one")
    TOOLS(team)
    _save(team, "tools")
    git(team, "checkout", "--quiet", "main")
    status, _ = attempt(team, "merge", "--no-edit", "topic", "one")
    assert status != 0 or reasons(team)


def test_a_driver_that_is_not_on_path_leaves_a_conflict(team: Path) -> None:
    git(team, "config", "merge.kagent-render.driver", "no-such-program %O %A %B %P")
    fork(team, DESCRIPTION, PROMPT)
    status, _ = attempt(team, "merge", "--no-edit", "topic")
    assert status == 1
    assert f"UU {LOCK}" in git(team, "status", "--porcelain").splitlines()


def test_a_name_of_a_branch_is_no_command(team: Path) -> None:
    name = "$(touch${IFS}pwned);x"
    fork(team, DESCRIPTION, PROMPT)
    git(team, "branch", name, "topic")
    attempt(team, "merge", "--no-edit", name)
    assert list(team.glob("pwned*")) == []
    finish(team)
    git(team, "commit", "--quiet", "--no-edit")
    assert is_current(team)


@pytest.mark.parametrize("named", [True, False])
def test_a_newer_git_names_a_commit_that_no_branch_leads_to(team: Path, tmp_path: Path, named: bool) -> None:
    fork(team, DESCRIPTION, PROMPT)
    picked = git(team, "rev-parse", "--short", "topic")
    git(team, "branch", "--delete", "--force", "topic")
    files = []
    for name, commit in (("base", "main~1"), ("ours", "main"), ("theirs", picked)):
        files.append(tmp_path / name)
        files[-1].write_text(git(team, "show", f"{commit}:{LOCK}") + "\n")
    labels = ("parent", "HEAD", f"{picked} (theirs)") if named else ("%S", "%X", "%Y")
    done = run("merge", *map(str, files), LOCK, *labels, cwd=team)
    assert done.status == 1
    assert ("rendered the lock" in done.err) is named
    assert ("Git does not say which commits" in done.err) is not named
    assert ("<<<<<<< ours" in files[1].read_text()) is not named


def test_a_linked_work_tree_is_merged_in(team: Path, tmp_path: Path) -> None:
    fork(team, DESCRIPTION, PROMPT)
    linked = tmp_path / "linked"
    git(team, "worktree", "add", "--quiet", "-b", "linked", str(linked), "main")
    _, told = attempt(linked, "merge", "--no-edit", "topic")
    assert "git commit --no-edit" in told
    git(linked, "commit", "--quiet", "--no-edit")
    assert is_current(linked)


def test_foreign_files_are_not_staged(team: Path) -> None:
    fork(team, DESCRIPTION, PROMPT)
    (team / "rendered" / "notes.txt").write_text("mine")
    attempt(team, "merge", "--no-edit", "topic")
    git(team, "commit", "--quiet", "--no-edit")
    assert git(team, "status", "--porcelain") == "?? rendered/notes.txt"


@pytest.mark.parametrize(
    "begin",
    [["merge", "--no-edit", "topic"], ["rebase", "main", "topic"], ["cherry-pick", "topic"]],
    ids=" ".join,
)
def test_the_component_of_an_agent_merges_like_a_pair(tmp_path: Path, begin: list[str]) -> None:
    folder = start(write_platform(tmp_path / "platform"), merging=True)
    fork(
        folder,
        lambda root: edit(root / "stockout.yaml", "      - stockout\n", "      - stockout\n      - more\n"),
        lambda root: edit(root / "investigator.yaml", "imagePullPolicy: Always", "imagePullPolicy: Never"),
    )
    _, told = attempt(folder, *begin)
    finish(folder)
    for name in ("commit", "rebase", "cherry-pick"):
        attempt(folder, *((name, "--no-edit") if name == "commit" else (name, "--continue")))
    assert "<<<<<<<" not in (folder / FOLDER / "revision.lock.yaml").read_text()
    assert is_current(folder), told


def test_plugins_of_both_sides_keep_the_digests_that_their_locks_pin(tmp_path: Path) -> None:
    """A tag is resolved once: the lock with markers must not make it be resolved again."""
    folder = start(write_platform(tmp_path / "platform"), merging=False)
    fork(
        folder,
        lambda root: edit(root / "stockout.yaml", "      - stockout\n", "      - stockout\n      - more\n"),
        lambda root: edit(root / "stockout.yaml", "      google_chat:", "      google_mail:"),
    )
    attempt(folder, "merge", "--no-edit", "topic")
    assert "<<<<<<<" in (folder / FOLDER / "revision.lock.yaml").read_text()
    git(folder, "checkout", "--quiet", "--theirs", "stockout.yaml")
    git(folder, "add", "stockout.yaml")
    assert run("render", "--offline", cwd=folder).status == 0
