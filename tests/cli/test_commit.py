"""`commit`: the output of a revision on a branch of its own."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from tests.cli.branches import (
    BRANCH,
    LOCK,
    RECORD,
    commit,
    content,
    done,
    edit_and_commit,
    listed,
    own_identity,
    put,
)
from tests.cli.platform import write_platform
from tests.cli.team import PAIR_FOLDER, edit, write_team
from tests.running import run, tree
from tests.source.git_repositories import git


@pytest.fixture(scope="module", autouse=True)
def identity() -> object:
    with pytest.MonkeyPatch.context() as patch:
        own_identity(patch)
        yield


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of `team` on `main`, and their output on the branch."""
    folder = write_team(tmp_path_factory.mktemp("commit") / "team")
    git(folder, "init", "--quiet", "--template=", "--initial-branch=main", ".")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "start")
    done(folder)
    return folder


@pytest.fixture
def repository(started: Path, tmp_path: Path) -> Path:
    return shutil.copytree(started, tmp_path / "team")


def test_the_branch_holds_what_render_writes_and_a_record_for_each_pair(
    repository: Path, rendered_team: Path
) -> None:
    written = {f"rendered/{path}" for path in tree(rendered_team / "rendered")}
    records = {f".kagent/rendered-from/team/runtime/{name}.yaml" for name in ("lead", "helper", "critic")}
    assert set(listed(repository)) == written | records
    assert content(repository, LOCK) == (rendered_team / LOCK).read_text().strip()


def test_a_record_names_the_source_the_revision_and_the_folder(repository: Path) -> None:
    spec = yaml.safe_load(content(repository, RECORD))["spec"]
    revision = yaml.safe_load(content(repository, LOCK))["spec"]["revision"]
    source = git(repository, "rev-parse", "main")
    assert spec == {"commit": source, "output": "rendered", "revision": revision}


def test_neither_work_tree_nor_index_nor_head_is_touched(repository: Path) -> None:
    (repository / "lead.yaml").write_text("not committed")
    before = tree(repository)
    index, head = before[".git/index"], before[".git/HEAD"]
    done(repository, "--message", "again")
    after = tree(repository)
    assert (after[".git/index"], after[".git/HEAD"]) == (index, head)
    assert {path: data for path, data in after.items() if not path.startswith(".git/")} == {
        path: data for path, data in before.items() if not path.startswith(".git/")
    }


def test_a_source_commit_that_changes_no_output_makes_no_commit(repository: Path) -> None:
    tip = git(repository, "rev-parse", BRANCH)
    edit_and_commit(repository, "  unused: Nobody reads this.", "  unused: Still.", "inputs.yaml")
    found = done(repository)
    assert (found["old"], found["new"], found["changed"]) == (tip, tip, [])
    assert git(repository, "rev-parse", BRANCH) == tip


def test_only_the_record_of_a_pair_that_changed_is_written(repository: Path) -> None:
    source = edit_and_commit(repository, "You are the critic.", "You are a critic.", "critic.yaml")
    tip = git(repository, "rev-parse", BRANCH)
    found = done(repository)
    records = [path for path in found["changed"] if path.startswith(".kagent/")]
    assert sorted(records) == [
        ".kagent/rendered-from/team/runtime/critic.yaml",
        ".kagent/rendered-from/team/runtime/lead.yaml",  # which calls the critic
    ]
    assert found["source"] == source
    assert git(repository, "rev-parse", f"{BRANCH}^") == tip == found["old"]
    assert git(repository, "diff", "--name-only", f"{BRANCH}^", BRANCH).splitlines() == found["changed"]


def test_the_commit_names_its_source_in_a_trailer(repository: Path) -> None:
    source = git(repository, "rev-parse", "main")
    trailer = git(repository, "log", "-1", "--format=%(trailers:key=Kagent-Render-Source,valueonly)", BRANCH)
    assert trailer == source
    written = git(repository, "log", "-1", "--format=%an <%ae> %at", BRANCH)
    assert written == f"A <a@example.com> {int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())}"


def test_an_earlier_revision_is_retained_from_the_branch_and_not_from_head(repository: Path) -> None:
    before = yaml.safe_load(content(repository, LOCK))["spec"]
    edit_and_commit(repository, "You lead.", "You lead them.")
    edit_and_commit(repository, "You lead them.", "You lead all.")
    done(repository)
    after = yaml.safe_load(content(repository, LOCK))["spec"]
    assert [known["revision"] for known in after["retained"]] == [before["revision"]]
    for name in after["retained"][0]["actorTemplates"]:
        assert f"{PAIR_FOLDER}/actortemplates/{name}.yaml" in listed(repository)


def test_the_same_source_on_the_same_tip_gives_the_same_tree(repository: Path, tmp_path: Path) -> None:
    edit_and_commit(repository, "You lead.", "You lead them.")
    other = shutil.copytree(repository, tmp_path / "other")
    trees = []
    for folder, date in ((repository, "2026-02-01T00:00:00Z"), (other, "2026-03-01T00:00:00Z")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GIT_COMMITTER_DATE", date)
            done(folder)
        trees.append(git(folder, "rev-parse", f"{BRANCH}^{{tree}}"))
    assert trees[0] == trees[1]
    assert git(repository, "rev-parse", BRANCH) != git(other, "rev-parse", BRANCH)


def test_a_pair_that_is_gone_goes_with_its_record(repository: Path) -> None:
    git(repository, "rm", "--quiet", "lead.yaml")
    git(repository, "commit", "--quiet", "--message", "without lead")
    done(repository)
    assert [path for path in listed(repository) if "/lead" in path] == []
    assert "- team/runtime/lead removed" in git(repository, "log", "-1", "--format=%b", BRANCH)


def test_what_instances_need_of_a_pair_that_is_gone_stays(repository: Path) -> None:
    names = [path for path in listed(repository) if path.startswith(f"{PAIR_FOLDER}/actortemplates/")]
    kept = names[0].rpartition("/")[2].removesuffix(".yaml")
    (repository / ".kagent" / "in-use").mkdir(parents=True)
    (repository / ".kagent" / "in-use" / "team.yaml").write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\nmetadata: {namespace: team, name: in-use}\n"
        f"spec:\n  actorTemplates: [{kept}]\n"
    )
    git(repository, "rm", "--quiet", "lead.yaml")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "without lead")
    done(repository)
    left = [path for path in listed(repository) if "/lead" in path]
    assert left == [RECORD, names[0], f"{PAIR_FOLDER}/kustomization.yaml"]
    assert "revision" not in yaml.safe_load(content(repository, RECORD))["spec"]


def test_an_output_folder_with_another_name_takes_along_what_is_retained_and_leaves_nothing(
    repository: Path,
) -> None:
    before = yaml.safe_load(content(repository, LOCK))["spec"]["revision"]
    edit(repository / "kagent-render.yaml", "spec:\n", "spec:\n  output: manifests\n")
    edit_and_commit(repository, "You lead.", "You lead them.")
    done(repository)
    assert {path.partition("/")[0] for path in listed(repository)} == {".kagent", "manifests"}
    spec = yaml.safe_load(content(repository, LOCK.replace("rendered", "manifests")))["spec"]
    (retained,) = spec["retained"]
    assert retained["revision"] == before
    assert all(any(name in path for path in listed(repository)) for name in retained["actorTemplates"])
    assert done(repository)["changed"] == []


def test_a_root_that_moves_takes_along_what_is_retained_and_what_is_in_use(tmp_path: Path) -> None:
    root = write_team(tmp_path / "a" / "team")
    edit(root / "kagent-render.yaml", "revisions: 3", "revisions: 2")
    git(tmp_path, "init", "--quiet", "--template=", "--initial-branch=main", ".")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "start")
    done(tmp_path)
    oldest = {Path(path).stem for path in listed(tmp_path) if "/lead/actortemplates/lead-runtime-" in path}
    in_use = root / ".kagent" / "in-use" / "team.yaml"
    in_use.parent.mkdir(parents=True)
    in_use.write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\nmetadata: {namespace: team, name: all}\n"
        f"spec: {{actorTemplates: [{', '.join(sorted(oldest))}]}}\n"
    )
    git(tmp_path, "add", ".")
    for old, new in (("You lead.", "You rule."), ("You rule.", "You reign.")):
        edit_and_commit(tmp_path, old, new, "a/team/lead.yaml")
        done(tmp_path)
    before = {path.partition("/rendered/")[2] for path in listed(tmp_path) if "/actortemplates/" in path}
    assert sum(f"/{name}.yaml" in path for name in oldest for path in before) == len(oldest)
    git(tmp_path, "mv", "a", "b")
    git(tmp_path, "commit", "--quiet", "--message", "another folder")
    done(tmp_path)
    assert {path.partition("/")[0] for path in listed(tmp_path)} == {"b"}
    after = {path.partition("/rendered/")[2] for path in listed(tmp_path) if "/actortemplates/" in path}
    assert after == before
    assert done(tmp_path)["changed"] == []


def test_a_root_that_moves_and_leaves_its_output_where_it_is_loses_no_file(tmp_path: Path) -> None:
    root = write_team(tmp_path / "a")
    config = (root / "kagent-render.yaml").read_text()
    (tmp_path / "kagent-render.yaml").write_text(config.replace("spec:\n", "spec:\n  output: a/rendered\n"))
    (root / "kagent-render.yaml").unlink()
    git(tmp_path, "init", "--quiet", "--template=", "--initial-branch=main", ".")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "start")
    done(tmp_path)
    before = {path for path in listed(tmp_path) if path.startswith("a/rendered/")}
    (tmp_path / "kagent-render.yaml").unlink()
    (root / "kagent-render.yaml").write_text(config)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "a root of its own")
    assert done(tmp_path)["changed"] == []
    edit_and_commit(tmp_path, "You lead.", "You lead them.", "a/lead.yaml")
    done(tmp_path)
    paths = listed(tmp_path)
    assert {path for path in paths if path.startswith("a/rendered/")} > before
    assert not [path for path in paths if not path.startswith("a/")]
    assert f"a/{RECORD}" in paths


def test_a_pair_that_goes_while_its_root_moves_leaves_what_instances_need(tmp_path: Path) -> None:
    root = write_team(tmp_path / "a")
    git(tmp_path, "init", "--quiet", "--template=", "--initial-branch=main", ".")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "start")
    done(tmp_path)
    needed = [path for path in listed(tmp_path) if "/lead/actortemplates/" in path]
    in_use = root / ".kagent" / "in-use" / "team.yaml"
    in_use.parent.mkdir(parents=True)
    in_use.write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\nmetadata: {namespace: team, name: all}\n"
        f"spec: {{actorTemplates: [{', '.join(Path(path).stem for path in needed)}]}}\n"
    )
    (root / "lead.yaml").unlink()
    root.rename(tmp_path / "b")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "another folder")
    done(tmp_path)
    assert [path for path in listed(tmp_path) if "/lead/actortemplates/" in path] == needed


def test_files_of_other_people_stay_with_a_warning_where_they_are_in_the_way_of_nothing(
    repository: Path,
) -> None:
    put(repository, {"README.md": b"mine\n", "rendered/notes.txt": b"mine\n", ".kagent/x.yaml": b"mine\n"})
    edit_and_commit(repository, "You lead.", "You lead them.")
    found = done(repository)
    drifts = [one for one in found["diagnostics"] if one["reason"] == "OutputDrift"]
    told = [(one["severity"], one["source"]["path"]) for one in drifts]
    assert told == [("warning", "rendered/notes.txt")]
    for path in ("README.md", "rendered/notes.txt", ".kagent/x.yaml"):
        assert content(repository, path) == "mine"


@pytest.mark.parametrize(
    ("path", "status"),
    [("rendered", 2), ("rendered/team", 1), (LOCK.rpartition("/")[0], 1), (".kagent", 2)],
)
def test_a_file_where_a_folder_has_to_be_is_an_error_and_stays(
    repository: Path, path: str, status: int
) -> None:
    git(repository, "checkout", "--quiet", "--orphan", "bad")
    git(repository, "rm", "-r", "--quiet", "--force", ".")
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    (repository / path).write_text("mine")
    git(repository, "add", "--force", ".")
    git(repository, "commit", "--quiet", "--message", "bad")
    git(repository, "checkout", "--quiet", "main")
    tip = git(repository, "rev-parse", "bad")
    found = commit(repository, branch="bad")
    assert found.status == status, found.err
    assert path in found.err + found.out
    assert git(repository, "rev-parse", "bad") == tip


@pytest.mark.parametrize("flag", ["--dry-run", "--locked"])
def test_nothing_is_written_where_only_the_changes_are_asked_for(repository: Path, flag: str) -> None:
    edit_and_commit(repository, "You lead.", "You lead them.")
    tip, objects = git(repository, "rev-parse", BRANCH), git(repository, "count-objects")
    found = commit(repository, flag)
    assert found.status == (1 if flag == "--locked" else 0)
    assert LOCK in found.json["changed"]
    assert (git(repository, "rev-parse", BRANCH), git(repository, "count-objects")) == (tip, objects)
    done(repository)
    assert commit(repository, flag).status == 0


def test_another_revision_than_head_is_rendered(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD")
    edit_and_commit(repository, "You lead.", "You lead them.")
    assert done(repository, "--rev", "HEAD~1")["changed"] == []
    assert done(repository, "--rev", first, branch="other")["source"] == first


def test_the_output_of_a_later_commit_stays_where_only_going_forward_is_allowed(repository: Path) -> None:
    edit_and_commit(repository, "You lead.", "You lead them.")
    tip = done(repository)["new"]
    told = run("commit", "--branch", BRANCH, "--rev", "HEAD~1", "--forward", cwd=repository).err
    assert "has the output of a commit after" in told
    assert git(repository, "rev-parse", BRANCH) == tip
    assert done(repository, "--rev", "HEAD~1")["old"] == tip  # as somebody may want who takes a change back
    assert done(repository, "--forward")["changed"] != []


def test_where_a_pair_fails_nothing_is_committed_unless_told_to_keep_going(repository: Path) -> None:
    edit_and_commit(repository, "modelConfig: {name: aws}", "modelConfig: {name: gone}", "critic.yaml")
    edit_and_commit(repository, "You are the helper.", "You are a helper.", "helper.yaml")
    tip = git(repository, "rev-parse", BRANCH)
    found = commit(repository)
    assert (found.status, found.json["new"], git(repository, "rev-parse", BRANCH)) == (1, tip, tip)
    assert "ModelConfigNotFound" in {fault["reason"] for fault in found.faults}
    kept = commit(repository, "--keep-going")
    assert kept.status == 1
    changed = {path.split("/")[3] for path in kept.json["changed"] if path.startswith("rendered/team/")}
    assert changed == {"helper"}
    assert LOCK in listed(repository)


def test_every_root_has_its_output_and_its_records_at_its_own_path(tmp_path: Path) -> None:
    write_team(tmp_path / "teams" / "a")
    write_platform(tmp_path / "teams" / "b")
    git(tmp_path, "init", "--quiet", "--template=", "--initial-branch=main", ".")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "start")
    done(tmp_path)
    paths = listed(tmp_path)
    assert {"/".join(path.split("/")[:4]) for path in paths if "/lead" in path} == {
        "teams/a/rendered/team",
        "teams/a/.kagent/rendered-from",
    }
    agent = "teams/b/.kagent/rendered-from/ops/_agentplugins/platform-agent.yaml"
    assert {agent, "teams/b/rendered/ops/_agentplugins/platform-agent/revision.lock.yaml"} <= set(paths)
    assert yaml.safe_load(content(tmp_path, agent))["spec"]["revision"].startswith("sha256:")
    assert run("check", "--offline", "--rev", "main", cwd=tmp_path).status == 1  # whose output is elsewhere

    edit(tmp_path / "teams" / "b" / "agent.yaml", "maxTurns: 3", "maxTurns: 4")
    git(tmp_path, "rm", "-r", "--quiet", "teams/a")
    git(tmp_path, "commit", "--quiet", "--all", "--message", "without a")
    narrow = done(tmp_path, "teams/b")
    assert all(path.startswith("teams/b/") for path in narrow["changed"])
    found = done(tmp_path)
    assert {path.split("/")[1] for path in found["changed"]} == {"a"}
    assert [path for path in listed(tmp_path) if path.startswith("teams/a")] == []


@pytest.fixture(scope="module")
def crowded(started: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Branches of all kinds that must not be written."""
    repository = shutil.copytree(started, tmp_path_factory.mktemp("crowded") / "team")
    edit_and_commit(repository, "You lead.", "You lead them.")
    git(repository, "branch", "here", "main")
    git(repository, "branch", "behind", "main~1")
    git(repository, "symbolic-ref", "refs/heads/alias", f"refs/heads/{BRANCH}")
    for kind, name in (("blob", "main:lead.yaml"), ("tree", "main^{tree}")):
        identifier = git(repository, "rev-parse", name)
        (repository / ".git" / "refs" / "heads" / kind).write_text(f"{identifier}\n")
    return repository


@pytest.mark.parametrize(
    ("branch", "told"),
    [
        ("main", "is checked out at"),
        ("a..b", "cannot be the name of a branch"),
        ("-x", "cannot be the name of a branch"),
        ("HEAD", "cannot be the name of a branch"),
        ("a\nb", "cannot be the name of a branch"),
        ("", "cannot be the name of a branch"),
        ("refs/heads/x", "write `--branch x`"),
        ("here", "is at the commit that is rendered"),
        ("behind", "holds sources"),
        ("alias", "symbolic reference"),
        ("blob", "is a blob, not a commit"),
        ("tree", "is a tree, not a commit"),
        (f"{BRANCH}/below", "does not let"),
    ],
)
def test_a_branch_that_must_not_be_written_is_refused(crowded: Path, branch: str, told: str) -> None:
    before = git(crowded, "for-each-ref")
    found = commit(crowded, f"--branch={branch}")
    assert (found.status, told in found.err) == (2, True), found.err
    assert git(crowded, "for-each-ref") == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--staged"], "renders a commit"),
        (["-f", "-"], "renders a commit"),
        (["--offline", "--push"], "`--push` needs the network"),
        (["--message", "a\0b"], "NUL"),
        (["--rev", "nowhere"], "has no commit `nowhere`"),
    ],
)
def test_flags_that_make_no_sense_are_refused(repository: Path, arguments: list[str], told: str) -> None:
    found = run("commit", "--branch", BRANCH, *arguments, cwd=repository, stdin=b"")
    assert (found.status, told in found.err) == (2, True), found.err


def test_a_repository_without_a_commit_is_told_so(tmp_path: Path) -> None:
    write_team(tmp_path)
    git(tmp_path, "init", "--quiet", "--template=", ".")
    found = commit(tmp_path)
    assert (found.status, "has no commit `HEAD`" in found.err) == (2, True)


def test_a_folder_outside_of_git_is_told_so(tmp_path: Path) -> None:
    found = commit(write_team(tmp_path / "team"))
    assert (found.status, "not in a Git repository" in found.err) == (2, True)


def test_text_says_what_became_of_the_branch(repository: Path) -> None:
    source = edit_and_commit(repository, "You lead.", "You lead them.")
    told = run("commit", "--branch", BRANCH, cwd=repository).err
    tip = git(repository, "rev-parse", BRANCH)
    assert f"`{BRANCH}` is at {tip[:12]}, changed in 4 files from {source[:12]}" in told
    assert f"`{BRANCH}` is current at {tip[:12]}" in run("commit", "--branch", BRANCH, cwd=repository).err
