"""The whole error policy: what ends a command, and with which status."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from kagent_render.cli.failure import EnvironmentFailure, Status, silence_streams

__all__ = ["EnvironmentFailure", "RefusedFailure", "Status", "reporting_failures", "silence_streams"]

_DEBUG_VARIABLE: Final = "KAGENT_APPLY_TRACEBACK"
_OF_EXTRA: Final = frozenset(
    {
        "a2a",
        "alembic",
        "google.rpc",
        "grpc",
        "grpc_health",
        "grpc_reflection",
        "jwt",
        "kubernetes",
        "opentelemetry",
        "prometheus_client",
        "psycopg",
        "sqlalchemy",
    }
)
"""What the extra `apply` installs, by the names that are imported."""

_PACKAGE: Final = f"kagent_apply{os.sep}"


class RefusedFailure(EnvironmentFailure):
    """The server was asked, and refused."""

    exit_code = Status.FINDINGS


@contextmanager
def reporting_failures() -> Iterator[None]:
    """Turn whatever a command lets through into one message and the right status, never a traceback."""
    try:
        yield
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted: the server goes on with what it was asked for", err=True)
        sys.exit(Status.INTERRUPTED)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and is_of_extra(error.name or ""):
            missing = f"`{error.name}` is missing, which the extra `apply` of `kagent-gitops` installs"
            EnvironmentFailure(missing, "run `pip install 'kagent-gitops[apply]'`").show()
            sys.exit(Status.USAGE)
        _report_bug(error)
        sys.exit(Status.BUG)


def is_of_extra(module: str) -> bool:
    """Whether a module, or what it is in, comes with the extra `apply`."""
    return module in _OF_EXTRA or any(module.startswith(f"{name}.") for name in _OF_EXTRA)


def _report_bug(error: Exception) -> None:
    """Say that this is ours, and where; the error's own text may quote input, so it stays out."""
    if os.environ.get(_DEBUG_VARIABLE):
        traceback.print_exc()
        return
    own = [
        f"{frame.filename.rpartition(_PACKAGE)[2]}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if _PACKAGE in frame.filename
    ]
    place = f" at {own[-1]}" if own else ""
    click.echo(f"bug: kagent-apply failed with {type(error).__name__}{place}", err=True)
    click.echo(f"  hint: report this; `{_DEBUG_VARIABLE}=1` prints the whole traceback", err=True)
