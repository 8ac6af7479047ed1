"""The program as a user calls it, in this process: arguments in, exit status and both streams out."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from kagent_render.cli.main import program
from kagent_render.emit.disk import DiskOutput
from tests.parts import REPOSITORY

EXAMPLE = REPOSITORY / "examples" / "incident"
_KEEP = os.environ.get("ACTOR_TEMPLATES_WRITTEN")
WRITTEN = REPOSITORY / _KEEP if _KEEP else None
"""Where `run` keeps a copy of each ActorTemplate that a test had written, for the oracle tests to judge."""


@dataclass(frozen=True)
class Run:
    """How one call ended; `out` is stdout, `err` stderr."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What `-o json` printed."""
        return json.loads(self.out)

    @property
    def faults(self) -> list[dict[str, Any]]:
        """The errors that `-o json` printed."""
        return [found for found in self.json["diagnostics"] if found["severity"] == "error"]


def run(*args: str, cwd: Path, stdin: bytes | None = None, env: Mapping[str, str] | None = None) -> Run:
    """Call the program in `cwd`; a bug in it fails the test with its traceback."""
    with _inside(cwd), _keeping_actor_templates():
        result = CliRunner().invoke(program, args, input=stdin, env=env, prog_name="kagent-render")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Run(result.exit_code, result.stdout, result.stderr)


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def _keeping_actor_templates() -> Iterator[None]:
    if WRITTEN is None:
        yield
        return
    folder = WRITTEN
    folder.mkdir(parents=True, exist_ok=True)
    replace = DiskOutput.replace

    def replace_and_keep(output: DiskOutput, source: str, target: str) -> None:
        replace(output, source, target)
        if "/actortemplates/" in target:
            data = output.read(target, 1 << 20)
            (folder / f"{hashlib.sha256(data).hexdigest()}.yaml").write_bytes(data)

    with patch.object(DiskOutput, "replace", replace_and_keep):
        yield


def copy_example(target: Path, *, rendered: bool = True) -> Path:
    """The incident example by itself, outside of any Git repository that `target` is not in."""
    ignored = None if rendered else shutil.ignore_patterns("rendered")
    shutil.copytree(EXAMPLE, target, ignore=ignored)
    return target


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
