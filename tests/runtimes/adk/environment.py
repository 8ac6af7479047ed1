"""A Python of its own for google-adk and kagent-adk, and scripts that run in it."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.parts import missing, program

HERE = Path(__file__).parent
LOCK = HERE / "requirements.lock"


@functools.cache
def adk_python() -> Path:
    """The interpreter that has what the lock pins, installed once for each content of the lock."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]
    target = Path(tempfile.gettempdir()) / f"kagent-adk-{version}-{digest}"
    if not target.exists():
        _install(target)
    return target / "bin" / "python"


def _install(target: Path) -> None:
    """Build the environment aside and move it to its place, where another process may have been quicker."""
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        _uv("venv", "--relocatable", "--python", sys.executable, str(partial))
        interpreter = str(partial / "bin" / "python")
        _uv("pip", "install", "--python", interpreter, "--require-hashes", "--no-deps", "-r", str(LOCK))
        partial.rename(target)
    except OSError:
        if not target.exists():
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _uv(*arguments: str) -> None:
    done = subprocess.run([program("uv"), "--quiet", *arguments], capture_output=True, text=True)
    if done.returncode:
        missing(f"google-adk and kagent-adk could not be installed: {done.stderr[-2000:]}")


def bare_environment(home: Path, env: Mapping[str, str]) -> dict[str, str]:
    """`env` with what a process needs to start, and nothing else of this one."""
    return {"PATH": os.defpath, "HOME": str(home), "PYTHONWARNINGS": "ignore", **env}


def answer_of(script: str, question: object, home: Path) -> Any:
    """What a script of this folder prints as JSON, when it reads `question` as JSON."""
    done = subprocess.run(
        [adk_python(), HERE / script],
        input=json.dumps(question),
        env=bare_environment(home, {}),
        cwd=home,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        pytest.fail(f"{script}: {done.stderr[-4000:]}")
    return json.loads(done.stdout)
