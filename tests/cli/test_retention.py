"""Earlier revisions' ActorTemplates stay for as long as retention says (DESIGN 12)."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from kagent_render.source.yaml import read_yaml
from tests.cli.team import LOCK, PAIR_FOLDER, actor_templates, edit, lock_spec
from tests.running import run, tree
from tests.source.git_repositories import git

CURRENT = "You lead."


def prompt(folder: Path, text: str) -> None:
    """Give the pair's root another prompt, and so both of its revision's first ActorTemplate."""
    path = folder / "lead.yaml"
    path.write_text(re.sub(r"    You .*\n", f"    You {text}.\n", path.read_text(), count=1))


def render(folder: Path) -> None:
    done = run("render", cwd=folder)
    assert done.status == 0, done.err


def commit(folder: Path) -> None:
    git(folder, "add", "--all", "--force", ".")
    git(folder, "commit", "--quiet", "--message", "change")


def revise(folder: Path, text: str) -> str:
    """One committed revision; gives the name of the root's ActorTemplate."""
    prompt(folder, text)
    render(folder)
    commit(folder)
    return own(folder)


def own(folder: Path) -> str:
    """The name of the current revision's root ActorTemplate."""
    return str(lock_spec(folder)["boundaries"][0]["actorTemplate"])


def retained(folder: Path) -> list[list[str]]:
    """The retained ActorTemplates by revision, newest first."""
    return [entry["actorTemplates"] for entry in lock_spec(folder)["retained"]]


def listed(folder: Path) -> set[str]:
    """What the pair's kustomization lists."""
    value = read_yaml((folder / PAIR_FOLDER / "kustomization.yaml").read_bytes())[0].value
    return {Path(path).stem for path in value["resources"]}


def set_revisions(folder: Path, count: int) -> None:
    edit(folder / "kagent-render.yaml", "revisions: 3", f"revisions: {count}")
    render(folder)
    commit(folder)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_revisions_counts_the_current_one(committed: Path, count: int) -> None:
    if count != 3:
        set_revisions(committed, count)
    names = [own(committed), *(revise(committed, text) for text in ("rule", "reign", "steer"))]
    earlier = list(reversed(names[:-1]))[: count - 1]
    assert retained(committed) == [[name] for name in earlier]
    assert set(earlier) | {names[-1]} <= actor_templates(committed)
    assert len(actor_templates(committed)) == count + 1  # the Dedicated boundary's is the same throughout
    assert listed(committed) == actor_templates(committed)
    assert run("check", cwd=committed).status == 0


def test_retained_manifests_stay_as_they_were(committed: Path) -> None:
    before = tree(committed / PAIR_FOLDER / "actortemplates")
    revise(committed, "rule")
    after = tree(committed / PAIR_FOLDER / "actortemplates")
    assert before.items() <= after.items()


def test_renders_between_commits_do_not_count(committed: Path) -> None:
    first = own(committed)
    for text in ("rule", "reign", "steer"):
        prompt(committed, text)
        render(committed)
    assert retained(committed) == [[first]]
    assert len(actor_templates(committed)) == 3
    commit(committed)
    assert run("check", cwd=committed).status == 0


def test_an_edit_that_is_taken_back_before_the_commit_loses_nothing(committed: Path) -> None:
    for text in ("rule", "reign"):
        revise(committed, text)
    before = tree(committed / "rendered")
    for text in ("steer", "reign"):
        prompt(committed, text)
        render(committed)
    assert tree(committed / "rendered") == before
    assert run("check", cwd=committed).status == 0


@pytest.mark.parametrize("staged", [False, True])
def test_an_output_folder_with_another_name_keeps_what_is_retained(committed: Path, staged: bool) -> None:
    names = [own(committed), revise(committed, "rule"), revise(committed, "reign")]
    edit(committed / "kagent-render.yaml", "spec:\n", "spec:\n  output: manifests\n")
    git(committed, "mv", "rendered", "manifests")
    git(committed, "add", ".")
    before = tree(committed / "manifests")
    assert run("render", *(["--staged"] if staged else []), cwd=committed).status == 0
    assert tree(committed / "manifests") == before
    prompt(committed, "steer")
    render(committed)
    left = actor_templates(committed, PAIR_FOLDER.replace("rendered", "manifests"))
    assert {*names[1:]} < left
    assert names[0] not in left
    commit(committed)
    assert run("check", cwd=committed).status == 0


def test_a_root_in_another_folder_keeps_what_is_retained(rendered_team: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(rendered_team, tmp_path / "a" / "team")
    shutil.copytree(rendered_team, tmp_path / "b" / "other")
    git(tmp_path, "init", "--quiet", "--initial-branch=main", ".")
    commit(tmp_path)
    for text in ("rule", "reign"):
        revise(folder, text)
    before = tree(folder / "rendered")
    assert run("check", cwd=tmp_path).status == 0  # what is remembered of this commit has to be of this place
    git(tmp_path, "mv", "a", "c")
    git(tmp_path, "mv", "b", "d")
    moved = tmp_path / "c" / "team"
    render(moved)
    assert tree(moved / "rendered") == before
    assert run("check", cwd=tmp_path).status == 0
    commit(tmp_path)
    assert run("check", cwd=tmp_path).status == 0


def test_without_git_what_is_on_disk_is_the_history(team: Path) -> None:
    names = [own(team)]
    for text in ("rule", "reign", "steer"):
        prompt(team, text)
        render(team)
        names.append(own(team))
    assert retained(team) == [[names[2]], [names[1]]]
    assert run("check", cwd=team).status == 0


def test_the_commit_of_a_render_changes_nothing(committed: Path) -> None:
    prompt(committed, "rule")
    render(committed)
    before = tree(committed / "rendered")
    commit(committed)
    render(committed)
    assert tree(committed / "rendered") == before
    assert run("check", "--rev", "HEAD", cwd=committed).status == 0


def test_an_earlier_revision_that_is_current_again_is_not_retained(committed: Path) -> None:
    first = own(committed)
    second = revise(committed, "rule")
    prompt(committed, "lead")
    render(committed)
    assert own(committed) == first
    assert retained(committed) == [[second]]
    assert actor_templates(committed) >= {first, second}
    commit(committed)
    assert run("check", cwd=committed).status == 0


def test_a_revert_of_the_commit_is_current(committed: Path) -> None:
    before = tree(committed / "rendered")
    revise(committed, "rule")
    git(committed, "revert", "--no-edit", "HEAD")
    assert tree(committed / "rendered") == before
    done = run("check", "-o", "json", cwd=committed)
    assert done.status == 0, done.faults


def test_an_edit_that_changes_no_actor_template_retains_none(committed: Path) -> None:
    edit(committed / "lead.yaml", "tier: gold", "tier: lead")
    render(committed)
    assert retained(committed) == []


def in_use(folder: Path, *names: str, text: str | None = None) -> None:
    path = folder / ".kagent/in-use/team.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\nmetadata: {namespace: team, name: team}\n"
        + (text if text is not None else f"spec:\n  actorTemplates: [{', '.join(names)}]\n")
    )


def test_what_is_in_use_stays_beyond_the_number_of_revisions(committed: Path) -> None:
    set_revisions(committed, 1)
    first = own(committed)
    in_use(committed, first)
    assert run("check", cwd=committed).status == 0
    for text in ("rule", "reign"):
        revise(committed, text)
    assert retained(committed) == [[first]]
    assert listed(committed) == actor_templates(committed) >= {first}
    assert run("check", "--rev", "HEAD", cwd=committed).status == 0


def test_what_is_no_longer_in_use_goes(committed: Path) -> None:
    set_revisions(committed, 1)
    first = own(committed)
    in_use(committed, first)
    revise(committed, "rule")
    in_use(committed)
    done = run("check", "-o", "json", cwd=committed)
    assert [fault["reason"] for fault in done.faults] == ["LockStale"]
    assert "retained revisions" in done.faults[0]["message"]
    render(committed)
    assert first not in actor_templates(committed)


def test_a_name_in_use_that_no_revision_had_is_ignored(committed: Path) -> None:
    in_use(committed, "someone-else-000000000000")
    assert run("check", cwd=committed).status == 0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "spec:\n",
        "spec: 5\n",
        "spec:\n  actorTemplates: 5\n",
        "spec:\n  actorTemplates: name\n",
        "spec:\n  actorTemplates: [{a: b}, 7]\n",
    ],
)
def test_an_in_use_file_that_is_not_valid_is_told_and_removes_nothing(committed: Path, text: str) -> None:
    set_revisions(committed, 1)
    first = own(committed)
    in_use(committed, first)
    revise(committed, "rule")
    in_use(committed, text=text)
    before = tree(committed)
    done = run("render", "-o", "json", cwd=committed)
    assert done.status == 1
    assert [(fault["reason"], fault["source"]["path"]) for fault in done.faults] == [
        ("InvalidSpec", ".kagent/in-use/team.yaml")
    ]
    assert tree(committed) == before


def test_what_is_in_use_stays_when_its_pair_is_gone(committed: Path) -> None:
    name = own(committed)
    in_use(committed, name)
    (committed / "lead.yaml").unlink()
    render(committed)
    assert not (committed / LOCK).exists()
    assert actor_templates(committed) == {name}
    assert listed(committed) == {name}
    assert "runtime/lead" in (committed / "rendered/team/kustomization.yaml").read_text()
    commit(committed)
    assert run("check", "-o", "json", cwd=committed).json["changed"] == []
    in_use(committed)
    render(committed)
    assert not (committed / PAIR_FOLDER).exists()


def test_keep_going_writes_nothing_while_it_is_unknown_what_is_in_use(committed: Path) -> None:
    in_use(committed, text="spec: [\n")
    prompt(committed, "rule")
    before = tree(committed)
    done = run("render", "--keep-going", "-o", "json", cwd=committed)
    assert [fault["reason"] for fault in done.faults] == ["YAMLInvalid"]
    assert tree(committed) == before


def test_a_manifest_of_a_pair_that_is_gone_is_held_to_its_bytes(committed: Path) -> None:
    name = own(committed)
    in_use(committed, name)
    (committed / "lead.yaml").unlink()
    render(committed)
    commit(committed)
    path = f"{PAIR_FOLDER}/actortemplates/{name}.yaml"
    edit(committed / path, "sandboxClass: gvisor", "sandboxClass: other")
    done = run("check", "-o", "json", cwd=committed)
    assert [(fault["reason"], fault["source"]["path"]) for fault in done.faults] == [("OutputDrift", path)]


def test_a_retained_manifest_that_is_edited_by_hand_is_drift(committed: Path) -> None:
    first = own(committed)
    revise(committed, "rule")
    path = f"{PAIR_FOLDER}/actortemplates/{first}.yaml"
    edit(committed / path, "sandboxClass: gvisor", "sandboxClass: other")
    done = run("check", "-o", "json", cwd=committed)
    assert [(fault["reason"], fault["source"]["path"]) for fault in done.faults] == [("OutputDrift", path)]
    render(committed)
    assert "sandboxClass: gvisor" in (committed / path).read_text()


def test_a_retained_manifest_that_is_lost_is_told_with_what_to_restore(committed: Path) -> None:
    first = own(committed)
    revise(committed, "rule")
    path = f"{PAIR_FOLDER}/actortemplates/{first}.yaml"
    (committed / path).unlink()
    commit(committed)
    for command in ("check", "render"):
        done = run(command, "-o", "json", cwd=committed)
        assert done.status == 1
        assert "is gone" in done.faults[0]["message"]
        assert path in done.faults[0]["hint"]


def annotations_of(folder: Path, name: str) -> dict[str, str]:
    text = (folder / PAIR_FOLDER / "actortemplates" / f"{name}.yaml").read_bytes()
    found: dict[str, str] = read_yaml(text)[0].value["metadata"].get("annotations", {})
    return found


PROTECTION = {
    "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}
NO_SUBSTITUTION = {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}


def test_protected_actor_templates_are_pruned_by_no_tool(team: Path) -> None:
    assert annotations_of(team, own(team)) == PROTECTION
    edit(team / "kagent-render.yaml", "protect: true", "protect: false")
    name = own(team)
    render(team)
    assert own(team) == name
    assert annotations_of(team, name) == {}


@pytest.mark.parametrize("protect", [True, False])
def test_text_that_flux_would_replace_is_marked(team: Path, protect: bool) -> None:
    edit(team / "kagent-render.yaml", "protect: true", f"protect: {str(protect).lower()}")
    edit(team / "harness.yaml", "value: info", "value: ${LEVEL}")
    render(team)
    assert annotations_of(team, own(team)) == {**(PROTECTION if protect else {}), **NO_SUBSTITUTION}
