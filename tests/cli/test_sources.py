"""What is read: the work tree, the index, a revision, standard input; and which root PATH means."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.team import FILES, LEAD, LOCK, PAIR_FOLDER, edit, write_team
from tests.running import Run, run, tree
from tests.source.git_repositories import git


def check(folder: Path, *args: str, stdin: bytes | None = None) -> Run:
    return run("check", "-o", "json", *args, cwd=folder, stdin=stdin)


def reasons(done: Run) -> list[str]:
    return [fault["reason"] for fault in done.faults]


def commit(folder: Path) -> str:
    git(folder, "add", "--all", "--force", ".")
    git(folder, "commit", "--quiet", "--message", "change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def broken_since(committed: Path) -> Path:
    """A repository whose first commit is current and whose second is stale."""
    git(committed, "tag", "good")
    git(committed, "tag", "--annotate", "--message", "all is well", "good-annotated")
    git(committed, "branch", "older")
    edit(committed / "lead.yaml", "You lead.", "You decide.")
    commit(committed)
    return committed


@pytest.mark.parametrize("revision", ["good", "good-annotated", "older", "HEAD~1", "HEAD^", "main~"])
def test_a_revision_is_read_whole_manifests_and_output(broken_since: Path, revision: str) -> None:
    assert check(broken_since, "--rev", revision).status == 0


@pytest.mark.parametrize("revision", ["HEAD", "@", "main"])
def test_a_revision_that_is_stale_is_told_with_its_own_lines(broken_since: Path, revision: str) -> None:
    (broken_since / "lead.yaml").write_text("# not committed\n" * 40)
    done = check(broken_since, "--rev", revision)
    assert reasons(done) == ["LockStale"]
    assert done.faults[0]["source"] == {"path": "lead.yaml", "line": 12, "column": 3}
    text = run("check", "--rev", revision, cwd=broken_since).err
    assert "systemPrompt: |" in text


def test_a_revision_may_be_abbreviated(broken_since: Path) -> None:
    full = git(broken_since, "rev-parse", "good")
    assert check(broken_since, "--rev", full).status == 0
    assert check(broken_since, "--rev", full[:10]).status == 0


def test_a_detached_head_is_a_head(broken_since: Path) -> None:
    git(broken_since, "checkout", "--quiet", "--detach", "good")
    assert check(broken_since, "--rev", "HEAD").status == 0
    assert check(broken_since).status == 0


@pytest.mark.parametrize("revision", ["nowhere", "HEAD~9", "", "-x", "HEAD:lead.yaml", "f" * 40])
def test_a_revision_that_is_not_there_is_status_2(broken_since: Path, revision: str) -> None:
    done = run("check", f"--rev={revision}", cwd=broken_since)
    assert done.status == 2
    assert done.err.startswith("error: ")
    assert len(done.err.splitlines()) == 1


def test_what_is_not_staged_does_not_count(committed: Path) -> None:
    edit(committed / "lead.yaml", "You lead.", "You decide.")
    (committed / "untracked.yaml").write_text(LEAD.replace("name: lead", "name: another"))
    assert check(committed).status == 1
    assert check(committed, "--staged").status == 0


def test_what_is_staged_counts_and_what_came_later_does_not(committed: Path) -> None:
    edit(committed / "lead.yaml", "You lead.", "You decide.")
    git(committed, "add", "lead.yaml")
    edit(committed / "lead.yaml", "You decide.", "You lead.")
    assert check(committed).status == 0
    assert reasons(check(committed, "--staged")) == ["LockStale"]


def test_a_staged_edit_needs_its_staged_output(committed: Path) -> None:
    edit(committed / "lead.yaml", "You lead.", "You decide.")
    run("render", cwd=committed)
    git(committed, "add", "lead.yaml")
    assert reasons(check(committed, "--staged")) == ["LockStale"]
    git(committed, "add", "--all", ".")
    assert check(committed, "--staged").status == 0


def test_a_removal_that_is_staged_counts(committed: Path) -> None:
    git(committed, "rm", "--quiet", "--cached", LOCK)
    assert check(committed).status == 0
    assert reasons(check(committed, "--staged")) == ["LockMissing"]


def test_a_subfolder_of_a_repository_can_be_a_root_of_any_source(tmp_path: Path, rendered_team: Path) -> None:
    root = shutil.copytree(rendered_team, tmp_path / "deploy/agents")
    git(tmp_path, "init", "--quiet", "--initial-branch=main", ".")
    commit(tmp_path)
    for source in ([], ["--staged"], ["--rev", "HEAD"]):
        for folder in (tmp_path, tmp_path / "deploy", root):
            assert check(folder, *source).status == 0, (source, folder)


def test_manifests_come_from_stdin_and_configuration_from_the_root(team: Path) -> None:
    manifests = "---\n".join(text for name, text in FILES.items() if name != "kagent-render.yaml").encode()
    assert check(team, "-f", "-", stdin=manifests).status == 0
    done = check(team, "-f", "-", stdin=manifests.replace(b"You lead.", b"You decide."))
    assert reasons(done) == ["LockStale"]
    assert done.faults[0]["source"]["path"] == "<stdin>"


def test_stdin_is_quoted_in_text(team: Path) -> None:
    done = run("check", "-f", "-", cwd=team, stdin=LEAD.replace("search}", "serch}").encode())
    assert "<stdin>:" in done.err


@pytest.mark.parametrize("path", [".", "rendered/team", ".."])
def test_the_root_is_found_at_above_and_below_path(team: Path, path: str) -> None:
    assert check(team, path).status == 0
    assert check(team / "rendered", f"../{path}").status == 0


def test_paths_are_of_the_root_where_path_is_below_it_and_of_path_where_that_is_above(team: Path) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    inside = check(team / "rendered/team")
    assert inside.faults[0]["source"]["path"] == "lead.yaml"
    assert LOCK in inside.json["changed"]
    above = check(team.parent)
    assert above.faults[0]["source"]["path"] == "team/lead.yaml"
    assert f"team/{LOCK}" in above.json["changed"]


def test_text_shows_paths_that_open_from_the_working_directory(team: Path) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    assert "--> ../lead.yaml:12:3 " in run("check", "..", cwd=team / "rendered").err
    assert "--> team/lead.yaml:12:3 " in run("check", "team", cwd=team.parent).err


@pytest.fixture
def two_roots(tmp_path: Path, rendered_team: Path) -> Path:
    """A folder with a root `b` and a root `a` in which another one is nested."""
    for place in ("a", "b", "a/inner"):
        shutil.copytree(rendered_team, tmp_path / place)
    return tmp_path


def test_several_roots_are_worked_on_together(two_roots: Path) -> None:
    edit(two_roots / "b/lead.yaml", "You lead.", "You decide.")
    edit(two_roots / "a/inner/lead.yaml", "You lead.", "You rule.")
    done = check(two_roots)
    assert len(done.json["pairs"]) == 9
    assert [fault["source"]["path"] for fault in done.faults] == ["a/inner/lead.yaml", "b/lead.yaml"]
    assert {path.rpartition("/rendered/")[0] for path in done.json["changed"]} == {"a/inner", "b"}


def test_render_writes_every_root(two_roots: Path) -> None:
    for place in ("a", "b"):
        shutil.rmtree(two_roots / place / "rendered")
    done = run("render", "-o", "json", cwd=two_roots)
    assert done.status == 0
    assert {path.partition("/rendered/")[0] for path in done.json["changed"]} == {"a", "b"}
    assert check(two_roots).status == 0


def test_one_root_that_fails_keeps_the_others_from_being_written(two_roots: Path) -> None:
    edit(two_roots / "a/lead.yaml", "You lead.", "You decide.")
    edit(two_roots / "b/lead.yaml", "name: search}", "name: serch}")
    before = tree(two_roots)
    done = run("render", cwd=two_roots)
    assert done.status == 1
    assert tree(two_roots) == before
    assert "✗ a: nothing was written, because another root failed" in done.err
    assert "✗ b: nothing was written (1 error" in done.err
    going = run("render", "--keep-going", "-o", "json", cwd=two_roots)
    assert going.status == 1
    assert {path.partition("/")[0] for path in going.json["changed"]} == {"a"}


def test_a_root_without_configuration_keeps_the_others_from_being_written(two_roots: Path) -> None:
    edit(two_roots / "a/lead.yaml", "You lead.", "You decide.")
    (two_roots / "b/kagent-render.yaml").write_text("spec: [\n")
    before = tree(two_roots)
    assert run("render", cwd=two_roots).status == 2
    assert tree(two_roots) == before


def test_each_root_has_a_summary_of_its_own(two_roots: Path) -> None:
    edit(two_roots / "b/lead.yaml", "You lead.", "You decide.")
    lines = run("check", cwd=two_roots).err.splitlines()
    summaries = [line for line in lines if line.startswith(("✓", "✗"))]
    assert [line.partition(" (")[0] for line in summaries] == [
        "✓ a: 3 pairs current",
        "✓ a/inner: 3 pairs current",
        "✗ b: 1 of 3 pairs not current",
    ]


def test_a_nested_root_s_files_are_its_own(two_roots: Path) -> None:
    assert len(check(two_roots / "a").json["pairs"]) == 3
    assert check(two_roots / "a").status == 0
    assert check(two_roots / "a/inner").status == 0


@pytest.mark.parametrize("command", ["check", "render"])
def test_without_a_root_the_configuration_is_invalid(tmp_path: Path, command: str) -> None:
    done = run(command, "-o", "json", cwd=tmp_path)
    assert done.status == 2
    assert reasons(done) == ["ConfigInvalid"]
    assert done.json["pairs"] == done.json["changed"] == []
    text = run(command, cwd=tmp_path)
    assert text.status == 2
    assert text.err.splitlines()[:2] == [
        "error[ConfigInvalid]: no `kagent-render.yaml` at, above or below `.`",
        "  hint: run `kagent-render init` to write one",
    ]


BROKEN_CONFIG: dict[str, tuple[Any, int | None]] = {
    "not YAML": (lambda text: text.replace("spec:", "spec: {"), None),
    "an unknown field": (lambda text: text.replace("  retention:", "  retain: {}\n  retention:"), 11),
    "a wrong type": (lambda text: text.replace("revisions: 3", "revisions: many"), 12),
    "an unknown target": (lambda text: text.replace("ate.dev/v1alpha1", "ate.dev/v9"), 4),
    "another kind": (lambda text: text.replace("kind: RenderConfig", "kind: Config"), 2),
    "empty": (lambda text: "", 1),
    "no target": (lambda text: text.replace("  target: ate.dev/v1alpha1\n", ""), 3),
    "no pause image": (lambda text: text.replace("    pauseImage:", "    # pauseImage:"), 7),
}


@pytest.mark.parametrize(("damage", "line"), BROKEN_CONFIG.values(), ids=BROKEN_CONFIG.keys())
@pytest.mark.parametrize("command", ["check", "render", "explain team/runtime/lead"])
def test_a_broken_configuration_is_status_2_with_its_line(
    team: Path, command: str, damage: Any, line: int | None
) -> None:
    path = team / "kagent-render.yaml"
    path.write_text(damage(path.read_text()))
    before = tree(team)
    done = run(*command.split(), "-o", "json", cwd=team)
    assert done.status == 2
    assert tree(team) == before
    fault = next(fault for fault in done.faults if fault["reason"] == "ConfigInvalid")
    assert fault["source"]["path"] == "kagent-render.yaml"
    assert line in (None, fault["source"]["line"])
    text = run(*command.split(), cwd=team)
    assert text.status == 2
    assert f"--> kagent-render.yaml:{fault['source']['line']}:" in text.err


@pytest.mark.parametrize("flag", [["--staged"], ["--rev", "HEAD"]], ids=" ".join)
def test_git_s_flags_need_a_git_repository(team: Path, flag: list[str]) -> None:
    done = run("check", *flag, cwd=team)
    assert done.status == 2
    assert "is not in a Git repository" in done.err


def test_a_bare_repository_can_be_checked_at_a_revision(committed: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(committed), "bare.git")
    bare = tmp_path / "bare.git"
    assert check(bare, "--rev", "HEAD").status == 0
    assert check(bare, "--rev", "main").status == 0
    assert check(bare).status == 2


def test_a_repository_without_commits_can_be_rendered_and_checked(tmp_path: Path) -> None:
    folder = write_team(tmp_path / "team")
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    assert run("render", cwd=folder).status == 0
    assert check(folder).status == 0
    git(folder, "add", "--all", ".")
    assert check(folder, "--staged").status == 0
    done = run("check", "--rev", "HEAD", cwd=folder)
    assert done.status == 2
    assert done.err == "error: the repository has no commit `HEAD`\n"


def test_a_linked_work_tree_has_its_own_head(committed: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    git(committed, "worktree", "add", "--quiet", "-b", "other", str(linked))
    edit(linked / "lead.yaml", "You lead.", "You decide.")
    run("render", cwd=linked)
    commit(linked)
    assert check(linked).status == 0
    assert check(linked, "--rev", "HEAD").status == 0
    assert check(linked, "--staged").status == 0
    assert check(committed).status == 0


def test_a_repository_inside_another_is_the_one_that_counts(committed: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", ".")
    edit(committed / "lead.yaml", "You lead.", "You decide.")
    assert check(committed).status == 1
    assert check(committed, "--rev", "HEAD").status == 0


def test_an_output_that_git_ignores_is_there_all_the_same(committed: Path) -> None:
    (committed / ".gitignore").write_text("rendered/\n")
    assert check(committed).status == 0
    shutil.rmtree(committed / PAIR_FOLDER)
    assert reasons(check(committed)) == ["LockMissing"]
