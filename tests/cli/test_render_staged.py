"""`render --staged` reads the index, writes the work tree, and says what the index lacks of the result."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.cli.platform import LOCK as AGENT_LOCK
from tests.cli.team import HARNESS, LOCK, MEMBER, PAIR_FOLDER, edit
from tests.running import Run, run, tree
from tests.source.git_repositories import git

NEW_LOCK = "rendered/team/runtime/scribe/revision.lock.yaml"


def render(folder: Path, *args: str, **env: str) -> Run:
    return run("render", "--staged", "--exit-code", "--offline", "-o", "json", *args, cwd=folder, env=env)


def staged(folder: Path) -> str:
    """The id of everything that is staged; nothing that renders may change it."""
    return git(folder, "write-tree")


def stage_edit(folder: Path) -> None:
    edit(folder / "lead.yaml", "You lead.", "You decide.")
    git(folder, "add", "lead.yaml")


def add_pair(folder: Path) -> None:
    (folder / "scribe.yaml").write_text(MEMBER.format("scribe"))


def test_an_index_that_holds_its_output_is_clean(committed: Path) -> None:
    done = render(committed)
    assert done.status == 0
    assert done.json["changed"] == done.json["unstaged"] == []


def test_a_staged_edit_is_written_named_and_clean_once_it_is_added(committed: Path) -> None:
    stage_edit(committed)
    before = staged(committed)
    first, second = render(committed), render(committed)
    assert first.status == second.status == 1
    assert first.json["changed"] == first.json["unstaged"] == second.json["unstaged"]
    assert LOCK in first.json["changed"]
    assert second.json["changed"] == []
    assert staged(committed) == before
    git(committed, "add", "rendered")
    assert render(committed).status == 0
    assert run("check", "--staged", cwd=committed).status == 0


def test_without_exit_code_what_is_not_staged_is_only_told(committed: Path) -> None:
    stage_edit(committed)
    done = run("render", "--staged", "-o", "json", cwd=committed)
    assert done.status == 0
    assert done.json["unstaged"]


def test_text_names_the_files_and_the_next_step(committed: Path) -> None:
    stage_edit(committed)
    rewritten = run("render", "--staged", "--exit-code", cwd=committed).err.splitlines()
    assert f"  rewritten   {LOCK}" in rewritten
    assert rewritten[-2:] == [
        "✗ 3 pairs prepared, 3 files rewritten: git add them (4 warnings)",
        "  hint: run `git add rendered`",
    ]
    git(committed, "add", LOCK)
    waiting = run("render", "--staged", "--exit-code", cwd=committed).err.splitlines()
    assert f"  not staged  {PAIR_FOLDER}/kustomization.yaml" in waiting
    assert "✗ 3 pairs prepared, 2 files not staged: git add them (4 warnings)" in waiting


def test_the_next_step_leaves_alone_what_is_of_no_commit(committed: Path) -> None:
    (committed / "rendered/notes of mine.txt").write_text("mine\n")
    stage_edit(committed)
    *_, hint = run("render", "--staged", cwd=committed).err.splitlines()
    added = shlex.split(hint.partition("`git ")[2].removesuffix("`"))
    assert LOCK in added
    git(committed, *added)
    assert render(committed).status == 0
    assert git(committed, "ls-files", "rendered").count("notes") == 0


def test_of_many_files_some_are_named(committed: Path) -> None:
    edit(committed / "harness.yaml", "value: info", "value: debug")
    for number in range(5):
        (committed / f"more-{number}.yaml").write_text(MEMBER.format(f"more-{number}"))
    git(committed, "add", ".")
    text = run("render", "--staged", cwd=committed).err
    assert text.count("  rewritten  ") == 20
    assert "  and 6 more, named with -v" in text
    assert run("render", "--staged", "-v", cwd=committed).err.count("  not staged  ") == 26


def test_a_split_index_is_told_with_how_to_join_it(committed: Path) -> None:
    git(committed, "update-index", "--split-index")
    done = run("render", "--staged", cwd=committed)
    assert (done.status, "git update-index --no-split-index" in done.err) == (2, True), done.err


def test_a_new_lock_that_is_not_staged_is_not_missed(committed: Path) -> None:
    add_pair(committed)
    assert run("render", cwd=committed).status == 0
    git(committed, "add", "scribe.yaml")
    git(committed, "add", "--update")
    done = render(committed)
    assert done.status == 1
    assert done.json["changed"] == []
    assert NEW_LOCK in done.json["unstaged"]


def test_what_is_not_staged_neither_leaks_nor_goes(committed: Path) -> None:
    add_pair(committed)
    edit(committed / "critic.yaml", "You are", "You may be")
    assert run("render", cwd=committed).status == 0
    (committed / "rendered/notes.txt").write_text("mine\n")
    git(committed, "checkout", "--", ".")
    before = tree(committed)
    done = render(committed)
    assert done.status == 0
    assert "OutputDrift" not in {found["reason"] for found in done.json["diagnostics"]}
    assert tree(committed) == before
    assert NEW_LOCK in before


def test_of_a_file_that_is_staged_in_part_the_staged_part_counts(committed: Path) -> None:
    stage_edit(committed)
    assert run("render", cwd=committed).status == 0
    git(committed, "add", "rendered")
    edit(committed / "lead.yaml", "You decide.", "You rule.")
    assert render(committed).status == 0


def test_an_output_edited_since_it_was_staged_is_rewritten(committed: Path) -> None:
    original = (committed / LOCK).read_bytes()
    (committed / LOCK).write_text("edited\n")
    done = render(committed)
    assert done.status == 1
    assert (done.json["changed"], done.json["unstaged"]) == ([LOCK], [])
    assert (committed / LOCK).read_bytes() == original
    assert render(committed).status == 0


def test_a_manifest_that_is_gone_takes_its_output_along(committed: Path) -> None:
    git(committed, "rm", "--quiet", "critic.yaml", "lead.yaml")
    done = render(committed)
    assert done.status == 1
    assert not (committed / PAIR_FOLDER).exists()
    git(committed, "add", "rendered")
    assert render(committed).status == 0
    assert {path.split("/")[3] for path in git(committed, "ls-files", "rendered/team/runtime").split()} == {
        "helper"
    }


def test_the_last_manifest_takes_all_output_along(committed: Path) -> None:
    git(committed, "rm", "--quiet", "critic.yaml", "lead.yaml", "helper.yaml")
    assert render(committed).status == 1
    assert not any(path.startswith("rendered/") for path in tree(committed))
    git(committed, "add", "rendered")
    assert render(committed).status == 0


def test_a_renamed_manifest_changes_nothing(committed: Path) -> None:
    git(committed, "mv", "lead.yaml", "chief.yaml")
    assert render(committed).status == 0


def test_platform_agents_are_staged_alike(platform: Path) -> None:
    commit_all(platform)
    edit(platform / "stockout.yaml", "- stockout", "- stockout\n      - more")
    git(platform, "add", ".")
    done = render(platform)
    assert done.status == 1
    assert AGENT_LOCK in done.json["unstaged"]
    git(platform, "add", "rendered")
    assert render(platform).status == 0
    git(platform, "rm", "--quiet", "lab.yaml")
    assert {path.split("/")[1] for path in render(platform).json["unstaged"]} == {"lab"}


def commit_all(folder: Path) -> None:
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    git(folder, "add", "--all", ".")
    git(folder, "commit", "--quiet", "--message", "start")


def test_the_first_commit_has_no_head_to_look_at(team: Path) -> None:
    git(team, "init", "--quiet", "--initial-branch=main", ".")
    shutil.rmtree(team / "rendered")
    git(team, "add", ".")
    assert render(team).status == 1
    git(team, "add", "rendered")
    assert render(team).status == 0


def test_a_linked_work_tree_has_its_own_index(committed: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(committed, "worktree", "add", "--quiet", "-b", "other", str(linked))
    stage_edit(linked)
    assert render(linked).status == 1
    assert render(committed).status == 0
    git(linked, "add", "rendered")
    assert render(linked).status == 0


def test_every_root_of_the_repository_is_looked_at(rendered_team: Path, tmp_path: Path) -> None:
    for place in ("a", "teams/b"):
        shutil.copytree(rendered_team, tmp_path / place)
    commit_all(tmp_path)
    stage_edit(tmp_path / "teams/b")
    done = render(tmp_path)
    assert done.status == 1
    assert {path.partition("/rendered/")[0] for path in done.json["unstaged"]} == {"teams/b"}
    text = run("render", "--staged", cwd=tmp_path).err
    assert "✓ a: 3 pairs prepared, nothing to write" in text
    assert "  hint: run `git add teams/b/rendered`" in text


def test_a_root_that_is_not_staged_is_none(committed: Path) -> None:
    shutil.copytree(committed, committed / "inner", ignore=shutil.ignore_patterns(".git", "rendered"))
    assert render(committed).status == 0
    assert not (committed / "inner/rendered").exists()


def test_the_index_of_a_partial_commit_is_the_one_that_counts(committed: Path) -> None:
    """`git commit lead.yaml` has HEAD's index with that one file, whatever else is staged."""
    partial = committed / ".git/next-index-1.lock"
    stage_edit(committed)
    shutil.copy(committed / ".git/index", partial)
    assert run("render", cwd=committed).status == 0
    git(committed, "add", "rendered")
    done = run("render", "--staged", "--exit-code", cwd=committed, env={"GIT_INDEX_FILE": str(partial)})
    assert done.status == 1
    assert "3 files not staged" in done.err
    assert "and commit without naming paths" in done.err
    assert render(committed).status == 0


def test_a_staged_file_that_is_not_ours_is_a_warning_and_stays(committed: Path) -> None:
    (committed / "rendered/notes.txt").write_text("ours, says Git\n")
    git(committed, "add", ".")
    done = render(committed)
    assert done.status == 0
    told = [found["severity"] for found in done.json["diagnostics"] if found["reason"] == "OutputDrift"]
    assert told == ["warning"]
    assert (committed / "rendered/notes.txt").exists()


def test_what_stands_in_the_way_is_told_although_it_is_untracked(committed: Path) -> None:
    add_pair(committed)
    git(committed, "add", "scribe.yaml")
    (committed / "elsewhere").mkdir()
    (committed / "rendered/team/runtime/scribe").symlink_to(committed / "elsewhere")
    before = tree(committed)
    done = render(committed)
    assert done.status == 1
    assert [fault["reason"] for fault in done.faults] == ["OutputDrift"]
    assert tree(committed) == before


def test_a_broken_manifest_counts_once_it_is_staged(committed: Path) -> None:
    edit(committed / "lead.yaml", "name: search}", "name: serch}")
    assert render(committed).status == 0
    git(committed, "add", ".")
    before = tree(committed)
    done = render(committed)
    assert done.status == 1
    assert [fault["reason"] for fault in done.faults] == ["MCPServerNotFound"]
    assert "unstaged" not in done.json
    assert tree(committed) == before


def test_edits_between_commits_retain_no_revision_of_their_own(committed: Path) -> None:
    stage_edit(committed)
    render(committed)
    git(committed, "add", "rendered")
    edit(committed / "lead.yaml", "You decide.", "You rule.")
    git(committed, "add", "lead.yaml")
    render(committed)
    git(committed, "add", "rendered")
    manifests = git(committed, "ls-files", f"{PAIR_FOLDER}/actortemplates").split()
    # Of two boundaries, the critic's is the same in every revision; the edit in between left nothing.
    assert len(manifests) == 3


@pytest.fixture
def conflicting(committed: Path) -> Path:
    """A merge of two branches that both rendered an edit, stopped at its conflicts."""
    for branch, level in (("ours", "debug"), ("theirs", "warn")):
        git(committed, "checkout", "--quiet", "-b", branch, "main")
        (committed / "harness.yaml").write_text(HARNESS.replace("value: info", f"value: {level}"))
        assert run("render", cwd=committed).status == 0
        git(committed, "add", ".")
        git(committed, "commit", "--quiet", "--message", branch)
    with pytest.raises(AssertionError):
        git(committed, "merge", "--quiet", "ours")
    return committed


def test_a_conflict_in_the_output_is_told_and_rendering_resolves_it(conflicting: Path) -> None:
    git(conflicting, "checkout", "--ours", "harness.yaml")
    git(conflicting, "add", "harness.yaml")
    told = {fault["reason"] for fault in run("check", "--staged", "-o", "json", cwd=conflicting).faults}
    assert told == {"LockConflict"}
    assert render(conflicting).status == 1
    git(conflicting, "add", "rendered")
    assert render(conflicting).status == 0
    assert run("check", "--staged", cwd=conflicting).status == 0
