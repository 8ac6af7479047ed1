"""Pairs that ConfigMaps carry, through every command: all of them agree on what reaches a cluster."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from kagent_render.emit import config_map
from kagent_render.emit.config_map import MAX_DATA
from tests.cli.team import LOCK, PAIR, PAIR_FOLDER, edit, lock_spec, of_ateapi, write_team
from tests.cli.test_retention import in_use
from tests.parts import program
from tests.running import Run, run, tree
from tests.source.git_repositories import git

CARRIER = f"{PAIR_FOLDER}/kustomization.yaml"


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered and committed root; tests copy it."""
    folder = of_ateapi(write_team(tmp_path_factory.mktemp("carried") / "team"))
    assert run("render", cwd=folder).status == 0
    git(folder, "init", "--quiet", "--initial-branch=main", "--template=", ".")
    save(folder)
    return folder


@pytest.fixture
def team(rendered: Path, tmp_path: Path) -> Path:
    return shutil.copytree(rendered, tmp_path / "team")


def save(folder: Path) -> None:
    git(folder, "add", "--all", ".")
    git(folder, "commit", "--quiet", "--message", "save")


def revise(folder: Path, before: str, after: str) -> None:
    edit(folder / "lead.yaml", before, after)
    assert run("render", cwd=folder).status == 0
    save(folder)


def kustomized(folder: Path) -> dict[str, Any]:
    """The objects that `kubectl kustomize` yields, by name."""
    command = [program("kubectl"), "kustomize", str(folder / "rendered")]
    return by_name(subprocess.run(command, capture_output=True, check=True).stdout)


def by_name(text: str | bytes) -> dict[str, Any]:
    found = list(yaml.load_all(text, yaml.CSafeLoader))
    named = {value["metadata"]["name"]: value for value in found}
    assert len(named) == len(found)
    return named


def carried(folder: Path) -> dict[str, str]:
    """The data of the pair's ConfigMap."""
    found = by_name(run("generate", cwd=folder).out)
    (data,) = (each["data"] for each in found.values() if annotated(each) == PAIR)
    return dict(data)


def annotated(value: dict[str, Any]) -> str:
    return str(value["metadata"]["annotations"]["render.kagent.dev/pair"])


def krm(folder: Path, *items: Any) -> Any:
    function = {"apiVersion": "render.kagent.dev/v1alpha1", "kind": "KagentRender"}
    given = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": {**function, "metadata": {"name": "agents"}, "spec": {"root": "team"}},
        "items": list(items),
    }
    done = run("krm", cwd=folder.parent, stdin=yaml.safe_dump(given).encode())
    assert done.status == 0, done.err
    return yaml.load(done.out, yaml.CSafeLoader)["items"]


def placed(item: Any) -> str:
    """The path of an item, which is without its orchestrator's annotations afterwards."""
    notes = item["metadata"]["annotations"]
    path = str(notes["internal.config.kubernetes.io/path"])
    for note in [note for note in notes if "config.kubernetes.io/" in note]:
        del notes[note]
    return path


def test_there_is_one_config_map_for_each_pair(rendered: Path) -> None:
    locks = [path.relative_to(rendered / "rendered") for path in rendered.rglob("revision.lock.yaml")]
    found = kustomized(rendered)
    assert {each["kind"] for each in found.values()} == {"ConfigMap"}
    assert sorted(map(annotated, found.values())) == sorted(path.parent.as_posix() for path in locks)


def test_its_data_are_the_committed_files_byte_for_byte(rendered: Path) -> None:
    for value in kustomized(rendered).values():
        folder = rendered / "rendered" / annotated(value)
        files = [folder / "revision.lock.yaml", *folder.glob("actortemplates/*")]
        assert {key: text.encode() for key, text in value["data"].items()} == {
            path.name: path.read_bytes() for path in files
        }


def test_kustomize_generate_and_krm_agree(team: Path) -> None:
    revise(team, "You lead.", "You decide.")
    expected = kustomized(team)
    generated = run("generate", cwd=team)
    assert (generated.status, by_name(generated.out)) == (0, expected)
    as_json = run("generate", "-o", "json", cwd=team).json["items"]
    assert {each["metadata"]["name"]: each for each in as_json} == expected
    items = krm(team)
    paths = [placed(item) for item in items]
    assert {item["metadata"]["name"]: item for item in items} == expected
    assert sorted(paths) == sorted(f"team/configmaps/team/{name}.yaml" for name in expected)


def test_items_that_krm_wrote_to_disk_are_replaced_in_their_places(team: Path) -> None:
    written = krm(team)
    revise(team, "You lead.", "You decide.")
    again = krm(team, *written)
    assert len(again) == len(written)
    assert again != written
    assert list(map(placed, again)) == list(map(placed, written))
    assert {item["metadata"]["name"]: item for item in again} == kustomized(team)


def test_a_config_map_beside_the_sources_is_nothing_to_render(team: Path) -> None:
    before = run("check", cwd=team)
    (team / "configmaps").mkdir()
    (team / "configmaps" / "carried.yaml").write_text(run("generate", cwd=team).out)
    assert run("check", cwd=team) == before
    assert before.status == 0


def test_what_is_rendered_is_current_and_verified(team: Path) -> None:
    for command in ("check", "verify"):
        done = run(command, cwd=team)
        assert done.status == 0, done.err
    before = tree(team / "rendered")
    assert run("render", cwd=team).status == 0
    assert tree(team / "rendered") == before


def test_an_edit_changes_the_data_of_one_config_map(team: Path) -> None:
    before = kustomized(team)
    revise(team, "You lead.", "You decide.")
    after = kustomized(team)
    assert after.keys() == before.keys()
    (changed,) = (name for name in after if after[name] != before[name])
    assert after[changed]["metadata"] == before[changed]["metadata"]
    retained = [name for each in lock_spec(team)["retained"] for name in each["actorTemplates"]]
    assert {f"{name}.yaml" for name in retained} < after[changed]["data"].keys()


def test_pruning_leaves_what_render_would(team: Path) -> None:
    for number in range(2):
        revise(team, ("You lead.", "You decide.")[number], ("You decide.", "You judge.")[number])
    three = carried(team)
    done = run("prune", "--keep", "1", cwd=team)
    assert done.status == 0, done.err
    save(team)
    assert carried(team).keys() < three.keys()
    assert run("prune", "--keep", "1", cwd=team).err.count("nothing to prune") == 1
    assert run("check", cwd=team).status == 0


@pytest.mark.parametrize("prune", [False, True])
def test_of_a_pair_that_is_gone_what_is_in_use_is_carried(team: Path, prune: bool) -> None:
    name = next(iter(sorted((team / PAIR_FOLDER / "actortemplates").iterdir()))).stem
    in_use(team, name)
    (team / "lead.yaml").unlink()
    done = run(*(["prune"] if prune else ["render"]), cwd=team)
    assert done.status == 0, done.err
    assert list(carried(team)) == [f"{name}.yaml"]
    assert carried(team) == next(
        each["data"] for each in kustomized(team).values() if annotated(each) == PAIR
    )


def test_what_is_too_large_is_not_written(team: Path) -> None:
    before = tree(team / "rendered")
    edit(team / "lead.yaml", "You lead.", "You decide.")
    with patch("kagent_render.preparation.carrying.MAX_DATA", 100):
        rendered = run("render", "-o", "json", cwd=team)
        checked = run("check", "-o", "json", cwd=team)
    assert tree(team / "rendered") == before
    for done in (rendered, checked):
        assert {each["reason"] for each in done.faults} == {"RevisionTooLarge"}
        assert done.status == 1
        found = fault(done)
        assert found["message"].endswith("bytes, and a ConfigMap holds 100")
        assert found["object"]["kind"] == "AgentTemplate"
        assert (found["object"]["name"], found["field"], found["condition"]) == (
            "lead",
            "metadata.name",
            "Compatible",
        )
        assert found["source"]["path"] == "lead.yaml"
        conditions = next(each for each in done.json["pairs"] if each["template"] == "lead")["conditions"]
        assert [each["reason"] for each in conditions] == [
            "Accepted",
            "Resolved",
            "RevisionTooLarge",
            "Blocked",
        ]


def fault(done: Run) -> dict[str, Any]:
    return next(
        each
        for each in done.faults
        if each["reason"] == "RevisionTooLarge" and each["pair"]["template"] == "lead"
    )


def test_a_new_pair_that_is_too_large_hinders_no_other(tmp_path: Path) -> None:
    folder = of_ateapi(write_team(tmp_path / "team"))

    def size_of(lock: bytes | None, _: object) -> int:
        return MAX_DATA + (b"name: lead-runtime" in (lock or b""))

    with patch("kagent_render.preparation.carrying.carried_size", size_of):
        done = run("render", cwd=folder)
        assert done.status == 1
        assert not (folder / "rendered").exists()
        done = run("render", "--keep-going", cwd=folder)
    assert done.status == 1
    locks = list((folder / "rendered").rglob("revision.lock.yaml"))
    assert len(kustomized(folder)) == len(locks) == 2


def test_what_is_retained_never_makes_a_pair_too_large(team: Path) -> None:
    current = carried(team)
    size = sum(len(text.encode()) for text in current.values())
    with patch.object(config_map, "MAX_DATA", size + 2_000):
        revise(team, "You lead.", "You decide.")
        assert run("check", cwd=team).status == 0
        left = carried(team)
        expected = kustomized(team)
    assert by_name(run("generate", cwd=team).out) != expected  # there would have been room
    retained = [name for each in lock_spec(team)["retained"] for name in each["actorTemplates"]]
    assert not {f"{name}.yaml" for name in retained} <= left.keys()
    assert all((team / PAIR_FOLDER / "actortemplates" / f"{name}.yaml").exists() for name in retained)


def test_a_retained_manifest_that_is_no_text_is_told(team: Path) -> None:
    revise(team, "You lead.", "You decide.")
    name = lock_spec(team)["retained"][0]["actorTemplates"][0]
    (team / PAIR_FOLDER / "actortemplates" / f"{name}.yaml").write_bytes(b"\xff\0")
    save(team)
    for command in ("check", "render", "generate", "verify"):
        done = run(command, cwd=team)
        assert (done.status, done.out) == (1, "")
        assert f"the manifest of the retained ActorTemplate `{name}` was edited by hand" in done.err


def test_commit_writes_the_same_onto_a_branch(team: Path) -> None:
    done = run("commit", "--branch", "output", cwd=team)
    assert done.status == 0, done.err
    assert git(team, "show", f"output:{CARRIER}") == (team / CARRIER).read_text().rstrip("\n")
    again = run("commit", "--branch", "output", cwd=team)
    assert "`output` is current" in again.err


def test_two_roots_with_one_pair_give_no_object(team: Path, tmp_path: Path) -> None:
    shutil.rmtree(team / ".git")
    for name in ("one", "two"):
        shutil.copytree(team, tmp_path / "roots" / name)
    done = run("generate", cwd=tmp_path / "roots")
    assert (done.status, done.out) == (1, "")
    assert "two roots give the ConfigMap `lead-runtime-" in done.err


def test_a_pair_that_becomes_carried_replaces_objects_and_back(team: Path) -> None:
    before, config = tree(team), team / "kagent-render.yaml"
    edit(config, "ateapi/v0.4", "ate.dev/v1alpha1")
    stale = run("check", "-o", "json", cwd=team)
    assert {fault["reason"] for fault in stale.faults} == {"LockStale"}
    assert run("render", cwd=team).status == 0
    assert {value["kind"] for value in kustomized(team).values()} == {"ActorTemplate"}
    edit(config, "ate.dev/v1alpha1", "ateapi/v0.4")
    assert run("render", cwd=team).status == 0
    assert tree(team) == before


def test_what_another_generation_wrote_stays_in_git_alone(team: Path) -> None:
    earlier = {name for each in kustomized(team).values() for name in each["data"]}
    edit(team / "kagent-render.yaml", "ateapi/v0.4", "ate.dev/v1alpha1")
    assert run("render", cwd=team).status == 0
    save(team)
    written = {path.name for path in (team / "rendered").rglob("*.yaml")}
    assert earlier <= written
    assert {value["kind"] for value in kustomized(team).values()} == {"ActorTemplate"}
    assert run("check", cwd=team).status == 0
    edit(team / "kagent-render.yaml", "ate.dev/v1alpha1", "ateapi/v0.4")
    assert run("render", cwd=team).status == 0
    assert earlier == {name for each in kustomized(team).values() for name in each["data"]}
    assert b"\nkind: ActorTemplate\n" in b"".join(tree(team / PAIR_FOLDER / "actortemplates").values())


def test_items_alone_give_config_maps_with_their_locks(team: Path) -> None:
    sources = [each for path in team.glob("*.yaml") for each in yaml.safe_load_all(path.read_text())]
    (config,) = (each for each in sources if each["kind"] == "RenderConfig")
    given = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": {**config, "metadata": {"name": "agents"}},
        "items": [each for each in sources if each is not config],
    }
    done = run("krm", cwd=team.parent, stdin=yaml.safe_dump(given).encode())
    assert done.status == 0, done.err
    made = [each for each in yaml.load(done.out, yaml.CSafeLoader)["items"] if is_carrier(each)]
    assert {placed(each) for each in made} == {
        f"configmaps/team/{each['metadata']['name']}.yaml" for each in made
    }
    assert {each["metadata"]["name"]: each for each in made} == kustomized(team)


def is_carrier(value: Any) -> bool:
    return "render.kagent.dev/carries" in value["metadata"].get("labels", {})


def test_a_lock_that_was_edited_gives_no_object(team: Path) -> None:
    edit(team / LOCK, "  target: ateapi/v0.4\n", "  target: other\n")
    done = run("generate", cwd=team)
    assert (done.status, done.out) == (1, "")


@pytest.mark.parametrize("line", ["  - revision.lock.yaml\n", "    disableNameSuffixHash: true\n"])
def test_a_kustomization_that_was_edited_is_told(team: Path, line: str) -> None:
    edit(team / CARRIER, line, "")
    done = run("check", "-o", "json", cwd=team)
    assert (done.status, [each["reason"] for each in done.faults]) == (1, ["OutputDrift"])
    assert run("render", cwd=team).status == 0
    assert run("check", cwd=team).status == 0
