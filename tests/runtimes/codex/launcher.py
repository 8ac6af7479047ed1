"""The Codex CLI as its runtime starts it: a home of its own, an explicit environment, one turn."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.runtimes.codex.installation import codex_program

_SECONDS = 60


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


def run_codex(home: Path, prompt: str, env: Mapping[str, str]) -> Turn:
    """One turn of the agent whose files are in `home`."""
    arguments = ("exec", "--json", "--strict-config", "--skip-git-repo-check", "--", prompt)
    with start_codex(home, arguments, env) as process:
        out, err = process.communicate(timeout=_SECONDS)
    return Turn(process.returncode, [json.loads(line) for line in out.splitlines()], err)


@contextlib.contextmanager
def start_codex(
    home: Path, arguments: Sequence[str], env: Mapping[str, str], stdin: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[str]]:
    """The CLI with `home` as its own folder, in a working folder beside it; killed if it still runs after."""
    folders = {name: home.parent / name for name in ("workspace", "user", "temporary")}
    for folder in folders.values():
        folder.mkdir(exist_ok=True)
    # Codex complains of a home below the folder for temporary files, where pytest has its own.
    own = {"HOME": str(folders["user"]), "TMPDIR": str(folders["temporary"]), "CODEX_HOME": str(home)}
    process = subprocess.Popen(
        [codex_program(), *arguments],
        cwd=folders["workspace"],
        env={"PATH": "/usr/bin:/bin", **env, **own},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()
