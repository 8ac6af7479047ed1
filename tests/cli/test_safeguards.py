"""What keeps a slip from taking agents away, or from passing unseen."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from tests.cli.team import edit
from tests.parts import REPOSITORY
from tests.running import run
from tests.source.git_repositories import git


@pytest.mark.parametrize(
    ("kind", "meant"),
    [("AgentTemplat", "AgentTemplate"), ("Harnes", "Harness"), ("ModelConfigs", "ModelConfig")],
)
def test_a_misspelt_kind_of_ours_is_told(team: Path, kind: str, meant: str) -> None:
    (team / "slip.yaml").write_text(
        f"apiVersion: kagent.dev/v1alpha2\nkind: {kind}\n"
        "metadata: {namespace: team, name: slip}\nspec: {}\n"
    )
    done = run("check", "-o", "json", cwd=team)
    [fault] = done.faults
    assert (fault["reason"], fault["field"], fault["source"]["line"]) == ("UnknownField", "kind", 2)
    assert fault["hint"] == f"write `{meant}`"


@pytest.mark.parametrize("kind", ["Agent", "ModelProviderConfig", "SandboxTemplate", "Memory", "x" * 100])
def test_another_kind_of_the_group_is_no_business_of_ours(team: Path, kind: str) -> None:
    (team / "other.yaml").write_text(
        f"apiVersion: kagent.dev/v1alpha2\nkind: {kind}\nmetadata: {{namespace: team, name: other}}\n"
    )
    assert run("check", cwd=team).status == 0


@pytest.mark.parametrize(
    ("keys", "told"), [("{api-key: eA==}", True), ("{}", False), ("{token: eA==}", False)], ids=str
)
def test_a_key_that_a_committed_secret_lacks_is_told(tmp_path: Path, keys: str, told: bool) -> None:
    assert run("init", cwd=tmp_path).status == 0
    (tmp_path / "secret.yaml").write_text(
        "apiVersion: v1\nkind: Secret\nmetadata: {namespace: agent-team, name: model-credentials}\n"
        f"data: {keys}\n"
    )
    found = run("render", "-o", "json", cwd=tmp_path).json["diagnostics"]
    messages = [fault["message"] for fault in found if fault["reason"] == "CredentialKeysUnknown"]
    assert messages == (["Secret `model-credentials` in the repository has no key `token`"] if told else [])


def test_conflict_markers_in_a_manifest_are_called_so(team: Path) -> None:
    manifest = next(team.glob("rendered/team/*/lead/actortemplates/*.yaml"))
    manifest.write_text("<<<<<<< ours\n" + manifest.read_text() + "=======\n>>>>>>> theirs\n")
    [fault] = run("check", "-o", "json", cwd=team).faults
    assert fault["reason"] == "LockConflict"
    assert fault["source"]["line"] == 1


def test_only_stdin_can_be_named_with_f(team: Path) -> None:
    assert run("check", "-f", "lead.yaml", cwd=team).status == 2


def test_a_chart_s_template_is_told_how_to_be_excluded(team: Path) -> None:
    (team / "charts/app/templates").mkdir(parents=True)
    template = "apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\nmetadata:\n  name: {{ .Values.name }}\n"
    (team / "charts/app/templates/agent.yaml").write_text(template)
    [fault] = run("check", "-o", "json", cwd=team).faults
    assert '- "!charts/app/**"' in fault["hint"]
    edit(team / "kagent-render.yaml", "spec:\n", 'spec:\n  sources: ["!charts/app/**"]\n')
    assert run("check", cwd=team).status == 0


@pytest.mark.parametrize("arguments", [("-a",), ("lead.yaml",)], ids=["all", "a path"])
def test_a_hook_reads_the_index_that_git_commits(
    team: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    git(team, "init", "-q", "-b", "main")
    git(team, "add", ".")
    git(team, "commit", "-qm", "rendered")
    hook = team / ".git/hooks/pre-commit"
    program = "from kagent_render.cli.main import main; main()"
    hook.write_text(
        f"#!/bin/sh\nexport PYTHONPATH='{REPOSITORY}' XDG_CACHE_HOME='{tmp_path}/cache'\n"
        f"exec '{sys.executable}' -c '{program}' check --staged --frozen\n"
    )
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    edit(team / "lead.yaml", "You lead.", "You decide.")
    with pytest.raises(AssertionError, match="LockStale"):
        git(team, "commit", "-qm", "stale", *arguments)
    assert git(team, "log", "--format=%s").split() == ["rendered"]
