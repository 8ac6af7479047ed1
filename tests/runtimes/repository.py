"""Manifests for real runtimes, rendered by the real program, and the environment of each actor."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.running import run
from tests.runtimes.environments import Secrets, actor_environments

_ZEROS = "0" * 64
CONFIG = f"""\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  target: ate.dev/v1alpha1
  substrate:
    workerPool: pool
    snapshotLocation: s3://snapshots/team
    pauseImage: registry.example.com/pause@sha256:{_ZEROS}
"""
_HARNESS = f"""\
apiVersion: kagent.dev/v1alpha2
kind: Harness
metadata: {{{{namespace: team, name: runtime}}}}
spec:
  {{variant}}: {{{{}}}}
  workload: {{{{image: "registry.example.com/runtime@sha256:{_ZEROS}"}}}}
  allowedAgentTemplates: {{{{selector: {{{{}}}}}}}}
"""
ROOT = "lead-runtime"
"""The boundary of the root in these repositories, by its KAGENT_NAME."""


def harness(variant: str) -> str:
    """A Harness that admits every template."""
    return _HARNESS.format(variant=variant)


def mcp_server(url: str, name: str, spec: str = "") -> str:
    """A RemoteMCPServer with further lines of its spec."""
    more = "".join(f"  {line}\n" for line in spec.splitlines())
    return (
        "apiVersion: kagent.dev/v1alpha2\nkind: RemoteMCPServer\n"
        f"metadata: {{namespace: team, name: {name}}}\nspec:\n  description: d\n  url: {url}\n{more}"
    )


def template(
    name: str, prompt: str, tools: str = "", llm: str = "model", skills: tuple[str, ...] = ()
) -> str:
    """An AgentTemplate; `prompt` is plain text, `tools` a flow sequence, `skills` names in one bucket."""
    used = ", ".join(
        f"{{name: {skill}, source: {{bucket: {{s3: {{bucket: agent-content, key: skills/{skill}.zip,"
        " versionId: v1}}}}"
        for skill in skills
    )
    return (
        f"apiVersion: kagent.dev/v1alpha2\nkind: AgentTemplate\nmetadata: {{namespace: team, name: {name}}}\n"
        f"spec:\n  modelConfig: {{name: {llm}}}\n  systemPrompt: {quoted(prompt)}\n"
        f"  tools: [{tools}]\n  skills: [{used}]\n  harnesses: {{include: [{{name: runtime}}]}}\n"
    )


def quoted(text: str) -> str:
    """A YAML scalar that holds any text in one line."""
    return json.dumps(text, ensure_ascii=False).replace("\u2028", "\\u2028")


def selects(server: str, *tools: str) -> str:
    """An entry of `tools` for an MCP server."""
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {server}}}, tools: {json.dumps(tools)}}}}}"


def binds(name: str, of: str, description: str = "Helps.", isolation: str = "Shared") -> str:
    """An entry of `tools` for an agent."""
    return (
        f"{{agent: {{name: {name}, description: {quoted(description)}, isolation: {isolation},"
        f" templateRef: {{name: {of}}}}}}}"
    )


def render_manifests(folder: Path, variant: str, secrets: Secrets, *manifests: str) -> dict[str, str]:
    """Render manifests whose root is `lead` on one runtime and give the environment of its own boundary."""
    source = folder / "source"
    source.mkdir()
    (source / "kagent-render.yaml").write_text(CONFIG)
    (source / "manifests.yaml").write_text("---\n".join((harness(variant), *manifests)))
    return render_repository(folder, source, secrets)[ROOT]


def render_repository(folder: Path, source: Path, secrets: Secrets) -> dict[str, dict[str, str]]:
    """The environment of every boundary of a repository that is rendered in `folder`, by KAGENT_NAME."""
    root = folder / "repository"
    shutil.copytree(source, root)
    # Not `--offline`: that keeps the whole process from the sockets that servers of the test just open.
    done = run("render", "-o", "json", cwd=root)
    assert done.status == 0, done.out
    return actor_environments(root, secrets)
