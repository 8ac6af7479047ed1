"""From manifests to a running agent: rendered by the real program, started from the ActorTemplate alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kagent_render.artifacts.package import Package
from tests.runtimes.claude.launcher import Turn, run_claude
from tests.runtimes.repository import render_manifests, render_repository

SECRETS = {("llm", "token"): "model-key", ("tools", "token"): "Bearer tools-key"}
"""What the Secrets of these tests hold, by name and key."""


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


def render_actor(folder: Path, *manifests: str) -> Actor:
    """Render manifests whose root is `lead` and take the container of its own boundary."""
    return Actor(render_manifests(folder, "claude", SECRETS, *manifests))


def rendered_actors(folder: Path, source: Path) -> dict[str, Actor]:
    """Every boundary of a repository that is rendered in `folder`, by its KAGENT_NAME."""
    return {name: Actor(env) for name, env in render_repository(folder, source, SECRETS).items()}
