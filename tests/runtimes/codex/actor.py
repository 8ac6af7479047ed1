"""From manifests to a running agent: rendered by the real program, started from the ActorTemplate alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.runtimes.codex.launcher import Turn, run_codex
from tests.runtimes.repository import render_manifests, render_repository

SECRETS = {
    ("llm", "token"): "model-key",
    ("tools", "token"): "Bearer tools-key",
    ("aws", "AWS_BEARER_TOKEN_BEDROCK"): "aws-key",
}
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
        """The files of CODEX_HOME."""
        found: dict[str, str] = json.loads(self.env["KAGENT_FILES_JSON"])
        return found

    @property
    def own(self) -> dict[str, str]:
        """The variables that the runtime hands on to the CLI."""
        return {name: value for name, value in self.env.items() if not name.endswith("_JSON")}

    def install(self, folder: Path) -> Path:
        """Write the files below `folder` and give their CODEX_HOME."""
        home = folder / "codex"
        for path, text in self.files.items():
            target = home / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        return home

    def start(self, folder: Path, prompt: str = "Begin.", **env: str) -> Turn:
        """Write the files and run one turn; `env` is what a worker's network adds."""
        return run_codex(self.install(folder), prompt, {**self.own, **env})


def model(url: str, name: str = "model", spec: str = "", block: str = "", llm: str = "llm-1") -> str:
    """A ModelConfig of the scripted model, with further lines of its spec and entries of its block."""
    more = "".join(f"  {line}\n" for line in spec.splitlines())
    return (
        f"apiVersion: kagent.dev/v1alpha2\nkind: ModelConfig\nmetadata: {{namespace: team, name: {name}}}\n"
        f"spec:\n  model: {llm}\n  apiKeySecret: llm\n  apiKeySecretKey: token\n"
        f"  openAI: {{baseUrl: '{url}', apiFormat: responses{', ' if block else ''}{block}}}\n{more}"
    )


def render_actor(folder: Path, *manifests: str) -> Actor:
    """Render manifests whose root is `lead` and take the container of its own boundary."""
    return Actor(render_manifests(folder, "codex", SECRETS, *manifests))


def rendered_actors(folder: Path, source: Path) -> dict[str, Actor]:
    """Every boundary of a repository that is rendered in `folder`, by its KAGENT_NAME."""
    return {name: Actor(env) for name, env in render_repository(folder, source, SECRETS).items()}
