"""The output folder in Git and under kustomize: merges, line ends, what is applied."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from kagent_render.emit.comparison import compare
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.plan import plan_output
from kagent_render.emit.writer import write_plan
from tests.emit.outputs import carried_output, pair_output, plan_of
from tests.parts import program
from tests.source.git_repositories import git

if TYPE_CHECKING:
    from pathlib import Path

    from kagent_render.emit.plan import OutputPlan

ONE = ("a", "py", "one", "v1")


def commit(root: Path, plan: OutputPlan) -> None:
    with DiskOutput(root, "rendered") as output:
        write_plan(plan, output)
    git(root, "add", ".")
    git(root, "commit", "-qm", "render")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, plan_of(ONE))
    return tmp_path


def kustomize(folder: Path) -> list[str]:
    done = subprocess.run([program("kubectl"), "kustomize", str(folder)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return sorted(item["metadata"]["name"] for item in yaml.safe_load_all(done.stdout) if item)


def test_branches_that_add_neighbouring_pairs_merge_with_plain_git(repository: Path) -> None:
    left, right = ("a", "py", "two", "v1"), ("a", "py", "three", "v1")
    git(repository, "checkout", "-qb", "left")
    commit(repository, plan_of(ONE, left, ("b", "py", "x", "v1")))
    git(repository, "checkout", "-qb", "right", "main")
    commit(repository, plan_of(ONE, right, ("c", "py", "x", "v1")))
    git(repository, "merge", "-q", "left", "-m", "merge")
    plan = plan_of(ONE, left, right, ("b", "py", "x", "v1"), ("c", "py", "x", "v1"))
    assert kustomize(repository / "rendered") == sorted(
        path.rpartition("/")[2].removesuffix(".yaml") for path in plan.manifests
    )
    with DiskOutput(repository, "rendered") as output:
        written = write_plan(plan, output)
    assert all(path.endswith("kustomization.yaml") for path in written.paths)


EDITS = {
    "both edit": (("v2",), ("v3",)),
    "both edit and retain": (("v2", "v1"), ("v3", "v1")),
    "one retains": (("v2",), ("v3", "v1")),
    "one brings a variable": (("v2 ${X}",), ("v3",)),
    "both bring a variable": (("v2 ${X}", "v1"), ("v3 ${Y}", "v1")),
}


def objects(folder: Path) -> list[Any]:
    done = subprocess.run([program("kubectl"), "kustomize", str(folder)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return list(yaml.safe_load_all(done.stdout))


@pytest.mark.parametrize(("left", "right"), EDITS.values(), ids=EDITS)
def test_what_two_branches_carry_is_never_merged_to_what_cannot_be_built(
    tmp_path: Path, left: tuple[str, ...], right: tuple[str, ...]
) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, plan_output([carried_output("a", "py", "one", "v1")]))
    git(tmp_path, "checkout", "-qb", "left")
    commit(tmp_path, plan_output([carried_output("a", "py", "one", *left)]))
    git(tmp_path, "checkout", "-qb", "right", "main")
    commit(tmp_path, plan_output([carried_output("a", "py", "one", *right)]))
    done = subprocess.run(["git", "-C", str(tmp_path), "merge", "left"], capture_output=True, check=False)
    assert done.returncode == 1
    conflicts = git(tmp_path, "diff", "--name-only", "--diff-filter=U").splitlines()
    assert "rendered/a/py/one/revision.lock.yaml" in conflicts
    if "rendered/a/py/one/kustomization.yaml" not in conflicts:
        git(tmp_path, "checkout", "--theirs", "rendered/a/py/one/revision.lock.yaml")
        (made,) = objects(tmp_path / "rendered")
        files = sorted(path.name for path in (tmp_path / "rendered/a/py/one/actortemplates").iterdir())
        assert sorted(made["data"]) == sorted([*files, "revision.lock.yaml"])


@pytest.mark.parametrize(("carried", "merge"), [(False, "union"), (True, "set")])
def test_a_union_is_for_lists_alone(tmp_path: Path, carried: bool, merge: str) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    make = carried_output if carried else pair_output
    commit(tmp_path, plan_output([make("a", "py", "one", "v1")]))
    paths = (
        "rendered/kustomization.yaml",
        "rendered/a/kustomization.yaml",
        "rendered/a/py/one/kustomization.yaml",
    )
    lines = git(tmp_path, "check-attr", "merge", "--", *paths).splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["union", "union", merge]


def test_a_merge_across_a_switch_of_the_generation_stops_at_the_lock(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    commit(tmp_path, plan_of(ONE))
    git(tmp_path, "checkout", "-qb", "switch")
    switched = plan_output([carried_output("a", "py", "one", "v3")])
    commit(tmp_path, switched)
    git(tmp_path, "checkout", "-qb", "edit", "main")
    commit(tmp_path, plan_of(("a", "py", "one", "v2")))
    done = subprocess.run(["git", "-C", str(tmp_path), "merge", "switch"], capture_output=True, check=False)
    assert done.returncode == 1
    assert "UU rendered/a/py/one/revision.lock.yaml" in git(tmp_path, "status", "--porcelain").splitlines()
    with DiskOutput(tmp_path, "rendered") as output:
        write_plan(switched, output)
    assert len(objects(tmp_path / "rendered")) == 1


@pytest.mark.parametrize("carried", [False, True])
def test_switching_the_generation_of_a_pair_replaces_what_is_applied(tmp_path: Path, carried: bool) -> None:
    plans = plan_of(ONE), plan_output([carried_output("a", "py", "one", "v3")])
    before, after = plans if carried else reversed(plans)
    with DiskOutput(tmp_path, "rendered") as output:
        write_plan(before, output)
        write_plan(after, output)
        assert compare(after, output).stale == ()
    kinds = {found["kind"] for found in objects(tmp_path / "rendered")}
    assert kinds == {"ConfigMap" if carried else "ActorTemplate"}


def test_a_checkout_that_converts_line_ends_keeps_every_byte(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(
        tmp_path, "-c", "core.autocrlf=true", "clone", "-q", "--config", "core.autocrlf=true", ".", str(clone)
    )
    for path, content in plan_of(ONE).files.items():
        if path.endswith(".yaml"):
            assert (clone / "rendered" / path).read_bytes() == content


@pytest.mark.parametrize(
    ("path", "attributes"),
    [
        ("a/py/one/actortemplates/x.yaml", {"linguist-generated": "set", "eol": "lf"}),
        (
            "a/py/one/revision.lock.yaml",
            {"linguist-generated": "unset", "merge": "kagent-render", "eol": "lf"},
        ),
        ("a/kustomization.yaml", {"linguist-generated": "unspecified", "merge": "union", "eol": "lf"}),
    ],
)
def test_git_sees_generated_files_as_such_and_locks_as_text_to_review(
    repository: Path, path: str, attributes: dict[str, str]
) -> None:
    lines = git(repository, "check-attr", *attributes, "--", f"rendered/{path}").splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == list(attributes.values())


def test_kustomize_yields_what_is_planned_and_nothing_else(tmp_path: Path) -> None:
    plan = plan_of(ONE, ("a", "py.x", "two", "v1"), ("github-com", "github.com", "org", "v1"))
    with DiskOutput(tmp_path, "rendered") as output:
        write_plan(plan, output)
    names = sorted(path.rpartition("/")[2].removesuffix(".yaml") for path in plan.manifests)
    assert kustomize(tmp_path / "rendered") == names
