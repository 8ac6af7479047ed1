"""What a whole run asks servers for, and how it ends when they fail or a person loses patience."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.artifacts.archive.archives import ordinary_zip
from tests.parts import program
from tests.running import run, tree
from tests.servers import Request, ScriptedServer, serving, stall

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("credentials", "fresh_cache")]

ZEROS = "0" * 64
SKILL = "---\nname: {name}\ndescription: Does one thing.\n---\n"
CONFIG = """\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  target: ate.dev/v1alpha1
  substrate:
    workerPool: pool
    snapshotLocation: s3://snapshots/team
    pauseImage: registry.example.com/pause@sha256:{zeros}
  artifacts:
    s3:
      endpoint: {endpoint}
"""
SHARED = f"""\
apiVersion: kagent.dev/v1alpha2
kind: Harness
metadata: {{namespace: team, name: runtime}}
spec:
  python: {{}}
  workload: {{image: "registry.example.com/runtime@sha256:{ZEROS}"}}
  allowedAgentTemplates: {{selector: {{}}}}
---
apiVersion: kagent.dev/v1alpha2
kind: ModelConfig
metadata: {{namespace: team, name: model}}
spec: {{provider: OpenAI, model: gpt-5-mini}}
"""
TEMPLATE = """\
---
apiVersion: kagent.dev/v1alpha2
kind: AgentTemplate
metadata: {{namespace: team, name: agent-{number}}}
spec:
  modelConfig: {{name: model}}
  systemPrompt: Help.
  harnesses: {{include: [{{name: runtime}}]}}
  skills:
  - name: {skill}
    source: {{bucket: {{s3: {{bucket: content, key: {skill}.zip, versionId: "1"}}}}}}
"""


def write_repository(root: Path, endpoint: str, templates: int, skills: int) -> Path:
    """A root of agents that share so many skills of one bucket."""
    root.mkdir()
    (root / "kagent-render.yaml").write_text(CONFIG.format(endpoint=endpoint, zeros=ZEROS))
    (root / "shared.yaml").write_text(SHARED)
    agents = (TEMPLATE.format(number=number, skill=f"skill-{number % skills}") for number in range(templates))
    (root / "agents.yaml").write_text("".join(agents))
    return root


def bucket(request: Request) -> None:
    """Serve each key as a skill of its name."""
    name = request.path.partition("?")[0].rpartition("/")[2].removesuffix(".zip")
    archive = ordinary_zip({"SKILL.md": SKILL.format(name=name).encode()})
    request.reply(archive, x_amz_version_id="1")


def keys(server: ScriptedServer) -> Counter[str]:
    return Counter(request.path for request in server.requests)


def test_50_artifacts_of_500_templates_are_50_fetches(tmp_path: Path) -> None:
    with serving(bucket) as server:
        root = write_repository(tmp_path / "root", server.url, 500, 50)
        done = run("render", cwd=root)
        assert done.status == 0, done.err
    assert len(keys(server)) == 50
    assert set(keys(server).values()) == {1}


def test_every_failure_is_reported_at_every_field_that_needs_it(tmp_path: Path) -> None:
    def answer(request: Request) -> None:
        if "skill-1." in request.path or "skill-3." in request.path:
            request.reply(b"<Error><Code>NoSuchVersion</Code></Error>", 404)
        else:
            bucket(request)

    with serving(answer) as server:
        root = write_repository(tmp_path / "root", server.url, 10, 5)
        done = run("render", "-o", "json", cwd=root)
    assert done.status == 1
    assert not (root / "rendered").exists()
    assert [(fault["reason"], fault["object"]["name"], fault["field"]) for fault in done.faults] == [
        ("ArtifactNotFound", f"agent-{number}", "spec.skills[0].source") for number in (1, 3, 6, 8)
    ]


def test_an_interrupt_ends_a_run_that_waits_for_servers_and_leaves_everything_as_it_was(
    tmp_path: Path, fresh_cache: Path
) -> None:
    with serving(stall(60)) as server:
        root = write_repository(tmp_path / "root", server.url, 8, 8)
        before = tree(root)
        process = subprocess.Popen(
            [program("kagent-render"), "render", str(root)], stderr=subprocess.PIPE, text=True
        )
        while not server.requests:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=30)
    assert (process.returncode, complaint.strip()) == (130, "interrupted: nothing half-written")
    assert tree(root) == before
    assert not [path for path in tree(fresh_cache) if "artifacts" in path]
