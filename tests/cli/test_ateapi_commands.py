"""Every command works in a repository that `init --target ateapi/v0.4` began."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kagent_render.cli.main import COMMANDS
from tests.cli.team import edit
from tests.running import Run, run
from tests.source.git_repositories import git

PAIR = "agent-team/python-runtime/assistant"
LOCK = f"rendered/{PAIR}/revision.lock.yaml"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit, as `init` and `render` leave it."""
    root = tmp_path_factory.mktemp("begun") / "root"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main", ".")
    for command in (("init", "--target", "ateapi/v0.4"), ("render", "--offline")):
        done = run(*command, cwd=root)
        assert done.status == 0, done.err
    git(root, "add", "--all", "--force", ".")
    git(root, "commit", "--quiet", "--message", "start")
    return root


@pytest.fixture
def root(begun: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(begun, tmp_path / "root"))


CALLS: dict[str, tuple[tuple[str, ...], str]] = {
    # command, and what it says
    "check": (("check", "--frozen", "--strict"), "1 pair current"),
    "diff": (("diff",), "No agent changed"),
    "explain": (("explain", PAIR, "bindings"), "authorization of api.openai.com"),
    "capabilities": (("explain", PAIR, "capabilities"), "python"),
    "graph": (("graph",), "credentials    authorization of api.openai.com"),
    "a drawing": (("graph", "-o", "svg"), "assistant"),
    "impact": (("graph", "--impact", "Secret/model-credentials"), PAIR),
    "verify": (("verify", "--offline"), "1 pair verified"),
    "vendor": (("vendor",), "no artifacts"),
    "prune": (("prune",), "nothing to prune"),
    "commit": (("commit", "--branch", "output"), "`output` is at"),
    "generate": (("generate",), "kagent-credential-injected"),
    "schema": (("schema",), "AgentTemplate"),
    "migrate": (("migrate",), "the same ActorTemplates"),
    "merge": (("merge", "--install"), "merge.kagent-render.driver"),
    "sarif": (("check", "-o", "sarif"), '"results": []'),
}


@pytest.mark.parametrize(("call", "said"), CALLS.values(), ids=CALLS.keys())
def test_a_command_works(root: Path, call: tuple[str, ...], said: str) -> None:
    done = run(*call, cwd=root)
    assert done.status == 0, done.err
    assert said in done.out + done.err


def test_every_command_that_reads_a_root_is_called_here() -> None:
    called = {call[0] for call, _ in CALLS.values()} | {"init", "render", "krm"}
    assert set(COMMANDS) - called == {"watch", "cache", "completion"}  # they know nothing of a target


def test_an_edit_is_stale_then_rendered_then_reviewed(root: Path) -> None:
    edit(root / "agents" / "assistant.yaml", "apiKeySecretKey: token", "apiKeySecretKey: other")
    stale = run("check", "--frozen", "-o", "json", cwd=root)
    assert [fault["reason"] for fault in stale.faults] == ["LockStale"]
    assert run("render", "--offline", cwd=root).status == 0
    found = run("diff", "-o", "json", cwd=root).json["pairs"][0]["changes"]
    assert {(it["topic"], it["name"], it["effect"]) for it in found if it["topic"] != "retained"} == {
        ("credential", "OPENAI_API_KEY", "widens"),
        ("binding", "authorization of api.openai.com", "widens"),
    }


def test_a_new_key_of_a_secret_changes_the_policy_and_not_the_actor_template(root: Path) -> None:
    """The container has a placeholder whatever the key is called."""
    before = {path.name for path in (root / "rendered" / PAIR / "actortemplates").iterdir()}
    edit(root / "agents" / "assistant.yaml", "apiKeySecretKey: token", "apiKeySecretKey: other")
    assert run("render", "--offline", cwd=root).status == 0
    assert {path.name for path in (root / "rendered" / PAIR / "actortemplates").iterdir()} == before
    assert "model-credentials/other" in (root / LOCK).read_text()


def test_a_resource_list_is_prepared(root: Path) -> None:
    items = [*read_items(root / "agents")]
    config = read_items(root)[0]
    wanted = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items}
    text = json.dumps({**wanted, "functionConfig": config}).encode()
    done = run("krm", cwd=root, stdin=text)
    assert done.status == 0, done.err
    assert "kagent-credential-injected" in done.out


def read_items(folder: Path) -> list[object]:
    import yaml

    return [
        document
        for path in sorted(folder.glob("*.yaml"))
        for document in yaml.safe_load_all(path.read_text())
    ]


def test_a_policy_that_was_edited_in_the_lock_is_found(root: Path) -> None:
    edit(root / LOCK, "- api.openai.com\n        ports", "- evil.example\n        ports")
    done: Run = run("check", "--frozen", "-o", "json", cwd=root)
    assert [fault["reason"] for fault in done.faults] == ["LockInvalid"]
    assert run("generate", cwd=root).status == 1
