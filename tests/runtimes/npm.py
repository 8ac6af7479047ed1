"""Programs that npm installs, once per content of their lock, beside other temporary files."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.parts import missing

_MINUTES = 10
_FILES = ("package.json", "package-lock.json")


def installed(source: Path, name: str) -> Path:
    """The folder with what the lock in `source` pins; `name` says to a person what that is."""
    lock = (source / "package-lock.json").read_bytes()
    target = Path(tempfile.gettempdir()) / f"kagent-{source.name}-{hashlib.sha256(lock).hexdigest()[:16]}"
    with open(target.with_suffix(".lock"), "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not target.exists():
            _install(source, target, name)
    return target


def _install(source: Path, target: Path, name: str) -> None:
    """`npm ci` in a folder that becomes `target` when all went well."""
    npm = shutil.which("npm")
    if npm is None:
        missing(f"no `npm` on PATH to install {name}")
    partial = target.with_suffix(f".{os.getpid()}")
    partial.mkdir()
    for file in _FILES:
        shutil.copy(source / file, partial)
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
        missing(f"npm could not install {name}: {done.stderr[-2000:]}")
    partial.replace(target)
