"""`diff` compares two sides of a repository, whatever they are, and never writes anything."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.reviewed import COMMIT, commit, edit_everything, render, write_base
from tests.cli.team import LOCK, PAIR_FOLDER, edit
from tests.running import Run, run, tree
from tests.source.git_repositories import git

LEAD = "lead"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository before any edit, which tests copy."""
    return write_base(tmp_path_factory.mktemp("reviewed") / "base")


@pytest.fixture
def repository(base: Path, tmp_path: Path) -> Path:
    """A repository of one's own."""
    return shutil.copytree(base, tmp_path / "repository", symlinks=True)


@pytest.fixture(scope="module")
def edited(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with a bit of everything edited and committed on a branch; nobody may write to it."""
    folder = shutil.copytree(base, tmp_path_factory.mktemp("edited") / "repository", symlinks=True)
    git(folder, "switch", "--quiet", "--create", "branch")
    edit_everything(folder)
    commit(folder, "edit")
    return folder


def diff(folder: Path, *args: str, offline: bool = True) -> Run:
    """Compare with JSON output, without a network."""
    flags = ["--offline"] if offline else []
    return run("diff", *flags, "-o", "json", *args, cwd=folder)


def pairs(done: Run) -> dict[str, Any]:
    """The pairs that differ, by template."""
    return {pair["template"]: pair for pair in done.json["pairs"]}


def topics(subject: dict[str, Any]) -> set[tuple[str, str]]:
    """Topic and kind of each change."""
    return {(change["topic"], change["change"]) for change in subject["changes"]}


def states(subject: dict[str, Any]) -> list[tuple[str, str]]:
    """Side and state of each doubt."""
    return [(doubt["side"], doubt["state"]) for doubt in subject["doubts"]]


def test_nothing_changed_is_said_and_counted(repository: Path) -> None:
    before = tree(repository)
    done = diff(repository, "--exit-code", "--fail-on", "widening")
    assert done.status == 0
    assert done.json["verdict"] == "No agent changed: 3 pairs and 2 platform agents are the same"
    assert tree(repository) == before


def test_a_branch_is_compared_with_main(edited: Path) -> None:
    done = diff(edited, "main", "branch")
    assert (done.status, done.err) == (0, "")
    found = pairs(done)
    assert {name: pair["change"] for name, pair in found.items()} == {
        "auditor": "added",
        "critic": "changed",
        "helper": "changed",
        "lead": "changed",
    }
    assert topics(found[LEAD]) >= {
        ("prompt", "changed"),
        ("tool", "added"),
        ("tool", "removed"),
        ("skill", "changed"),
        ("isolation", "changed"),
        ("agent", "added"),
        ("model", "changed"),
        ("variable", "added"),
    }
    assert not any(pair["doubts"] for pair in found.values())
    (agent,) = done.json["platformAgents"]
    assert topics(agent) >= {("plugin", "added"), ("image", "changed"), ("configKey", "added")}


def test_the_other_way_round_adds_and_removes_are_swapped(edited: Path) -> None:
    there, back = diff(edited, "main", "branch"), diff(edited, "branch", "main")
    swapped = {"added": "removed", "removed": "added", "changed": "changed"}
    there_changes, back_changes = (
        {
            (pair["template"], change["topic"], change["place"], change["name"], change["change"])
            for pair in done.json["pairs"]
            for change in pair["changes"]
            if change["topic"] != "retained"
        }
        for done in (there, back)
    )
    assert {(*key[:-1], swapped[key[-1]]) for key in there_changes} == back_changes
    assert pairs(back)["auditor"]["effect"] == "narrows"


def test_a_skill_is_compared_file_by_file_out_of_the_vendored_store(edited: Path) -> None:
    (skill,) = (c for c in pairs(diff(edited, "main", "branch"))[LEAD]["changes"] if c["topic"] == "skill")
    (patch,) = skill["patches"]
    assert (patch["path"], patch["change"]) == ("SKILL.md", "changed")
    assert "+Then write to everyone." in patch["lines"]


def test_a_skill_that_is_not_at_hand_is_compared_by_its_digests_and_says_so(
    edited: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(edited, tmp_path / "bare-store", symlinks=True)
    git(folder, "rm", "--quiet", "-r", ".kagent")
    commit(folder, "no store")
    found = pairs(diff(folder, "main", "branch"))[LEAD]
    (skill,) = (change for change in found["changes"] if change["topic"] == "skill")
    assert skill["patches"] == []
    assert skill["note"] == "its content is not at hand, so digests alone are compared"
    assert states(found) == []


def test_no_credential_is_in_any_format(edited: Path) -> None:
    for written in ("text", "json", "markdown", "html"):
        done = run("diff", "--offline", "main", "branch", "-o", written, cwd=edited)
        assert "DB_PASSWORD" in done.out
        assert "hunter2" not in done.out


STATUSES = [
    ((), 0),
    (("--exit-code",), 1),
    (("--fail-on", "widening"), 1),
    (("--exit-code", "--fail-on", "widening"), 1),
]


@pytest.mark.parametrize(("flags", "status"), STATUSES)
def test_flags_decide_on_the_exit_status(edited: Path, flags: tuple[str, ...], status: int) -> None:
    assert diff(edited, "main", "branch", *flags).status == status


def test_what_widens_nothing_fails_nothing_but_differs(repository: Path) -> None:
    edit(repository / "critic.yaml", "You are the", "You may be the")
    render(repository)
    assert diff(repository, "--fail-on", "widening").status == 0
    assert diff(repository, "--exit-code").status == 1


def test_an_edit_that_was_not_rendered_is_told_and_is_doubtful(repository: Path) -> None:
    edit(repository / "critic.yaml", "You are the", "You may be the")
    done = diff(repository, "--fail-on", "widening")
    found = pairs(done)["critic"]
    assert (done.status, found["effect"]) == (1, "widens")
    assert states(found) == [("head", "stale")]
    assert topics(found) == {("prompt", "changed"), ("retained", "added")}
    assert "`spec.systemPrompt` was edited" in found["doubts"][0]["messages"][0]


def test_to_render_first_is_the_hint_where_that_is_what_is_missing(repository: Path) -> None:
    edit(repository / "critic.yaml", "You are the", "You may be the")
    unrendered = run("diff", "--offline", cwd=repository).out
    assert "; 2 are uncertain, which counts as widening" in unrendered
    assert "  hint: run `kagent-render render` first" in unrendered
    commit(repository, "not rendered")
    assert "hint: " not in run("diff", "HEAD~1", "HEAD", "--offline", cwd=repository).out
    render(repository)
    assert "hint: " not in run("diff", "--offline", cwd=repository).out


def test_a_lock_that_was_stale_and_is_rendered_now_changes_what_runs(repository: Path) -> None:
    edit(repository / "critic.yaml", "You are the", "You may be the")
    commit(repository, "not rendered")
    render(repository)
    found = pairs(diff(repository))["critic"]
    assert states(found) == [("base", "stale")]
    assert [(c["topic"], c["committedOnly"]) for c in found["changes"] if c["topic"] == "prompt"] == [
        ("prompt", True)
    ]


def _edit_the_lock(folder: Path) -> None:
    edit(folder / LOCK, "You lead.", "You obey.")


def _edit_an_actor_template(folder: Path) -> None:
    path = sorted((folder / PAIR_FOLDER / "actortemplates").iterdir())[0]
    path.write_text(path.read_text().replace("pool", "pond"))


def _remove_the_lock(folder: Path) -> None:
    (folder / LOCK).unlink()


def _conflict(folder: Path) -> None:
    path = folder / LOCK
    path.write_text(f"<<<<<<< ours\n{path.read_text()}=======\n>>>>>>> theirs\n")


def _break_the_template(folder: Path) -> None:
    edit(folder / "lead.yaml", "name: aws", "name: nothing")


def _break_a_document(folder: Path) -> None:
    edit(folder / "lead.yaml", "  description: Leads.", "  descriptoin: Leads.")


def _drop_the_template(folder: Path) -> None:
    (folder / "lead.yaml").unlink()


DAMAGES = {
    "an edited lock": (_edit_the_lock, "damaged"),
    "an edited ActorTemplate": (_edit_an_actor_template, "damaged"),
    "no lock": (_remove_the_lock, "missing"),
    "the markers of a merge": (_conflict, "damaged"),
    "a reference to nothing": (_break_the_template, "not prepared"),
    "an invalid document": (_break_a_document, "not prepared"),
    "a template that is gone, and its lock is not": (_drop_the_template, "left behind"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_runs_otherwise_than_the_manifests_say_is_doubtful_and_widens(
    repository: Path, damage: str
) -> None:
    act, state = DAMAGES[damage]
    act(repository)
    done = diff(repository, "--fail-on", "widening")
    found = pairs(done)[LEAD]
    assert done.status == 1
    assert ("head", state) in states(found)
    assert "No agent changed" not in done.json["verdict"]


def test_an_earlier_revision_that_the_base_never_had_widens(repository: Path) -> None:
    git(repository, "switch", "--quiet", "--create", "branch")
    edit(repository / "lead.yaml", "[find, open]", "[find, open, write]")
    render(repository)
    commit(repository, "more")
    edit(repository / "lead.yaml", "[find, open, write]", "[find, open]")
    edit(repository / "lead.yaml", "You lead.", "You may lead.")
    render(repository)
    commit(repository, "less")
    done = diff(repository, "main...", "--fail-on", "widening")
    (earlier,) = (change for change in pairs(done)[LEAD]["changes"] if change["effect"] == "widens")
    assert (done.status, earlier["topic"]) == (1, "earlier")
    assert run("prune", "--keep", "1", cwd=repository).status == 0
    commit(repository, "pruned")
    assert diff(repository, "main...", "--fail-on", "widening").status == 0


def test_a_retained_manifest_that_nobody_prepared_is_doubtful(repository: Path) -> None:
    git(repository, "switch", "--quiet", "--create", "branch")
    name = "lead-runtime-000000000000"
    folder = repository / PAIR_FOLDER / "actortemplates"
    (own,) = folder.glob("lead-runtime-[!c]*")
    (folder / f"{name}.yaml").write_text(own.read_text().replace("search.example.com", "evil.example.com"))
    listed = f"  retained:\n  - revision: sha256:{'1' * 64}\n    actorTemplates:\n    - {name}"
    edit(repository / LOCK, "  retained: []", listed)
    kustomization = repository / PAIR_FOLDER / "kustomization.yaml"
    edit(kustomization, "resources:\n", f"resources:\n- actortemplates/{name}.yaml\n")
    commit(repository, "put there")
    done = diff(repository, "main...", "--fail-on", "widening")
    assert (done.status, states(pairs(done)[LEAD])) == (1, [("head", "damaged")])


def test_a_file_that_was_put_into_the_output_is_doubtful(repository: Path) -> None:
    (repository / "rendered" / "evil.yaml").write_text("kind: Pod\n")
    done = diff(repository, "--fail-on", "widening")
    (root,) = done.json["roots"]
    assert (done.status, states(root)) == (1, [("head", "damaged")])


def test_a_configuration_that_is_not_valid_hides_no_agent(repository: Path) -> None:
    edit(repository / "kagent-render.yaml", "  target:", "  traget:")
    done = diff(repository, "--fail-on", "widening")
    (root,) = done.json["roots"]
    assert (done.status, states(root), done.json["pairs"]) == (1, [("head", "not prepared")], [])


def test_what_keeps_a_side_from_being_prepared_is_told_with_its_place(repository: Path) -> None:
    _break_the_template(repository)
    (found,) = diff(repository).json["diagnostics"]
    assert (found["side"], found["reason"]) == ("the work tree", "ModelConfigNotFound")
    assert found["source"]["path"] == "lead.yaml"
    told = run("diff", "--offline", cwd=repository)
    assert "in the work tree:\nerror[ModelConfigNotFound]" in told.err
    assert "not be prepared" in told.out or "cannot be prepared" in told.out


def test_a_root_that_is_gone_and_left_its_output_still_runs(repository: Path) -> None:
    (repository / "other").mkdir()
    (repository / "other" / "kagent-render.yaml").write_text((repository / "kagent-render.yaml").read_text())
    (repository / "kagent-render.yaml").unlink()
    done = diff(repository, "--fail-on", "widening")
    found = pairs(done)
    assert (done.status, found[LEAD]["change"]) == (1, "removed")
    assert {name: states(pair) for name, pair in found.items()} == {
        name: [("head", "left behind")] for name in ("critic", "helper", "lead")
    }


def test_the_index_is_a_side(repository: Path) -> None:
    edit(repository / "critic.yaml", "You are the", "You may be the")
    assert diff(repository, "--staged").json["differs"] is False
    render(repository)
    git(repository, "add", "--all", "--force", ".")
    (repository / "critic.yaml").write_text("not YAML: [")
    done = diff(repository, "--staged")
    assert (done.json["head"]["name"], list(pairs(done))) == ("the index", ["critic", "lead"])


def test_the_commit_in_common_is_a_base(edited: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(edited, tmp_path / "moved", symlinks=True)
    start = git(folder, "rev-parse", "main")
    git(folder, "switch", "--quiet", "main")
    edit(folder / "critic.yaml", "You are the", "You may be the")
    render(folder)
    commit(folder, "main moves on")
    git(folder, "switch", "--quiet", "branch")
    done = diff(folder, "main...")
    assert done.json["base"]["commit"] == start
    assert done.json["head"]["commit"] == git(folder, "rev-parse", "branch")
    assert diff(folder, "main...branch").out == done.out.replace("HEAD", "branch")
    assert diff(folder, "main..branch").json["base"]["commit"] == git(folder, "rev-parse", "main")


def test_a_bare_repository_has_two_commits_to_compare(edited: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(edited), "bare.git")
    done = diff(tmp_path / "bare.git", "main", "branch")
    assert done.json == diff(edited, "main", "branch").json
    refused = diff(tmp_path / "bare.git", "main")
    assert refused.status == 2
    assert "give both BASE and HEAD" in refused.err


def test_a_clone_of_one_commit_says_what_to_fetch(edited: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth=1", edited.as_uri(), "shallow")
    folder = tmp_path / "shallow"
    for base in ("main", "HEAD~1", "0" * 40):
        done = diff(folder, base)
        assert done.status == 2
        assert "fetch-depth: 0" in done.err
    assert diff(folder).json["differs"] is False
    git(folder, "fetch", "--quiet", "--depth=1", "origin", "main:refs/remotes/origin/main")
    assert pairs(diff(folder, "origin/main"))[LEAD]["change"] == "changed"
    apart = diff(folder, "origin/main...")
    assert (apart.status, "no commit in common" in apart.err) == (2, True)


def test_a_detached_head_is_a_head(edited: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(edited, tmp_path / "detached", symlinks=True)
    git(folder, "switch", "--quiet", "--detach", "branch")
    assert list(pairs(diff(folder, "main"))) == ["auditor", "critic", "helper", "lead"]


def test_a_linked_work_tree_is_a_work_tree(edited: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(edited, tmp_path / "whole", symlinks=True)
    git(folder, "worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"), "branch")
    assert diff(tmp_path / "linked", "main").json["pairs"] == diff(edited, "main").json["pairs"]


def test_roots_may_be_on_one_side_only(base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "several"
    shutil.copytree(base, folder / "old", ignore=shutil.ignore_patterns(".git"))
    shutil.copytree(base, folder / "kept", ignore=shutil.ignore_patterns(".git"))
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    commit(folder, "start")
    shutil.move(folder / "old", folder / "new")
    done = diff(folder)
    found = [(pair["root"], pair["template"], pair["change"]) for pair in done.json["pairs"]]
    assert found == [
        *(("new", name, "added") for name in ("critic", "helper", "lead")),
        *(("old", name, "removed") for name in ("critic", "helper", "lead")),
    ]
    assert [(root["root"], root["change"]) for root in done.json["roots"]] == [
        ("new", "added"),
        ("old", "removed"),
    ]
    assert done.json["same"]["pairs"] == 3
    gone = diff(folder, "--path", "old")
    assert {pair["change"] for pair in gone.json["pairs"]} == {"removed"}


def _nest(folder: Path) -> None:
    """Put a root with everything into a folder of the root."""
    hidden = shutil.ignore_patterns(".git", "rendered", "nested")
    shutil.copytree(folder, folder / "nested", ignore=hidden)
    render(folder / "nested")


def test_a_root_within_a_root_hides_nothing(repository: Path) -> None:
    _nest(repository)
    done = diff(repository, "--fail-on", "widening")
    assert (done.status, {pair["root"] for pair in done.json["pairs"]}) == (1, {"nested"})
    commit(repository, "nested")
    edit(repository / "nested" / "lead.yaml", "[find, open]", "[find, open, write]")
    render(repository / "nested")
    for args in ((), ("--staged",)):
        git(repository, "add", "--all", "--force", ".")
        found = diff(repository, *args, "--fail-on", "widening")
        assert (found.status, [pair["root"] for pair in found.json["pairs"]]) == (1, ["nested"])


def test_a_nested_root_that_is_the_same_is_not_looked_at(repository: Path) -> None:
    (repository / "broken").mkdir()
    (repository / "broken" / "kagent-render.yaml").write_text("nothing: []\n")
    commit(repository, "broken")
    (repository / "README.md").write_text("Read me.\n")
    assert diff(repository).json["differs"] is False


def test_a_new_root_around_the_others_takes_none_of_them_away(base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "around"
    shutil.copytree(base, folder / "team", ignore=shutil.ignore_patterns(".git"))
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    commit(folder, "start")
    (folder / "kagent-render.yaml").write_text((folder / "team" / "kagent-render.yaml").read_text())
    edit(folder / "team" / "lead.yaml", "[find, open]", "[find, open, write]")
    render(folder / "team")
    (pair,) = diff(folder).json["pairs"]
    assert (pair["root"], pair["change"]) == ("team", "changed")
    assert ("tool", "added") in topics(pair)


def test_two_commits_with_one_tree_are_not_prepared(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, "empty")
    monkeypatch.setattr("kagent_render.cli.run.prepare", None)
    done = diff(repository, "HEAD~1", "HEAD")
    assert done.json["verdict"] == "No agent changed: 3 pairs and 2 platform agents are the same"


def test_a_file_below_the_root_that_is_no_source_changes_no_agent(repository: Path) -> None:
    (repository / "README.md").write_text("Read me.\n")
    commit(repository, "docs")
    assert diff(repository, "HEAD~1", "HEAD").json["differs"] is False


def test_another_release_is_no_noise(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kagent_render.compile.adapters.python.configuration.FORMAT", 99, raising=False)
    monkeypatch.setattr("kagent_render.cli.run.program_identity", lambda: "another program")
    render(repository)
    done = diff(repository, "--fail-on", "widening")
    found = pairs(done)
    assert {name: states(pair) for name, pair in found.items()} == {
        name: [("base", "other release")] for name in ("critic", "helper", "lead")
    }
    assert (done.status, {pair["effect"] for pair in found.values()}) == (0, {"neutral"})


REFUSED = [
    (("--rev", "HEAD"), "give revisions as BASE and HEAD"),
    (("HEAD", "HEAD", "--staged"), "HEAD must not be given"),
    (("a..b", "c"), "names both sides already"),
    (("nothing",), "the repository has no commit `nothing`"),
    (("a\x1bb",), "fetch it"),
]


@pytest.mark.parametrize(("args", "told"), REFUSED)
def test_what_cannot_be_compared_is_refused(base: Path, args: tuple[str, ...], told: str) -> None:
    done = diff(base, *args)
    assert (done.status, done.out) == (2, "")
    assert told in done.err
    assert "\x1b" not in done.err


def test_a_repository_without_a_root_on_either_side_has_nothing_to_compare(repository: Path) -> None:
    (repository / "kagent-render.yaml").unlink()
    commit(repository, "no root")
    done = diff(repository)
    assert (done.status, "on either side" in done.err) == (2, True)


def test_outside_of_git_there_is_nothing_to_compare(team: Path) -> None:
    done = diff(team)
    assert (done.status, "is not in a Git repository" in done.err) == (2, True)


def test_the_first_commit_has_none_before_it(team: Path) -> None:
    git(team, "init", "--quiet", "--initial-branch=main", ".")
    done = diff(team)
    assert (done.status, "the repository has no commit `HEAD`" in done.err) == (2, True)


def test_text_and_markdown_are_the_same_on_every_run(edited: Path) -> None:
    for written in ("text", "markdown", "html"):
        once, twice = (run("diff", "--offline", "main", "branch", "-o", written, cwd=edited) for _ in "ab")
        assert once.out == twice.out


def test_the_limit_of_markdown_is_kept(edited: Path) -> None:
    done = run("diff", "--offline", "main", "branch", "-o", "markdown", "--max-size", "2000", cwd=edited)
    assert len(done.out) <= 2_000
    assert "Left out to stay within 2,000 characters" in done.out


def test_json_is_safe_in_the_log_of_a_job(repository: Path) -> None:
    edit(repository / "critic.yaml", "You are the critic.", '"##[group]x"')
    done = diff(repository)
    assert "##[" not in done.out
    assert "##[group]x" in json.dumps(done.json)


def test_a_line_that_is_quoted_is_no_command_of_a_runner(repository: Path) -> None:
    edit(repository / "lead.yaml", "  description: Leads.", '  descriptoin: "##[error]x"')
    told = run("diff", "--offline", "-o", "markdown", cwd=repository)
    assert "##\\[error]x" in told.err
    assert "##[" not in told.out + told.err


def test_a_source_at_an_unknown_commit_is_not_asked_for_offline(repository: Path) -> None:
    edit(repository / "lead.yaml", COMMIT, "c" * 40)
    found = pairs(diff(repository))[LEAD]
    assert states(found) == [("head", "not prepared")]
