"""Retained manifests: verified, kept for instances when their pair returns, not lost to a bad HEAD."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kagent_render.revision.canonical_json import canonical
from kagent_render.target.actor_template import identity_hash
from tests.cli.team import edit
from tests.running import run
from tests.source.git_repositories import git


@pytest.fixture
def committed(team: Path) -> Path:
    """The team with its output committed, and a prompt edited and rendered since."""
    git(team, "init", "-q", "-b", "main")
    commit(team)
    edit(team / "lead.yaml", "You lead.", "You decide.")
    assert run("render", cwd=team).status == 0
    commit(team)
    return team


def commit(folder: Path) -> None:
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "render")


def manifests(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("rendered/team/runtime/lead/actortemplates/*.yaml")}


def retained(folder: Path) -> Path:
    """A manifest of the earlier revision."""
    lock = (folder / "rendered/team/runtime/lead/revision.lock.yaml").read_text()
    name = lock.partition("\n  retained:\n")[2].partition("    - ")[2].partition("\n")[0]
    return folder / f"rendered/team/runtime/lead/actortemplates/{name}.yaml"


EDITS = {
    "a finalizer": ("metadata:\n", "metadata:\n  finalizers: [example.com/stay]\n"),
    "no protection": ("sync-options: Prune=false", "sync-options: Prune=true"),
    "a hook": ("  annotations:\n", "  annotations:\n    argocd.argoproj.io/hook: PreSync\n"),
    "another label": ("managed-by: kagent", "managed-by: someone"),
    "another kind": ("kind: ActorTemplate", "kind: ClusterRoleBinding"),
    "another version": ("ate.dev/v1alpha1", "ate.dev/v1"),
    "more at the top": ("kind: ActorTemplate\n", "kind: ActorTemplate\nroleRef: {name: cluster-admin}\n"),
    "another namespace": ("  namespace: team\n", "  namespace: kube-system\n"),
    "another spelling": ("kind: ActorTemplate", "kind: 'ActorTemplate'"),
    "a comment": ("kind: ActorTemplate", "kind: ActorTemplate # as before"),
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS)
def test_all_of_an_earlier_manifest_is_verified(before: str, after: str, committed: Path) -> None:
    edit(retained(committed), before, after)
    done = run("generate", cwd=committed)
    assert (done.status, done.out) == (1, "")
    assert "was edited by hand" in done.err


def test_a_manifest_of_another_pair_is_not_retained(committed: Path) -> None:
    mine = retained(committed)
    name, spec = mine.stem[:-13], mine.read_text().partition("\nspec:\n")[2]
    form = canonical(yaml.safe_load(spec))
    other = f"{name}-{identity_hash('kube-system', 'runtime', 'lead', '', form)}"
    for path in (mine, mine.parents[1] / "revision.lock.yaml", mine.parents[1] / "kustomization.yaml"):
        text = (
            path.read_text().replace(mine.stem, other).replace(f": {mine.stem[-12:]}\n", f": {other[-12:]}\n")
        )
        path.write_text(text.replace("\n  namespace: team\n", "\n  namespace: kube-system\n", path == mine))
    mine.rename(mine.with_stem(other))
    commit(committed)
    messages = [fault["message"] for fault in run("check", "-o", "json", cwd=committed).faults]
    assert f"the manifest of the retained ActorTemplate `{other}` was edited by hand" in messages


def test_a_manifest_that_was_written_with_another_protection_is_intact(committed: Path) -> None:
    edit(committed / "kagent-render.yaml", "protect: true", "protect: false")
    assert run("render", cwd=committed).status == 0
    assert "Prune=false" in retained(committed).read_text()
    assert run("check", cwd=committed).status == 0


@pytest.mark.parametrize("is_committed", [True, False])
def test_an_edited_manifest_of_an_earlier_revision_is_drift(committed: Path, is_committed: bool) -> None:
    path = retained(committed)
    assert run("check", cwd=committed).status == 0
    path.write_text(path.read_text().replace("8081", "9999"))
    if is_committed:
        commit(committed)
    for flags in ((), ("--no-cache",)):
        [fault] = run("check", "-o", "json", *flags, cwd=committed).faults
        assert fault["reason"] == "OutputDrift"
        assert path.stem in fault["message"] or path.name in fault["message"]


def test_what_is_in_use_stays_when_its_pair_comes_back(team: Path) -> None:
    git(team, "init", "-q", "-b", "main")
    needed = sorted(manifests(team))
    (team / ".kagent/in-use").mkdir(parents=True)
    names = "".join(f"  - {name}\n" for name in needed)
    (team / ".kagent/in-use/team.yaml").write_text(
        "apiVersion: render.kagent.dev/v1alpha1\nkind: InUse\nmetadata: {namespace: team}\n"
        f"spec:\n  actorTemplates:\n{names}"
    )
    commit(team)
    lead = (team / "lead.yaml").read_text()
    (team / "lead.yaml").unlink()
    assert run("render", cwd=team).status == 0
    commit(team)
    (team / "lead.yaml").write_text(lead.replace("You lead.", "You decide."))
    assert run("render", cwd=team).status == 0
    assert manifests(team) > set(needed)
    listed = (team / "rendered/team/runtime/lead/kustomization.yaml").read_text()
    assert all(name in listed for name in needed)
    assert run("check", cwd=team).status == 0


def test_a_damaged_head_is_not_taken_for_an_empty_one(committed: Path) -> None:
    identifier = git(committed, "rev-parse", "HEAD:rendered/team/runtime/lead/revision.lock.yaml")
    damaged = committed / ".git/objects" / identifier[:2] / identifier[2:]
    content = damaged.read_bytes()
    edit(committed / "lead.yaml", "You decide.", "You ask.")
    before = manifests(committed)
    damaged.unlink()
    done = run("render", "--no-cache", cwd=committed)
    assert done.status == 2
    assert "what HEAD retains cannot be read" in done.err
    assert manifests(committed) == before
    damaged.write_bytes(content)
    assert run("render", cwd=committed).status == 0
    assert manifests(committed) > before
    assert run("check", cwd=committed).status == run("check", "--no-cache", cwd=committed).status == 0


def test_the_order_of_a_manifest_s_maps_changes_no_byte(tmp_path: Path) -> None:
    assert run("init", cwd=tmp_path).status == 0
    before = (
        "provider: OpenAI\n  model: gpt-5-mini\n  apiKeySecret: model-credentials\n  apiKeySecretKey: token\n"
    )
    after = "provider: Ollama\n  model: m\n  ollama: {{host: 'http://o', options: {{{}}}}}\n"
    edit(tmp_path / "agents/assistant.yaml", before, after.format("z: '1', a: '2'"))
    assert run("render", cwd=tmp_path).status == 0
    edit(tmp_path / "agents/assistant.yaml", "z: '1', a: '2'", "a: '2', z: '1'")
    assert run("check", cwd=tmp_path).status == 0
    assert run("check", "--no-cache", cwd=tmp_path).status == 0


def test_a_name_is_cut_to_one_that_an_object_can_have(tmp_path: Path) -> None:
    assert run("init", cwd=tmp_path).status == 0
    edit(tmp_path / "agents/assistant.yaml", "  name: assistant\n", f"  name: {'a' * 49}.b\n")
    assert run("render", cwd=tmp_path).status == 0
    [path] = tmp_path.glob("rendered/*/*/*/actortemplates/*.yaml")
    assert path.stem.startswith("a" * 49 + "-")
