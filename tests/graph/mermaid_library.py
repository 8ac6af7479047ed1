"""The drawing library that a browser of the tests loads from a file."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tests.parts import missing, program

MERMAID = "11.12.1"
_INTEGRITY = "UlIZrRariB11TY1RtTgUWp65tphtBv4CSq7vyS2ZZ2TgoMjs2nloq+wFqxiwcxlhHUvs7DPGgMjs2aeQxz5h9g=="
_MEMBER = "package/dist/mermaid.min.js"


def mermaid_library() -> str:
    """Mermaid's one file, got with npm once and held against the digest that its registry published."""
    npm = program("npm")
    folder = Path(tempfile.gettempdir()) / f"kagent-mermaid-{MERMAID}"
    folder.mkdir(exist_ok=True)
    package = folder / f"mermaid-{MERMAID}.tgz"
    with open(folder / "lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not package.exists():
            command = [npm, "pack", f"mermaid@{MERMAID}"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
            if done.returncode:
                missing(f"npm could not get Mermaid: {done.stderr[-2000:]}")
    digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
    assert digest == _INTEGRITY
    with tarfile.open(package) as archive:
        member = archive.extractfile(_MEMBER)
        assert member is not None
        return member.read().decode()
