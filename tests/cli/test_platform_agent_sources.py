"""PlatformAgents are read from wherever pairs are: the index, a revision, standard input, several roots."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.platform import (
    AGENT_FILES,
    FOLDER,
    HEAD,
    LOCK,
    OTHER_FOLDER,
    check,
    plugin,
    render,
    told,
)
from tests.cli.team import edit
from tests.running import run, tree
from tests.source.git_repositories import git


@pytest.fixture
def repository(platform: Path) -> Path:
    """The rendered root at the top of a Git repository, all of it committed."""
    git(platform, "init", "--quiet", "--initial-branch=main", ".")
    commit(platform)
    return platform


def commit(folder: Path) -> None:
    git(folder, "add", "--all", "--force", ".")
    git(folder, "commit", "--quiet", "--message", "change")


def test_a_staged_edit_needs_its_staged_output(repository: Path) -> None:
    edit(repository / "stockout.yaml", "- stockout", "- stock")
    assert check(repository, "--staged").status == 0
    render(repository)
    git(repository, "add", "stockout.yaml")
    assert told(check(repository, "--staged")) == [("LockStale", "AgentPlugin/stockout", "spec.config")]
    git(repository, "add", "--all", ".")
    assert check(repository, "--staged").status == 0


def test_a_revision_is_read_whole_manifests_and_output(repository: Path) -> None:
    git(repository, "tag", "good")
    edit(repository / "stockout.yaml", "- stockout", "- stock")
    commit(repository)
    (repository / "stockout.yaml").write_text("# not committed\n" * 40)
    assert check(repository, "--rev", "good").status == 0
    done = check(repository, "--rev", "HEAD")
    assert told(done) == [("LockStale", "AgentPlugin/stockout", "spec.config")]
    text = run("check", "--offline", "--rev", "HEAD", cwd=repository).err
    assert "stockout.yaml:13:3" in text


@pytest.mark.parametrize("flags", [["--staged"], ["--rev", "HEAD"]], ids=" ".join)
def test_pins_are_those_of_the_source_that_is_read(repository: Path, flags: list[str]) -> None:
    """What the work tree's own lock says of an image does not count for the index or a revision."""
    shutil.rmtree(repository / FOLDER)
    assert check(repository, *flags).json["diagnostics"] == check_at_rest(repository)
    assert check(repository, *flags).status == 0


def check_at_rest(folder: Path) -> object:
    """What is told where all is committed."""
    git(folder, "stash", "--quiet")
    found = check(folder).json["diagnostics"]
    git(folder, "stash", "pop", "--quiet")
    return found


def test_manifests_come_from_stdin_and_locks_from_the_root(platform: Path) -> None:
    manifests = "---\n".join(AGENT_FILES.values()).encode()
    for name in AGENT_FILES:
        (platform / name).unlink()
    assert check(platform, "-f", "-", stdin=manifests).status == 0
    done = check(platform, "-f", "-", stdin=manifests.replace(b"- stockout", b"- stock"))
    assert told(done) == [("LockStale", "AgentPlugin/stockout", "spec.config")]
    assert done.faults[0]["source"]["path"] == "<stdin>"
    assert render(platform, "-f", "-", stdin=manifests).json["changed"] == []


def test_a_stream_that_asks_for_nothing_removes_no_agent(platform: Path) -> None:
    before = tree(platform)
    done = run("render", "--offline", "-f", "-", cwd=platform, stdin=b"")
    assert done.status == 2
    assert "holds 2" in done.err
    assert "they would all be removed" in done.err
    assert tree(platform) == before
    assert render(platform, "-f", "-", "--allow-empty", stdin=b"").status == 0
    assert tree(platform / "rendered") == {}


def test_a_stream_with_agents_alone_removes_the_pairs(mixed: Path) -> None:
    done = render(mixed, "-f", "-", stdin="---\n".join(AGENT_FILES.values()).encode())
    assert done.status == 0
    assert not (mixed / "rendered/team").exists()
    assert (mixed / LOCK).exists()


@pytest.fixture
def two_roots(tmp_path: Path, rendered_platform: Path, rendered_team: Path) -> Path:
    """A folder with a root of agents and one of pairs."""
    shutil.copytree(rendered_platform, tmp_path / "agents")
    shutil.copytree(rendered_team, tmp_path / "pairs")
    return tmp_path


def test_several_roots_are_told_together(two_roots: Path) -> None:
    edit(two_roots / "agents/stockout.yaml", "- stockout", "- stock")
    done = check(two_roots)
    assert len(done.json["pairs"]) == 3
    assert len(done.json["platformAgents"]) == 2
    assert [fault["source"]["path"] for fault in done.faults] == ["agents/stockout.yaml"]
    assert {path.partition("/rendered/")[0] for path in done.json["changed"]} == {"agents"}


@pytest.mark.parametrize(
    ("broken", "edited"), [("agents", "pairs"), ("pairs", "agents")], ids=["agents", "pairs"]
)
def test_one_root_that_fails_keeps_the_others_from_being_written(
    two_roots: Path, broken: str, edited: str
) -> None:
    changes = {
        "agents": ("stockout.yaml", "- stockout", "- stock"),
        "pairs": ("lead.yaml", "You lead.", "You decide."),
    }
    breaking = {
        "agents": ("stockout.yaml", "agentRef:", "agentReff:"),
        "pairs": ("lead.yaml", "name: search}", "name: serch}"),
    }
    edit(two_roots / edited / changes[edited][0], *changes[edited][1:])
    edit(two_roots / broken / breaking[broken][0], *breaking[broken][1:])
    before = tree(two_roots)
    assert render(two_roots).status == 1
    assert tree(two_roots) == before
    going = render(two_roots, "--keep-going")
    assert {path.partition("/")[0] for path in going.json["changed"]} == {edited}


def test_a_plugin_at_fault_lets_every_root_be_written(two_roots: Path) -> None:
    (two_roots / "agents/more.yaml").write_text(plugin("my-plugin"))
    edit(two_roots / "pairs/lead.yaml", "You lead.", "You decide.")
    done = render(two_roots)
    assert done.status == 1
    assert {path.partition("/")[0] for path in done.json["changed"]} == {"agents", "pairs"}


def test_a_plugin_in_another_root_is_of_no_agent_here(two_roots: Path) -> None:
    shutil.move(two_roots / "agents/stockout.yaml", two_roots / "pairs/stockout.yaml")
    done = check(two_roots)
    assert ("AgentNotFound", "AgentPlugin/stockout", "spec.agentRef") in told(done)
    assert "LockStale" in {fault["reason"] for fault in done.faults}


def test_an_agent_and_its_plugins_may_stand_in_one_list(platform: Path) -> None:
    agent = "".join(
        f"  {line}"
        for line in HEAD.format(kind="PlatformAgent", namespace="lab", name="keeper").splitlines(True)
    )
    text = (
        "apiVersion: v1\nkind: List\nitems:\n-"
        + agent[1:]
        + "    harness: {clusterName: lab, location: europe-west1, projectId: project}\n-"
        + "".join(f"  {line}" for line in AGENT_FILES["lab.yaml"].partition("---\n")[2].splitlines(True))[1:]
    )
    before = tree(platform / OTHER_FOLDER)
    (platform / "lab.yaml").write_text(text)
    assert check(platform).status == 0
    assert tree(platform / OTHER_FOLDER) == before


def test_locked_answers_as_check(platform: Path) -> None:
    edit(platform / "stockout.yaml", "- stockout", "- stock")
    before = tree(platform)
    done = run("render", "--frozen", "-o", "json", cwd=platform)
    assert tree(platform) == before
    assert done.status == 1
    assert done.out == check(platform).out
