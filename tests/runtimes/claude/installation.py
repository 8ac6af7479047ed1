"""The pinned Claude Code."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from tests.parts import missing
from tests.runtimes.npm import installed

_SOURCE = Path(__file__).parent


@functools.cache
def claude_program() -> Path:
    """The CLI's own binary, which starts without Node.js."""
    folder = installed(_SOURCE, "Claude Code")
    found = sorted(folder.glob("node_modules/@anthropic-ai/claude-code-*/claude"))
    if not found:
        missing("Claude Code has no binary for this machine")
    return found[0]


def version() -> str:
    """The release that is pinned."""
    package = json.loads((_SOURCE / "package.json").read_text())
    return str(package["dependencies"]["@anthropic-ai/claude-code"])
