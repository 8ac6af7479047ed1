"""The pinned Claude Code, installed once per content of its lock beside other temporary files."""

from __future__ import annotations

import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.parts import missing

_SOURCE = Path(__file__).parent
_MINUTES = 10


@functools.cache
def claude_program() -> Path:
    """The CLI's own binary, which starts without Node.js."""
    lock = (_SOURCE / "package-lock.json").read_bytes()
    target = Path(tempfile.gettempdir()) / f"kagent-claude-{hashlib.sha256(lock).hexdigest()[:16]}"
    with open(target.with_suffix(".lock"), "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not target.exists():
            _install(target)
    found = sorted(target.glob("node_modules/@anthropic-ai/claude-code-*/claude"))
    if not found:
        missing("Claude Code has no binary for this machine")
    return found[0]


def _install(target: Path) -> None:
    """`npm ci` in a folder that becomes `target` when all went well."""
    npm = shutil.which("npm")
    if npm is None:
        missing("no `npm` on PATH to install Claude Code")
    partial = target.with_suffix(f".{os.getpid()}")
    partial.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(_SOURCE / name, partial)
    done = subprocess.run(
        [str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=partial,
        capture_output=True,
        text=True,
        timeout=60 * _MINUTES,
        check=False,
    )
    if done.returncode:
        shutil.rmtree(partial)
        missing(f"npm could not install Claude Code: {done.stderr[-2000:]}")
    partial.replace(target)


def version() -> str:
    """The release that is pinned."""
    package = json.loads((_SOURCE / "package.json").read_text())
    return str(package["dependencies"]["@anthropic-ai/claude-code"])
