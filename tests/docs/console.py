"""Console blocks of pages: their commands are run, and what they show is held against what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.docs.markdown import blocks
from tests.running import run

_ELISION = "…\n"
_GIT = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.com",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.com",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}


def commands(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Each command of the console blocks of one name, with the output below it."""
    for block in blocks(text, "console"):
        if block.path == name:
            for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield command, output


def execute(command: str, folder: Path) -> tuple[int, str]:
    """Run one command in a folder; gives its exit status, and its output with stderr after stdout."""
    arguments = shlex.split(command)
    if arguments[0] == "kagent-render":
        done = run(*arguments[1:], cwd=folder)
        return done.status, done.out + done.err
    assert arguments[0] in ("git", "sed")
    other = subprocess.run(arguments, cwd=folder, env=_GIT, capture_output=True, text=True)
    return other.returncode, other.stdout + other.stderr


def agrees(shown: str, real: str) -> bool:
    """Whether `shown` is `real` with parts left out where it has an ellipsis."""
    pattern = ".*".join(re.escape(part) for part in shown.split(_ELISION))
    return re.fullmatch(pattern, real, re.DOTALL) is not None
