"""A commit is read as `kagent-render check --frozen` reads it, with all that it names."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_apply.cli.server.commit_check import CommitCheck
from kagent_apply.cluster.capabilities import PUBLISHED
from kagent_apply.cluster.committed import Committed, CommitUnreadableError
from kagent_apply.instances.requests import AgentName
from tests.apply.cluster.objects import COORDINATOR, NAMESPACE
from tests.running import copy_example, run
from tests.source.git_repositories import git

COORDINATING = AgentName(NAMESPACE, "python-runtime", "incident-coordinator")


def commit(folder: Path) -> str:
    """Commit all that is there."""
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main", ".")
    git(folder, "add", "--all", "--force", ".")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed example; tests copy it."""
    folder = copy_example(tmp_path_factory.mktemp("whole") / "incident")
    commit(folder)
    return folder


@pytest.fixture
def incident(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "incident")


def _read(folder: Path) -> Committed:
    return CommitCheck(folder, "main")()


def test_a_commit_says_what_check_says(incident: Path) -> None:
    told = run("check", "--frozen", "--rev", "main", "-o", "json", cwd=incident).json["pairs"]
    found = _read(incident)
    assert found.commit == git(incident, "rev-parse", "HEAD")
    assert [
        (pair.agent.harness, pair.agent.agent_template, pair.revision, *map(_plain, pair.verdicts))
        for pair in found.pairs
    ] == [
        (
            pair["harness"],
            pair["template"],
            pair["revision"],
            *(tuple(each.values()) for each in pair["conditions"]),
        )
        for pair in told
    ]


def _plain(verdict: object) -> tuple[str, ...]:
    return tuple(str(getattr(verdict, name)) for name in ("type", "status", "reason", "message"))


def test_a_commit_names_its_templates_its_agents_and_its_digests(incident: Path) -> None:
    found = _read(incident)
    assert found.problem == ""
    assert COORDINATOR in found.actor_templates[NAMESPACE]
    assert len(found.actor_templates[NAMESPACE]) == 4
    assert COORDINATING in found.known
    assert len(found.spec_digests) == 4
    assert all(digest.startswith("sha256:") for digest in found.spec_digests.values())


def test_a_harness_has_the_capabilities_of_its_record_and_none_that_is_unproven(incident: Path) -> None:
    (harness,) = _read(incident).harnesses
    assert harness.worker_pool == "shared-pool"
    assert harness.fault is None
    assert set(harness.capabilities) == {"version", *PUBLISHED}
    record = run(
        "explain",
        f"{NAMESPACE}/python-runtime/incident-coordinator",
        "capabilities",
        "-o",
        "json",
        cwd=incident,
    )
    assert '"unproven"' in record.out
    assert harness.capabilities["streaming"] is False


def test_what_is_on_disk_does_not_count(incident: Path) -> None:
    before = _read(incident)
    shutil.rmtree(incident / "agents")
    assert CommitCheck(incident, "main")() == before


def test_a_bare_repository_will_do(incident: Path, tmp_path: Path) -> None:
    git(incident, "clone", "--quiet", "--bare", ".", str(tmp_path / "mirror.git"))
    assert _read(tmp_path / "mirror.git") == _read(incident)


def test_a_commit_is_read_once_and_the_next_one_when_it_comes(incident: Path) -> None:
    check = CommitCheck(incident, "main")
    first = check()
    assert check() is first
    later = commit(incident)
    assert check().commit == later


def test_an_edit_without_a_render_is_stale(incident: Path) -> None:
    path = incident / "agents" / "incident-coordinator.yaml"
    path.write_text(path.read_text().replace("Coordinate the", "Lead the"))
    commit(incident)
    found = {pair.agent.agent_template: pair.verdicts[-1] for pair in _read(incident).pairs}
    assert (found["incident-coordinator"].status, found["incident-coordinator"].reason) == (
        "False",
        "LockStale",
    )
    assert found["incident-reviewer"].status == "True"


def test_what_an_in_use_document_names_is_named(incident: Path) -> None:
    folder = incident / ".kagent" / "in-use"
    folder.mkdir(parents=True)
    (folder / "team.yaml").write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\n"
        "metadata: {name: team, namespace: elsewhere}\nspec: {actorTemplates: [a, b]}\n"
    )
    commit(incident)
    assert _read(incident).actor_templates["elsewhere"] == {"a", "b"}


def test_what_an_earlier_revision_left_is_named(incident: Path) -> None:
    config = incident / "kagent-render.yaml"
    config.write_text(config.read_text().replace("revisions: 1", "revisions: 2"))
    path = incident / "agents" / "incident-coordinator.yaml"
    path.write_text(path.read_text().replace("Coordinate the", "Lead the"))
    assert run("render", "--offline", cwd=incident).status == 0
    commit(incident)
    names = _read(incident).actor_templates[NAMESPACE]
    assert COORDINATOR in names
    assert len(names) > 4


def _lock(incident: Path) -> None:
    path = incident / "rendered/agent-team/python-runtime/incident-reviewer/revision.lock.yaml"
    path.write_text("<<<<<<< ours\n" + path.read_text())


def _config(incident: Path) -> None:
    (incident / "kagent-render.yaml").write_text("kind: Other\n")


def _in_use(incident: Path) -> None:
    (incident / ".kagent" / "in-use").mkdir(parents=True)
    (incident / ".kagent" / "in-use" / "a.yaml").write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\nmetadata: {name: a, namespace: b}\nspec: {}\n"
    )


def _yaml(incident: Path) -> None:
    (incident / "agents" / "broken.yaml").write_text("apiVersion: kagent.dev/v1alpha2\nkind: [\n")


def _nested(incident: Path) -> None:
    (incident / "nested").mkdir()
    (incident / "nested" / "kagent-render.yaml").write_text("kind: Other\n")


@pytest.mark.parametrize("damage", [_lock, _config, _in_use, _yaml, _nested])
def test_what_cannot_be_read_is_a_problem(incident: Path, damage: Callable[[Path], None]) -> None:
    damage(incident)
    commit(incident)
    assert _read(incident).problem


def test_an_object_that_is_not_valid_has_no_digest_but_is_committed(incident: Path) -> None:
    path = incident / "agents" / "incident-coordinator.yaml"
    path.write_text(path.read_text().replace("systemPrompt:", "systemPrompts:"))
    commit(incident)
    assert _read(incident).spec_digests["AgentTemplate", NAMESPACE, "incident-coordinator"] == ""


def test_a_harness_without_an_image_has_its_fault(incident: Path) -> None:
    path = incident / "agents" / "python-runtime.yaml"
    lines = [
        line for line in path.read_text().splitlines() if "workload:" not in line and "image:" not in line
    ]
    path.write_text("\n".join(lines))
    commit(incident)
    (harness,) = _read(incident).harnesses
    assert harness.fault is not None
    assert "image" in harness.fault[1]


@pytest.mark.parametrize("ref", ["absent", "main~1000", "", "--help"])
def test_a_ref_that_is_not_there_is_unreadable(incident: Path, ref: str) -> None:
    with pytest.raises(CommitUnreadableError):
        CommitCheck(incident, ref)()


def test_a_folder_that_is_no_repository_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(CommitUnreadableError):
        CommitCheck(tmp_path, "main")()


def test_a_tag_does_not_take_the_place_of_the_branch_that_serves(incident: Path) -> None:
    older = git(incident, "rev-parse", "main")
    git(incident, "tag", "main", older)
    newer = commit(incident)
    assert older != newer
    assert _read(incident).commit == newer
