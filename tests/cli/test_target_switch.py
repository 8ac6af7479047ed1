"""A root that changes its target: what comes back, what stays for instances, and what is done about edits."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from kagent_render.source.yaml import read_yaml
from tests.cli.platform import AGENT_FILES
from tests.cli.team import INPUTS, PAIR_FOLDER, actor_templates, edit, lock_spec
from tests.cli.test_ateapi_target import BEARER, write_root
from tests.golden.test_golden import NEW, OLD, switch
from tests.running import copy_example, run, tree
from tests.source.git_repositories import git

ALPHA = "ateapi/v0.4.0-alpha1"
TARGETS = pytest.mark.parametrize(("first", "second"), [(OLD, NEW), (NEW, OLD)], ids=["to-new", "to-old"])


def render(root: Path, target: str) -> dict[str, bytes]:
    """The output of a root for a target."""
    switch(root, target)
    done = run("render", "--offline", cwd=root)
    assert done.status == 0, done.err
    return tree(root / "rendered")


def commit(root: Path) -> None:
    git(root, "add", "--all", "--force", ".")
    git(root, "commit", "--quiet", "--message", "state")


@pytest.fixture(scope="module")
def switched(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """A committed root of each target, with the other one's output rendered over it."""
    made = {}
    for first, second in ((OLD, NEW), (NEW, OLD)):
        root = write_root(tmp_path_factory.mktemp("switched") / "root", inputs=BEARER)
        git(root, "init", "--quiet", "--initial-branch=main", ".")
        render(root, first)
        commit(root)
        render(root, second)
        made[first, second] = root
    return made


def own(root: Path, switched: dict[tuple[str, str], Path], first: str, second: str) -> Path:
    return Path(shutil.copytree(switched[first, second], root))


def retained(root: Path) -> set[str]:
    return {name for found in lock_spec(root)["retained"] for name in found["actorTemplates"]}


def applied(root: Path) -> str:
    """Every kustomization of the output, as one text."""
    return "".join(path.read_text() for path in sorted((root / "rendered").rglob("kustomization.yaml")))


def of_target(content: bytes) -> str:
    """The target that a manifest was written for."""
    value: Any = read_yaml(content)[0].value
    return OLD if "apiVersion" in value else NEW


def test_without_retention_switching_back_gives_the_very_bytes_of_before(tmp_path: Path) -> None:
    root = copy_example(tmp_path / "incident")
    before = tree(root / "rendered")
    after = render(root, NEW)
    assert before != after
    assert render(root, OLD) == before
    assert render(root, NEW) == after
    assert run("check", "--frozen", cwd=root).status == 0


@TARGETS
def test_the_other_generations_manifests_stay_as_they_are_and_are_listed(
    switched: dict[tuple[str, str], Path], first: str, second: str
) -> None:
    root = switched[first, second]
    folder = root / PAIR_FOLDER / "actortemplates"
    kept = retained(root)
    current = {found["actorTemplate"] for found in lock_spec(root)["boundaries"]}
    assert actor_templates(root) == kept | current
    assert len(kept) == len(current) == 2
    for name in kept | current:
        content = (folder / f"{name}.yaml").read_bytes()
        assert of_target(content) == (first if name in kept else second)
        if name in kept:
            path = f"{PAIR_FOLDER}/actortemplates/{name}.yaml"
            assert git(root, "show", f"HEAD:{path}").encode() == content.rstrip(b"\n")


@TARGETS
def test_no_tool_is_given_the_other_generations_manifests(
    switched: dict[tuple[str, str], Path], first: str, second: str
) -> None:
    root = switched[first, second]
    current = {found["actorTemplate"] for found in lock_spec(root)["boundaries"]}
    text = applied(root)
    assert {name for name in current | retained(root) if f"actortemplates/{name}.yaml" in text} == current
    assert given(run("generate", cwd=root).out) & (current | retained(root)) == current


def given(text: str) -> set[str]:
    """The ActorTemplates that printed objects are or carry."""
    names: set[str] = set()
    for document in read_yaml(text.encode()):
        value: Any = document.value
        carried = {key.removesuffix(".yaml") for key in value.get("data", {})} - {"revision.lock"}
        names |= carried if value["kind"] == "ConfigMap" else {value["metadata"]["name"]}
    return names


@TARGETS
def test_a_round_trip_keeps_both_and_gives_the_first_revision_again(
    switched: dict[tuple[str, str], Path], tmp_path: Path, first: str, second: str
) -> None:
    root = own(tmp_path / "root", switched, first, second)
    before = lock_spec(root)
    commit(root)
    render(root, first)
    after = lock_spec(root)
    assert {found["actorTemplate"] for found in after["boundaries"]} == retained_of(before)
    assert retained_of(after) == {found["actorTemplate"] for found in before["boundaries"]}
    assert [found["revision"] for found in before["retained"]] == [after["revision"]]
    commit(root)
    done = run("check", "--frozen", cwd=root)
    assert done.status == 0, done.err
    assert run("verify", "--offline", cwd=root).status == 0


def retained_of(spec: Any) -> set[str]:
    return {name for found in spec["retained"] for name in found["actorTemplates"]}


@TARGETS
def test_prune_lets_the_other_generation_go(
    switched: dict[tuple[str, str], Path], tmp_path: Path, first: str, second: str
) -> None:
    root = own(tmp_path / "root", switched, first, second)
    commit(root)
    done = run("prune", "--keep", "1", cwd=root)
    assert done.status == 0, done.err
    assert retained(root) == set()
    assert {of_target(path.read_bytes()) for path in (root / PAIR_FOLDER).rglob("actortemplates/*")} == {
        second
    }
    assert run("check", "--frozen", cwd=root).status == 0


EDITS = {
    "a value": ("/readyz", "/edited"),
    "another version": ("ate.dev/v1alpha1", "ate.dev/v9"),
    "another pair's name": ("metadata:\n", "metadata:\n  generateName: x\n"),
    "a second document": ("metadata:\n", "x: y\n---\nmetadata:\n"),
    "an alias": ("metadata:\n", "x: &a {}\ny: *a\nmetadata:\n"),
    "no YAML": ("metadata:", "metadata: ["),
}


EDITED = [(*targets, edit) for targets in ((OLD, NEW), (NEW, OLD)) for edit in EDITS]
EDITED.remove((NEW, OLD, "another version"))  # only the custom resource has a version


@pytest.mark.parametrize(("first", "second", "edit"), EDITED)
def test_an_edit_of_a_manifest_of_the_other_generation_is_found(
    switched: dict[tuple[str, str], Path], tmp_path: Path, first: str, second: str, edit: str
) -> None:
    root = own(tmp_path / "root", switched, first, second)
    old, new = EDITS[edit]
    name = sorted(retained(root))[0]
    path = root / PAIR_FOLDER / "actortemplates" / f"{name}.yaml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    done = run("check", "--frozen", "-o", "json", cwd=root)
    assert done.status == 1
    assert [(fault["reason"], fault["source"]["path"]) for fault in done.faults] == [
        ("OutputDrift", path.relative_to(root).as_posix())
    ]


def test_the_older_resource_cannot_pass_for_a_resource_of_the_newer_one(
    switched: dict[tuple[str, str], Path], tmp_path: Path
) -> None:
    """A retained file that is swapped for one of the other generation under its name is not intact."""
    root = own(tmp_path / "root", switched, OLD, NEW)
    folder = root / PAIR_FOLDER / "actortemplates"
    current = sorted(found["actorTemplate"] for found in lock_spec(root)["boundaries"])
    (folder / f"{sorted(retained(root))[0]}.yaml").write_bytes((folder / f"{current[0]}.yaml").read_bytes())
    done = run("check", "--frozen", "-o", "json", cwd=root)
    assert [fault["reason"] for fault in done.faults] == ["OutputDrift"]


def test_nothing_but_the_target_has_to_be_edited(switched: dict[tuple[str, str], Path]) -> None:
    there, back = (switched[pair] for pair in ((OLD, NEW), (NEW, OLD)))
    sources = [{path: data for path, data in tree(root).items() if "/" not in path} for root in (there, back)]
    assert {path for path in sources[0] if sources[0][path] != sources[1][path]} == {"kagent-render.yaml"}


def test_platform_agents_have_no_target(tmp_path: Path) -> None:
    root = write_root(tmp_path / "root", inputs=BEARER)
    for name, text in AGENT_FILES.items():
        (root / name).write_text(text)
    edit(root / "kagent-render.yaml", "spec:\n", 'spec:\n  kubeVersion: "1.35"\n')
    git(root, "init", "--quiet", "--initial-branch=main", ".")
    outputs = [
        {path: data for path, data in render(root, target).items() if "/_agentplugins/" in path}
        for target in (OLD, NEW)
    ]
    assert outputs[0] == outputs[1] != {}
    commit(root)
    render(root, OLD)
    assert run("diff", "-o", "json", cwd=root).json["platformAgents"] == []


def test_output_of_another_target_is_no_edit_where_nothing_can_be_prepared_for_the_new_one(
    tmp_path: Path,
) -> None:
    root = write_root(tmp_path / "root", inputs=INPUTS)
    render(root, OLD)
    switch(root, NEW)
    done = run("check", "-o", "json", cwd=root)
    assert done.status == 1
    assert {found["reason"] for found in done.faults} == {"CredentialUnsupported"}


@TARGETS
def test_attributes_of_another_target_alone_are_told_as_that(
    switched: dict[tuple[str, str], Path], tmp_path: Path, first: str, second: str
) -> None:
    root = own(tmp_path / "root", switched, first, second)
    before = git(root, "show", "HEAD:rendered/.gitattributes") + "\n"
    (root / "rendered/.gitattributes").write_text(before)
    done = run("check", "-o", "json", cwd=root)
    assert done.status == 1
    assert [(found["reason"], found["message"]) for found in done.faults] == [
        ("OutputDrift", "`rendered/.gitattributes` is what another `spec.target` gives")
    ]


RELEASES = pytest.mark.parametrize(
    ("first", "second"), [(ALPHA, NEW), (NEW, ALPHA)], ids=["to-new", "to-alpha"]
)


@RELEASES
def test_no_config_map_carries_the_manifests_of_another_release(
    tmp_path: Path, first: str, second: str
) -> None:
    root = write_root(tmp_path / "root", inputs=BEARER)
    git(root, "init", "--quiet", "--initial-branch=main", ".")
    render(root, first)
    earlier = {found["actorTemplate"] for found in lock_spec(root)["boundaries"]}
    commit(root)
    render(root, second)
    current = {found["actorTemplate"] for found in lock_spec(root)["boundaries"]}
    assert retained(root) == earlier
    assert actor_templates(root) == earlier | current
    assert given(run("generate", cwd=root).out) & (earlier | current) == current
    commit(root)
    assert run("check", "--frozen", cwd=root).status == 0
    (root / ".kagent/in-use").mkdir(parents=True)
    names = ", ".join(sorted(earlier | current))
    (root / ".kagent/in-use/team.yaml").write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\n"
        f"metadata: {{namespace: team, name: in-use}}\nspec: {{actorTemplates: [{names}]}}\n"
    )
    done = run("prune", "--keep", "1", cwd=root)
    assert done.status == 0, done.err
    assert actor_templates(root) == earlier | current
    assert f"actortemplates/{min(earlier)}.yaml" not in applied(root)
