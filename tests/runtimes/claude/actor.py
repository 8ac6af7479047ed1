"""From manifests to a running agent: rendered by the real program, started from the ActorTemplate alone."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kagent_render.artifacts.package import Package
from kagent_render.source.yaml import read_yaml
from tests.running import run
from tests.runtimes.claude.launcher import Turn, run_claude

ZEROS = "0" * 64
_CONFIG = f"""\
apiVersion: render.kagent.dev/v1alpha1
kind: RenderConfig
spec:
  target: ate.dev/v1alpha1
  substrate:
    workerPool: pool
    snapshotLocation: s3://snapshots/team
    pauseImage: registry.example.com/pause@sha256:{ZEROS}
"""
HARNESS = f"""\
apiVersion: kagent.dev/v1alpha2
kind: Harness
metadata: {{namespace: team, name: runtime}}
spec:
  claude: {{}}
  workload: {{image: registry.example.com/claude@sha256:{ZEROS}}}
  allowedAgentTemplates: {{selector: {{}}}}
"""
SECRETS = {"llm/token": "model-key", "tools/token": "Bearer tools-key"}
"""What the Secrets of these tests hold, by `name/key`."""


@dataclass(frozen=True)
class Actor:
    """The environment of one rendered container, Secrets resolved."""

    env: Mapping[str, str]

    @property
    def config(self) -> Any:
        """What the runtime reads."""
        return json.loads(self.env["KAGENT_CONFIG_JSON"])

    @property
    def files(self) -> dict[str, str]:
        """The files of CLAUDE_CONFIG_DIR."""
        found: dict[str, str] = json.loads(self.env["KAGENT_FILES_JSON"])
        return found

    def start(
        self,
        folder: Path,
        prompt: str = "Begin.",
        *,
        env: Mapping[str, str] | None = None,
        skills: Mapping[str, Package] | None = None,
        walls: tuple[str, ...] | None = None,
        seconds: float = 60,
    ) -> Turn:
        """Write the files, and the skills that the runtime would fetch, and run one turn."""
        config = folder / "claude"
        for path, text in self.files.items():
            _write(config / path, text.encode())
        for resource in self.config.get("skill_resources", ()):
            for path, file in (skills or {})[resource["name"]].files.items():
                _write(config / "skills" / resource["name"] / path, file.data)
        own = {name: value for name, value in self.env.items() if not name.endswith("_JSON")}
        return run_claude(config, prompt, {**own, **(env or {})}, seconds, walls)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def model(url: str, name: str = "model", spec: str = "", block: str = "", llm: str = "llm-1") -> str:
    """A ModelConfig of the scripted model, with further lines of its spec and entries of its block."""
    more = "".join(f"  {line}\n" for line in spec.splitlines())
    return (
        f"apiVersion: kagent.dev/v1alpha2\nkind: ModelConfig\nmetadata: {{namespace: team, name: {name}}}\n"
        f"spec:\n  provider: Anthropic\n  model: {llm}\n  apiKeySecret: llm\n  apiKeySecretKey: token\n"
        f"  anthropic: {{baseUrl: '{url}'{', ' if block else ''}{block}}}\n{more}"
    )


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


def render_actor(folder: Path, *manifests: str) -> Actor:
    """Render manifests whose root is `lead` and take the container of its own boundary."""
    source = folder / "source"
    source.mkdir()
    (source / "kagent-render.yaml").write_text(_CONFIG)
    (source / "manifests.yaml").write_text("---\n".join((HARNESS, *manifests)))
    return rendered_actors(folder, source)["lead-runtime"]


def rendered_actors(folder: Path, source: Path) -> dict[str, Actor]:
    """Every boundary of a repository that is rendered in `folder`, by the name of its ActorTemplate."""
    root = folder / "repository"
    shutil.copytree(source, root)
    # Not `--offline`: that keeps the whole process from the sockets that servers of the test just open.
    done = run("render", "-o", "json", cwd=root)
    assert done.status == 0, done.out
    paths = sorted((root / "rendered").glob("*/*/*/actortemplates/*.yaml"))
    # The name ends in 12 digits of its digest.
    return {path.stem[:-13]: _actor(path) for path in paths}


def _actor(path: Path) -> Actor:
    (container,) = read_yaml(path.read_bytes())[0].value["spec"]["containers"]
    return Actor({entry["name"]: _value(entry) for entry in container["env"]})


def _value(entry: Mapping[str, Any]) -> str:
    if "value" in entry:
        return str(entry["value"])
    reference = entry["valueFrom"]["secretKeyRef"]
    return SECRETS.get(f"{reference['name']}/{reference['key']}", "some-secret")
