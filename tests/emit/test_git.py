"""The output folder in Git and under kustomize: merges, line ends, what is applied."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.writer import write_plan
from tests.emit.outputs import plan_of
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


def test_kustomize_builds_a_pair_whose_manifests_no_tool_applies(tmp_path: Path) -> None:
    plan = plan_of(ONE)
    with DiskOutput(tmp_path, "rendered") as output:
        write_plan(plan, output)
        folder = tmp_path / "rendered/a/py/one/kustomization.yaml"
        folder.write_text(folder.read_text().partition("resources:")[0] + "resources: []\n")
    assert kustomize(tmp_path / "rendered") == []
