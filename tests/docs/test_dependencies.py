"""`docs/dependencies.md` has a line for each dependency that is declared, and for no other."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable

import pytest

from tests.docs.markdown import page, sections
from tests.parts import REPOSITORY

_PROJECT = tomllib.loads(page("pyproject.toml"))
_EXTRAS: dict[str, list[str]] = _PROJECT["project"]["optional-dependencies"]


def _names(requirements: Iterable[str]) -> list[str]:
    found = (re.match(r"[A-Za-z0-9._-]+", line) for line in requirements)
    return sorted({match[0].lower() for match in found if match})


def _listed(heading: str) -> list[str]:
    section = sections(page("docs/dependencies.md"), 2)[heading]
    return [
        name for name in re.findall(r"^\| ([a-z0-9._-]+) \| \w", section, re.MULTILINE) if name != "package"
    ]


@pytest.mark.parametrize(
    ("heading", "declared"),
    [
        ("To run", _PROJECT["project"]["dependencies"]),
        ("To serve", _EXTRAS["apply"]),
        ("To develop", [line for line in _EXTRAS["dev"] if not line.startswith("kagent-gitops[")]),
        ("To build", [*_PROJECT["build-system"]["requires"], *page("build-requirements.txt").split()]),
    ],
    ids=["run", "serve", "develop", "build"],
)
def test_each_dependency_has_a_line(heading: str, declared: list[str]) -> None:
    assert sorted(_listed(heading)) == _names(declared)


def test_every_extra_is_named() -> None:
    assert all(f"`{extra}`" in page("docs/dependencies.md") for extra in _EXTRAS)


_LOADED = """
import contextlib, sys
from kagent_render.cli.main import program
with contextlib.suppress(SystemExit):
    program(sys.argv[1:], prog_name="kagent-render", standalone_mode=False)
names = {"boto3", "click", "dulwich", "google.protobuf", "pydantic", "rich", "yaml"}
print("LOADED", *sorted(names & sys.modules.keys()), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["--version"], ["click"]),
        (["check", "--offline", "--no-cache", "examples/incident"], ["click", "pydantic", "yaml"]),
    ],
    ids=["version", "check"],
)
def test_a_command_loads_what_the_page_says(arguments: list[str], loaded: list[str]) -> None:
    command = [sys.executable, "-c", _LOADED, *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1].split() == ["LOADED", *loaded]
