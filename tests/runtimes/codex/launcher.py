"""The Codex CLI as its runtime starts it: a home of its own, an explicit environment, one turn."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.runtimes.codex.installation import codex_program


@dataclass(frozen=True)
class Turn:
    """How one turn ended: its JSON events, its exit status and what it wrote to stderr."""

    status: int
    events: list[dict[str, Any]]
    err: str

    @property
    def text(self) -> str:
        """The agent's last message."""
        messages = [item["text"] for item in self.items("agent_message")]
        return str(messages[-1]) if messages else ""

    @property
    def complaints(self) -> list[str]:
        """Everything that the CLI said against what it was given."""
        errors = [str(item["message"]) for item in self.items("error")]
        failed = [json.dumps(event) for event in self.events if event["type"] in ("error", "turn.failed")]
        said = [line for line in self.err.splitlines() if line.strip() and "from stdin" not in line]
        return [*errors, *failed, *said]

    def items(self, kind: str) -> list[dict[str, Any]]:
        """The completed items of one type."""
        items = [event["item"] for event in self.events if event["type"] == "item.completed"]
        return [item for item in items if item["type"] == kind]


def run_codex(home: Path, prompt: str, env: Mapping[str, str], seconds: float) -> Turn:
    """One turn of the agent whose files are in `home`."""
    folders = {name: home.parent / name for name in ("workspace", "user", "temporary")}
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
    # Codex complains of a home below the folder for temporary files, where pytest has its own.
    own = {"HOME": str(folders["user"]), "TMPDIR": str(folders["temporary"]), "CODEX_HOME": str(home)}
    done = subprocess.run(
        [codex_program(), "exec", "--json", "--strict-config", "--skip-git-repo-check", "--", prompt],
        cwd=folders["workspace"],
        env={"PATH": "/usr/bin:/bin", **env, **own},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return Turn(done.returncode, events, done.stderr)
