"""Claude Code as its runtime starts it: its own folders, an explicit environment, one turn."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.runtimes.claude.installation import claude_program

_JSON = "stream-json"
_STREAM = ("--print", "--input-format", _JSON, "--output-format", _JSON, "--verbose")
_SOURCES = ("--setting-sources", "user")
_POLICY = ("--managed-settings", json.dumps({"blockedMarketplaces": [{"source": "skills-dir"}]}))


@dataclass(frozen=True)
class Turn:
    """How one turn ended: its exit status, the objects of its stream, and what it wrote to stderr."""

    status: int
    events: list[dict[str, Any]]
    err: str

    @property
    def init(self) -> dict[str, Any]:
        """What the CLI says of itself before it asks the model."""
        return next(event for event in self.events if event.get("subtype") == "init")

    @property
    def text(self) -> str:
        """The root's last word."""
        return str(next(event["result"] for event in self.events if event["type"] == "result"))

    @property
    def complaints(self) -> list[str]:
        """Everything that the CLI said against what it was given, but that it does not know a model."""
        said = [line for line in self.err.splitlines() if "unrecognized_model" not in line]
        servers = self.init["mcp_servers"] if self.events else []
        unconnected = [f"{server}" for server in servers if server["status"] != "connected"]
        failed = [str(event) for event in self.events if event.get("is_error")]
        return [*filter(None, said), *unconnected, *failed]


def run_claude(
    config: Path, prompt: str, env: Mapping[str, str], seconds: float, walls: tuple[str, ...] | None = None
) -> Turn:
    """One turn of the root whose files are in `config`; `walls` replace `--tools Agent,Skill`."""
    folders = {name: config.parent / name for name in ("workspace", "user")}
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
    own = {"HOME": str(folders["user"]), "CLAUDE_CONFIG_DIR": str(config)}
    files = ("--agents", str(config / "agents.json"), "--mcp-config", str(config / "mcp.json"))
    tools = ("--tools", "Agent,Skill") if walls is None else walls
    text = f" {prompt}" if prompt.startswith("/") else prompt  # not a command of the CLI
    said = {"type": "user", "message": {"role": "user", "content": text}}
    done = subprocess.run(
        [str(claude_program()), *_STREAM, *_SOURCES, *files, "--strict-mcp-config", *_POLICY, *tools],
        input=json.dumps(said),
        cwd=folders["workspace"],
        env={"PATH": "/usr/bin:/bin", **env, **own},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return Turn(done.returncode, events, done.stderr)
