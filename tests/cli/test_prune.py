"""`prune` drops what is neither recent nor in use, and `check` agrees before and after the commit."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import pytest

from kagent_render.emit import disk
from tests.cli.platform import AGENT_FILES, FOLDER
from tests.cli.team import LOCK, PAIR, PAIR_FOLDER, actor_templates, edit, lock_spec
from tests.cli.test_retention import (
    commit,
    in_use,
    listed,
    own,
    prompt,
    render,
    retained,
    revise,
    set_revisions,
)
from tests.properties.test_interruption import DeathError, Mortal, assert_promises
from tests.running import Run, run, tree
from tests.source.git_repositories import git

NAMES = ("rule", "reign", "steer")


@pytest.fixture(scope="module")
def grown(rendered_team: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A committed root whose pair has four revisions, the older three retained; tests copy it."""
    folder = shutil.copytree(rendered_team, tmp_path_factory.mktemp("grown") / "team")
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    commit(folder)
    set_revisions(folder, 4)
    for name in NAMES:
        revise(folder, name)
    assert len(retained(folder)) == 3
    return folder


@pytest.fixture
def aged(grown: Path, tmp_path: Path) -> Path:
    """That root for a test of one's own."""
    return shutil.copytree(grown, tmp_path / "team")


def old(folder: Path) -> list[str]:
    """The retained ActorTemplates of the pair's root, newest first."""
    return [name for names in retained(folder) for name in names]


def prune(folder: Path, *args: str) -> Run:
    return run("prune", *args, cwd=folder)


def pruned(folder: Path, *args: str) -> list[dict[str, Any]]:
    done = prune(folder, "-o", "json", *args)
    assert done.status == 0, done.out
    found: list[dict[str, Any]] = done.json["pruned"]
    return found


def assert_current(folder: Path) -> None:
    """What is there is what `render` would leave there, and is a kustomization."""
    done = run("check", "-o", "json", cwd=folder)
    assert (done.json["changed"], done.status) == ([], 0), done.out
    before = tree(folder / "rendered")
    render(folder)
    assert tree(folder / "rendered") == before


@pytest.mark.parametrize("keep", [1, 2, 3, 4])
def test_so_many_revisions_stay_and_check_agrees(aged: Path, keep: int) -> None:
    names = old(aged)
    gone = names[keep - 1 :]
    changed = [
        {
            "namespace": "team",
            "harness": "runtime",
            "template": "lead",
            "gone": False,
            "removed": gone,
            "held": [],
        }
    ]
    assert pruned(aged, "--keep", str(keep)) == (changed if gone else [])
    assert old(aged) == names[: keep - 1]
    assert actor_templates(aged).isdisjoint(gone)
    assert listed(aged) == actor_templates(aged)
    assert_current(aged)
    if gone:
        commit(aged)
        assert_current(aged)
    assert run("check", "--rev", "HEAD", cwd=aged).status == 0


@pytest.mark.parametrize("base", [2, 3])
def test_what_a_branch_alone_has_retained_goes_and_what_its_base_knows_stays(aged: Path, base: int) -> None:
    names = old(aged)
    assert "earlier ActorTemplate" in run("diff", f"HEAD~{base}", cwd=aged).out
    pruned(aged, "--base", f"HEAD~{base}")
    assert old(aged) == names[base - 1 :]
    assert_current(aged)
    commit(aged)
    assert_current(aged)
    assert "earlier ActorTemplate" not in run("diff", f"HEAD~{base + 1}", cwd=aged).out


@pytest.mark.parametrize("base", ["HEAD", "HEAD~1"])
def test_a_base_that_knows_every_revision_lets_nothing_go(aged: Path, base: str) -> None:
    assert pruned(aged, "--base", base) == []


def test_of_a_pair_that_the_base_does_not_have_all_earlier_revisions_go(aged: Path) -> None:
    shutil.rmtree(aged / "rendered")
    git(aged, "commit", "--quiet", "--all", "--message", "nothing is rendered")
    git(aged, "branch", "empty")
    git(aged, "reset", "--quiet", "--hard", "HEAD~1")
    pruned(aged, "--base", "empty")
    assert old(aged) == []
    assert_current(aged)


def test_what_is_in_use_is_held_although_its_base_does_not_know_it(aged: Path) -> None:
    newest, *others = old(aged)
    in_use(aged, newest)
    pruned(aged, "--base", "HEAD~2")
    assert old(aged) == [newest, *others]
    assert_current(aged)


def test_nothing_goes_that_retention_keeps(aged: Path) -> None:
    before = tree(aged)
    done = prune(aged)
    assert (done.status, done.err) == (0, "✓ nothing to prune\n")
    assert tree(aged) == before


def test_a_render_after_pruning_brings_nothing_back(aged: Path) -> None:
    names = old(aged)
    prune(aged, "--keep", "2")
    current = own(aged)
    prompt(aged, "decide")
    render(aged)
    assert old(aged) == [current, names[0]]
    assert_current(aged)
    commit(aged)
    assert_current(aged)
    revise(aged, "end")
    assert len(old(aged)) == 3
    assert names[1] not in actor_templates(aged)


def test_what_is_edited_and_not_rendered_is_left_so(aged: Path) -> None:
    prompt(aged, "decide")
    current, spec = own(aged), lock_spec(aged)
    prune(aged, "--keep", "2")
    assert own(aged) == current
    assert {**lock_spec(aged), "retained": ()} == {**spec, "retained": ()}
    done = run("check", "-o", "json", cwd=aged)
    assert [fault["reason"] for fault in done.faults] == ["LockStale"]
    assert "retained" not in done.faults[0]["message"]


@pytest.mark.parametrize("keep", [1, 2])
def test_the_revision_of_head_stays_beside_its_successor(aged: Path, keep: int) -> None:
    deployed = own(aged)
    prompt(aged, "decide")
    render(aged)
    prune(aged, "--keep", str(keep))
    assert old(aged) == [deployed]
    assert_current(aged)
    commit(aged)
    assert_current(aged)


def test_what_is_in_use_is_held_and_told_by_which_file(aged: Path) -> None:
    names = old(aged)
    in_use(aged, names[2])
    [found] = pruned(aged, "--keep", "1")
    assert found["removed"] == names[:2]
    assert found["held"] == [{"actorTemplate": names[2], "by": [".kagent/in-use/team.yaml"]}]
    assert actor_templates(aged) >= {names[2]}
    assert_current(aged)
    commit(aged)
    in_use(aged)
    [found] = pruned(aged, "--keep", "1")
    assert found["removed"] == [names[2]]
    assert_current(aged)


def test_what_comes_into_use_before_the_commit_comes_back(aged: Path) -> None:
    names = old(aged)
    prune(aged, "--keep", "1")
    in_use(aged, names[2])
    assert run("check", cwd=aged).status == 1
    render(aged)
    assert old(aged) == [names[2]]
    assert_current(aged)


def test_fewer_revisions_by_configuration_go_without_a_render(aged: Path) -> None:
    names = old(aged)
    edit(aged / "kagent-render.yaml", "revisions: 4", "revisions: 2")
    [found] = pruned(aged)
    assert found["removed"] == names[1:]
    assert_current(aged)


def test_without_git_the_lock_on_disk_is_the_history(team: Path) -> None:
    for name in NAMES:
        prompt(team, name)
        render(team)
    names = old(team)
    [found] = pruned(team, "--keep", "2")
    assert found["removed"] == names[1:]
    assert_current(team)


def test_a_dry_run_says_the_same_and_changes_nothing(aged: Path) -> None:
    before = tree(aged)
    for flag in ("--dry-run", "--locked"):
        said = pruned(aged, "--keep", "2", flag)
        assert tree(aged) == before
    names = old(aged)
    text = prune(aged, "--keep", "2", "--dry-run").err
    assert text == (
        f"{PAIR}\n├─ would go  {names[1]}\n└─ would go  {names[2]}\n✓ would remove 2 ActorTemplates\n"
    )
    assert said == pruned(aged, "--keep", "2")


@pytest.mark.parametrize("text", ["", "spec: [\n", "spec: {actorTemplates: 5}\n"])
def test_nothing_goes_while_an_in_use_file_cannot_be_read(aged: Path, text: str) -> None:
    in_use(aged, text=text)
    before = tree(aged)
    done = prune(aged, "--keep", "1")
    assert done.status == 1
    assert done.err.endswith("✗ nothing was pruned (1 error)\n")
    assert tree(aged) == before


def test_the_folder_of_a_pair_that_is_gone_goes_once_nothing_in_use_holds_it(aged: Path) -> None:
    names = old(aged)
    current = own(aged)
    in_use(aged, current)
    (aged / "lead.yaml").unlink()
    [found] = pruned(aged)
    assert found["gone"]
    assert current not in found["removed"]
    assert set(names) < set(found["removed"])
    assert found["held"] == [{"actorTemplate": current, "by": [".kagent/in-use/team.yaml"]}]
    assert actor_templates(aged) == {current}
    assert not (aged / LOCK).exists()
    assert_current(aged)
    commit(aged)
    in_use(aged)
    assert [found["removed"] for found in pruned(aged)] == [[current]]
    assert not (aged / PAIR_FOLDER).exists()
    assert_current(aged)


def test_what_is_in_use_without_a_lock_that_lists_it_is_held(aged: Path) -> None:
    current, lead = own(aged), (aged / "lead.yaml").read_text()
    in_use(aged, current)
    (aged / "lead.yaml").unlink()
    render(aged)
    commit(aged)
    (aged / "lead.yaml").write_text(lead.replace("You ", "You again "))
    render(aged)
    commit(aged)
    [found] = pruned(aged)
    assert (found["removed"], found["held"][0]["actorTemplate"]) == ([], current)
    assert current in listed(aged)
    assert_current(aged)
    in_use(aged)
    assert run("check", cwd=aged).status == 1
    assert prune(aged).status == 0
    assert current not in actor_templates(aged)
    assert_current(aged)


def test_no_folder_goes_while_a_document_may_ask_for_it(aged: Path) -> None:
    edit(aged / "lead.yaml", "kind: AgentTemplate", "kind: AgentTemplat")
    done = prune(aged)
    assert done.status == 1
    assert (aged / LOCK).exists()


def test_the_folder_of_a_platform_agent_that_is_gone_goes_and_the_others_stay(mixed: Path) -> None:
    assert prune(mixed).err.endswith("✓ nothing to prune\n")
    before = tree(mixed / "rendered")
    for name in AGENT_FILES:
        if name != "lab.yaml":
            (mixed / name).unlink()
    assert prune(mixed).status == 0
    assert not (mixed / FOLDER).exists()
    assert tree(mixed / "rendered") == {
        path: content for path, content in before.items() if not path.startswith("ops/")
    }
    assert run("check", "--offline", cwd=mixed).status == 0


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("revision: sha256:", "revision: sha256:0", 1),
        lambda text: "<<<<<<< ours\n" + text,
        lambda text: "not a lock\n",
    ],
)
def test_a_pair_whose_lock_cannot_be_read_is_left_and_told(aged: Path, damage: Any) -> None:
    path = aged / LOCK
    path.write_text(damage(path.read_text()))
    before = tree(aged)
    done = prune(aged, "--keep", "1", "-o", "json")
    assert done.status == 1
    assert next(fault["reason"] for fault in done.faults) in ("LockInvalid", "LockConflict")
    assert tree(aged) == before


def test_a_lock_of_another_branch_lets_nothing_go(aged: Path) -> None:
    """A lock that does not go on from HEAD's says nothing about what HEAD retains."""
    names, ours = old(aged), tree(aged / "rendered")
    git(aged, "checkout", "--quiet", "-b", "other", "HEAD~3")
    revise(aged, "differ")
    git(aged, "checkout", "--quiet", "main")
    git(aged, "checkout", "--quiet", "other", "--", "rendered")
    done = prune(aged, "--keep", "1", "-o", "json")
    assert [fault["reason"] for fault in done.faults] == ["LockStale"]
    assert "does not go on from" in done.faults[0]["message"]
    render(aged)
    assert old(aged) == names
    assert ours.items() <= tree(aged / "rendered").items()


def test_a_lock_with_conflict_markers_lets_nothing_go(aged: Path) -> None:
    names = old(aged)
    path = aged / LOCK
    text = path.read_text()
    cut = text.index("  retained:\n")
    path.write_text(text[:cut] + "  retained: []\n<<<<<<< ours\n=======\n>>>>>>> theirs\n")
    render(aged)
    assert old(aged) == names


def test_a_missing_output_is_brought_back_whole(aged: Path) -> None:
    before = tree(aged / "rendered")
    (aged / LOCK).unlink()
    render(aged)
    assert tree(aged / "rendered") == before


def test_a_pair_that_lost_a_manifest_is_left_to_render(aged: Path) -> None:
    lost = aged / PAIR_FOLDER / "actortemplates" / f"{old(aged)[0]}.yaml"
    lost.unlink()
    lock = (aged / LOCK).read_bytes()
    done = prune(aged, "--keep", "2", "-o", "json")
    assert [fault["reason"] for fault in done.faults] == ["OutputDrift"]
    assert (aged / LOCK).read_bytes() == lock


REFUSED = [
    (("--keep", "5"), "more than `retention.revisions`, which is 4"),
    (("--keep", "0"), "0 is not in the range"),
    (("--staged",), "`prune` changes files"),
    (("--rev", "HEAD"), "`prune` changes files"),
    (("-f", "-"), "`prune` changes files"),
    (("--base", "nowhere"), "the repository has no commit `nowhere`"),
    (("--base", "--all"), "the repository has no commit `--all`"),
]


@pytest.mark.parametrize(("flags", "said"), REFUSED)
def test_what_cannot_be_pruned_is_refused(aged: Path, flags: tuple[str, ...], said: str) -> None:
    before = tree(aged)
    done = run("prune", *flags, cwd=aged, stdin=b"")
    assert done.status == 2
    assert said in done.err
    assert tree(aged) == before


def test_a_prune_may_die_before_any_change(aged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (aged / "critic.yaml").unlink()
    edit(aged / "lead.yaml", "templateRef: {name: critic}", "templateRef: {name: helper}")
    prune(aged, "--keep", "2")
    expected = tree(aged / "rendered")
    changes = 0
    for moment in itertools.count():
        git(aged, "checkout", "--quiet", "HEAD", "--", "rendered")
        git(aged, "clean", "--quiet", "-fd", "--", "rendered")
        with monkeypatch.context() as patch:
            Mortal.left = moment
            patch.setattr(disk, "DiskOutput", Mortal)
            try:
                prune(aged, "--keep", "2")
                died = False
            except DeathError:
                died = True
        assert_promises(aged)
        if not died:
            break
        changes += 1
        prune(aged, "--keep", "2")
        assert tree(aged / "rendered") == expected, moment
    assert changes > 5
