"""The pinned Codex CLI."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.parts import missing
from tests.runtimes.npm import installed

_SOURCE = Path(__file__).parent


@functools.cache
def codex_program() -> Path:
    """The CLI's own binary, which starts without Node.js."""
    folder = installed(_SOURCE, "the Codex CLI")
    found = sorted(folder.glob("node_modules/@openai/codex-*/vendor/*/bin/codex"))
    if not found:
        missing("the Codex CLI has no binary for this machine")
    return found[0]
