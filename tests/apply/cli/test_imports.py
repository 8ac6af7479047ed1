"""A command loads the libraries that it needs, and no other (docs/dependencies.md)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.instance_service import committed
from tests.parts import REPOSITORY

_LOADED = """
import contextlib, sys
{run}
names = {{
    "a2a", "alembic", "click", "cryptography", "google.protobuf", "grpc", "jwt", "kubernetes",
    "opentelemetry", "prometheus_client", "psycopg", "pydantic", "sqlalchemy", "yaml",
}}
print("LOADED", *sorted(names & sys.modules.keys()), file=sys.stderr)
"""
_COMMAND = """
from kagent_apply.cli.main import program
with contextlib.suppress(SystemExit, Exception):
    program(sys.argv[1:], prog_name="kagent-apply", standalone_mode=False)
"""
_ASSEMBLED = """
from pathlib import Path
from kagent_apply.cli.server.assembly import assemble
from kagent_apply.settings.reading import read_settings
settings, _ = read_settings({"repo": sys.argv[1], "echo": True}, {}, None)
with assemble(settings, Path(sys.argv[2])):
    pass
"""
_ASKING = {"click", "google.protobuf", "grpc"}
_NOWHERE = ("--server", "127.0.0.1:1", "--namespace", "team", "--timeout", "0.1")


def _loaded(run: str, *arguments: str) -> set[str]:
    command = [sys.executable, "-c", _LOADED.format(run=run), *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    told, *names = done.stderr.splitlines()[-1].split()
    assert told == "LOADED"
    return set(names)


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["--version"], {"click"}),
        (["list", *_NOWHERE], _ASKING),
        (["create", *_NOWHERE, "--harness", "h", "--template", "t"], _ASKING),
        (["serve", "--help"], {"click", "pydantic", "yaml"}),
    ],
    ids=["version", "list", "create", "help"],
)
def test_a_command_loads_what_it_needs(arguments: list[str], loaded: set[str]) -> None:
    assert _loaded(_COMMAND, *arguments) == loaded


@pytest.mark.server
def test_a_server_on_a_laptop_loads_no_client_of_what_it_is_not_told_of(tmp_path: Path) -> None:
    repository = committed(tmp_path / "repository")
    loaded = _loaded(_ASSEMBLED, str(repository), str(tmp_path / "state"))
    assert "sqlalchemy" in loaded
    assert loaded.isdisjoint({"jwt", "kubernetes", "opentelemetry", "psycopg"})
