"""The whole error policy: what ends a command, and with which status."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import click


class Status(IntEnum):
    """Exit statuses, the same for every command."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    BUG = 3
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class EnvironmentFailure(click.ClickException):
    """Something around the program keeps it from going on: a missing root, an unreadable repository."""

    exit_code = Status.USAGE

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def show(self, file: object = None) -> None:  # noqa: ARG002
        """Print the message and its hint on stderr."""
        click.echo(f"error: {self.message}", err=True)
        if self.hint:
            click.echo(f"  hint: {self.hint}", err=True)


@contextmanager
def reporting_failures(program: str, interrupted: str) -> Iterator[None]:
    """Turn whatever a command lets through into one message and the right status, never a traceback.

    `interrupted` is what somebody who interrupts the program has to know.
    """
    try:
        yield
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo(f"interrupted: {interrupted}", err=True)
        sys.exit(Status.INTERRUPTED)
    except Exception as error:
        _report_bug(program, error)
        sys.exit(Status.BUG)


def silence_streams() -> None:
    """Send what is still to come nowhere: Python would complain about a closed pipe again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())


def _report_bug(program: str, error: Exception) -> None:
    """Say that this is ours, and where; the error's own text may quote input, so it stays out."""
    package = program.replace("-", "_")
    debug_variable = f"{package.upper()}_TRACEBACK"
    if os.environ.get(debug_variable):
        traceback.print_exc()
        return
    inside = f"{package}{os.sep}"
    own = [
        f"{frame.filename.rpartition(inside)[2]}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if inside in frame.filename
    ]
    place = f" at {own[-1]}" if own else ""
    click.echo(f"bug: {program} failed with {type(error).__name__}{place}", err=True)
    click.echo(f"  hint: report this; `{debug_variable}=1` prints the whole traceback", err=True)
