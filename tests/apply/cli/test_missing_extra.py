"""Without the extra `apply` each command says which extra is missing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from kagent_apply.cli.failure import is_of_extra
from tests.parts import REPOSITORY

_BLOCKED = """
import sys
class Absent:
    def find_spec(name, path=None, target=None):
        if name == {missing!r}:
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Absent)
from kagent_apply.cli.main import main
main()
"""
_CREATE = ("create", "-n", "a", "--harness", "b", "--template", "c")


@pytest.mark.process
@pytest.mark.parametrize(
    ("missing", "arguments"),
    [
        ("grpc", ("revisions",)),
        ("grpc", _CREATE),
        ("grpc", ("serve", "--echo")),
        ("sqlalchemy", ("serve", "--echo")),
    ],
)
def test_a_command_says_which_extra_is_missing(
    missing: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _BLOCKED.format(missing=missing), *arguments]
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY, env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: `{missing}` is missing, which the extra `apply` of `kagent-gitops` installs\n"
        "  hint: run `pip install 'kagent-gitops[apply]'`\n"
    )


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("serve", "--help"), ("create", "--help")]
)
def test_help_needs_no_extra(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", _BLOCKED.format(missing="grpc"), *arguments]
    assert subprocess.run(command, capture_output=True, cwd=REPOSITORY).returncode == 0


def test_what_the_extra_brings_is_known_by_its_modules() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    declared = {re.split(r"[\[>]", line)[0] for line in project["optional-dependencies"]["apply"]}
    found = {name for name, packages in packages_distributions().items() if declared & set(packages)}
    assert {name for name in found if name[0] != "_" and not is_of_extra(name)} == {"google"}


@pytest.mark.parametrize(
    ("module", "of_extra"),
    [("grpc", True), ("grpc.aio", True), ("google.rpc", True), ("google.protobuf", False), ("yaml", False)],
)
def test_a_module_that_the_base_has_is_not_of_the_extra(module: str, of_extra: bool) -> None:
    assert is_of_extra(module) == of_extra
