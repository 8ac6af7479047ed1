"""Real parts that tests use: found or built here, skipped on a user's machine, required in CI."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
REPOSITORY = TESTS.parent
SHARED = REPOSITORY.parent / "shared"


def missing(reason: str) -> None:
    """Skip with `reason`, or fail where every part has to be there."""
    if os.environ.get("CI"):
        pytest.fail(f"needed in CI: {reason}")
    pytest.skip(reason)


def program(name: str) -> str:
    """A program that a Python package brought into this environment, else the machine's own."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        missing(f"no `{name}` beside this Python or on PATH")
    return str(found)


def oracle_file(name: str) -> Path:
    """A file of the shared oracles folder beside this checkout."""
    path = SHARED / "oracles" / name
    if not path.exists():
        pytest.skip("no shared folder with oracles beside this checkout")
    return path


def go() -> str:
    """The Go toolchain."""
    found = shutil.which("go")
    if found is None:
        missing("no Go toolchain on PATH")
    return str(found)


@functools.cache
def go_tool(package: str, version: str) -> Path:
    """The one program that a package of a published Go module builds to, built once per version."""
    target = Path(tempfile.gettempdir()) / f"kagent-tool-{package.replace('/', '-')}-{version}"
    if not target.exists():
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [go(), "install", f"{package}@{version}"],
                capture_output=True,
                text=True,
                env={**os.environ, "CGO_ENABLED": "0", "GOBIN": folder},
            )
            if done.returncode:
                missing(f"the Go toolchain could not build {package}: {done.stderr[-2000:]}")
            (built,) = Path(folder).iterdir()
            shutil.move(built, partial := target.with_suffix(f".{os.getpid()}"))
        partial.replace(target)
    return target


@functools.cache
def go_module(module: str, version: str) -> Path:
    """The folder of a published Go module's files."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [go(), "mod", "download", "-json", f"{module}@{version}"],
            cwd=folder,
            capture_output=True,
            text=True,
        )
    if done.returncode:
        missing(f"the Go module {module} {version} cannot be had: {done.stdout[-2000:]}")
    return Path(json.loads(done.stdout)["Dir"])


@functools.cache
def go_oracle_module(oracle: str, module: str) -> Path:
    """The folder of a module that `tests/oracles/<oracle>` needs."""
    go = shutil.which("go")
    if go is None:
        missing("no Go toolchain on PATH to get a module with")
    source = TESTS / "oracles" / oracle
    for arguments in (("mod", "download", module), ("list", "-m", "-f", "{{.Dir}}", module)):
        done = subprocess.run([str(go), *arguments], cwd=source, capture_output=True, text=True)
        if done.returncode:
            missing(f"the Go toolchain could not get {module}: {done.stderr[-2000:]}")
    return Path(done.stdout.strip())


@functools.cache
def go_program(name: str) -> Path:
    """Build `tests/oracles/<name>`, a Go module of our own, once per content of its sources."""
    go = shutil.which("go")
    if go is None:
        missing("no Go toolchain on PATH to build the reference implementation")
    source = TESTS / "oracles" / name
    digest = hashlib.sha256()
    for path in sorted(source.iterdir()):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    target = Path(tempfile.gettempdir()) / f"kagent-oracle-{name}-{digest.hexdigest()[:16]}"
    if not target.exists():
        partial = target.with_suffix(f".{os.getpid()}")
        done = subprocess.run(
            [str(go), "build", "-o", str(partial), "."],
            cwd=source,
            capture_output=True,
            text=True,
            env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod"},
        )
        if done.returncode:
            missing(f"the Go toolchain could not build {name}: {done.stderr[-2000:]}")
        partial.replace(target)
    return target
