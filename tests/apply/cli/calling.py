"""The program as a user calls it, in this process."""

from __future__ import annotations

from click.testing import CliRunner

from kagent_apply.cli.main import program
from tests.running import Run


def call(*args: str, env: dict[str, str] | None = None) -> Run:
    """Call the program; a bug in it fails the test with its traceback."""
    result = CliRunner().invoke(program, args, env=env, prog_name="kagent-apply")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Run(result.exit_code, result.stdout, result.stderr)
