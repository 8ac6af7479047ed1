"""The output in Git, merged as people merge, and in kustomize, built as GitOps tools build it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.parts import program
from tests.properties import manifests as make
from tests.properties.repositories import check, pair_of, render, text_of
from tests.running import EXAMPLE, copy_example, tree
from tests.source.git_repositories import ENVIRONMENT, git, stage_files

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.process

AGENTS = "agents/specialists.yaml"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The example as a repository of its own, rendered and committed."""
    root = copy_example(tmp_path / "repository")
    commit(root, "the example")
    return root


def commit(root: Path, message: str) -> None:
    stage_files(root, {})
    git(root, "commit", "--quiet", "--message", message)


def on_branch(root: Path, name: str, sources: Mapping[str, bytes]) -> None:
    """A branch off `main` with these sources, rendered."""
    git(root, "checkout", "--quiet", "-b", name, "main")
    for path, content in sources.items():
        (root / path).write_bytes(content)
    render(root)
    commit(root, name)


def reworded(path: str, old: str, new: str) -> dict[str, bytes]:
    text = (EXAMPLE / path).read_text()
    assert old in text
    return {path: text.replace(old, new).encode()}


def added(name: str) -> dict[str, bytes]:
    """A new template in a file of its own."""
    template = make.template("v1alpha2", name, ["python-runtime"], "agent-team", systemPrompt=f"I am {name}.")
    template["spec"]["modelConfig"]["name"] = "default-model"
    template["metadata"]["labels"] = {"example.com/runtime": "python"}
    return {f"agents/{name}.yaml": text_of([template])}


def merge(root: Path, *branches: str) -> list[str]:
    """Merge branches into `main` with plain Git; the files that the last merge leaves in conflict."""
    git(root, "checkout", "--quiet", "main")
    for branch in branches:
        command = ["git", "merge", "--quiet", "--no-edit", branch]
        subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True)
    return git(root, "diff", "--name-only", "--diff-filter=U").splitlines()


def test_branches_that_change_neighbouring_pairs_merge_and_are_current(repository: Path) -> None:
    on_branch(repository, "both", {**added("alpha"), **added("beta")})
    git(repository, "branch", "--force", "main", "both")
    changed = {name: {f"agents/{name}.yaml": source} for name, source in _reworded_additions()}
    on_branch(repository, "left", changed["alpha"])
    on_branch(repository, "right", changed["beta"])
    assert merge(repository, "left", "right") == []
    found = check(repository)
    assert found.status == 0, found.err


def _reworded_additions() -> list[tuple[str, bytes]]:
    return [
        (name, added(name)[f"agents/{name}.yaml"].replace(b"I am", b"You are")) for name in ("alpha", "beta")
    ]


@pytest.mark.parametrize(
    ("first", "second"), [("alpha", "beta"), ("alpha", "zeta"), ("incident-a", "incident-r")]
)
def test_branches_that_add_neighbouring_pairs_merge_and_at_most_the_order_of_a_list_is_left(
    repository: Path, first: str, second: str
) -> None:
    on_branch(repository, "left", added(first))
    on_branch(repository, "right", added(second))
    assert merge(repository, "left", "right") == []
    merged = tree(repository / "rendered")
    assert kustomize(repository / "rendered") == written(merged)
    rendered = render(repository)
    changed = [path for path in rendered if merged.get(path) != rendered[path]]
    assert merged.keys() == rendered.keys()
    assert set(changed) <= {"agent-team/kustomization.yaml"}
    assert all(sorted(merged[path].splitlines()) == sorted(rendered[path].splitlines()) for path in changed)


def test_branches_that_change_one_tree_conflict_in_its_pair_alone_and_rendering_resolves_that(
    repository: Path,
) -> None:
    on_branch(repository, "left", reworded(AGENTS, "Review the investigation", "Read the investigation"))
    on_branch(repository, "right", reworded(AGENTS, "Investigate the", "Study the"))
    conflicts = merge(repository, "left", "right")
    assert {pair_of(path.removeprefix("rendered/")) for path in conflicts} == {
        ("agent-team", "python-runtime", "incident-coordinator")
    }
    found = check(repository, "-o", "json")
    assert "LockConflict" in {fault["reason"] for fault in found.faults}
    render(repository)
    assert check(repository).status == 0
    commit(repository, "resolved")
    assert check(repository, "--rev", "HEAD").status == 0


def test_a_checkout_that_converts_line_ends_is_current(repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--config", "core.autocrlf=true", str(repository), str(clone))
    assert b"\r\n" in (clone / AGENTS).read_bytes()
    converted = tree(clone / "rendered")
    assert not [path for path, content in converted.items() if b"\r" in content]
    found = check(clone)
    assert found.status == 0, found.err
    assert render(clone, "--exit-code") == converted


def kustomize(folder: Path) -> list[str]:
    """The names of what `kubectl kustomize` yields, each an ActorTemplate."""
    done = subprocess.run([program("kubectl"), "kustomize", str(folder)], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    objects = [item for item in yaml.safe_load_all(done.stdout) if item]
    assert {item["kind"] for item in objects} <= {"ActorTemplate"}
    return sorted(item["metadata"]["name"] for item in objects)


def written(output: Mapping[str, bytes]) -> list[str]:
    """The names of the ActorTemplates in an output."""
    return sorted(Path(path).stem for path in output if "/actortemplates/" in path)


def test_kustomize_yields_the_actor_templates_of_existing_pairs(repository: Path) -> None:
    assert kustomize(repository / "rendered") == written(tree(repository / "rendered"))
    (repository / "agents/incident-coordinator.yaml").unlink()
    output = render(repository)
    assert kustomize(repository / "rendered") == written(output)
    assert [name.rpartition("-")[0] for name in written(output)] == [
        "incident-researcher-python-runtime",
        "incident-reviewer-python-runtime",
    ]
    for path in (repository / "agents").glob("*.yaml"):
        path.unlink()
    assert render(repository) == {}


def test_the_proposals_example_gives_three_roots_and_four_actor_templates(repository: Path) -> None:
    output = tree(repository / "rendered")
    locks = [pair_of(path) for path in output if path.endswith("/revision.lock.yaml")]
    assert locks == [
        ("agent-team", "python-runtime", f"incident-{name}")
        for name in ("coordinator", "researcher", "reviewer")
    ]
    assert [name.rpartition("-")[0] for name in kustomize(repository / "rendered")] == [
        "incident-coordinator-python-runtime",
        "incident-coordinator-python-runtime-reviewer",
        "incident-researcher-python-runtime",
        "incident-reviewer-python-runtime",
    ]
    (root,) = [
        content
        for path, content in output.items()
        if re.fullmatch(r".*/incident-coordinator-python-runtime-[0-9a-f]{12}\.yaml", path)
    ]
    configuration = json.loads(environment(root)["KAGENT_CONFIG_JSON"])
    assert [child["name"] for child in configuration["sub_agents"]] == ["researcher"]
    (reviewer,) = configuration["http_tools"]
    assert reviewer["params"]["url"] == "http://127.0.0.1:8082/mcp/reviewer"
    assert reviewer["tools"] == ["invoke"]


def environment(manifest: bytes) -> dict[str, Any]:
    """The literal variables of an ActorTemplate."""
    entries = yaml.safe_load(manifest)["spec"]["containers"][0]["env"]
    return {entry["name"]: entry.get("value") for entry in entries}
