"""The program as a user calls it, in this process: arguments in, exit status and both streams out."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from kagent_render.cli.main import program
from tests.parts import REPOSITORY

EXAMPLE = REPOSITORY / "examples" / "incident"


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
    with _inside(cwd):
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
