"""Opening a Control: with actors in this process, or as processes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_apply.embedded.control import Control
from kagent_apply.embedded.echo_listener import EchoListener
from kagent_apply.embedded.echo_runner import EchoRunner
from kagent_apply.embedded.process_runner import GRACE, ProcessRunner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from kagent_apply.embedded.commands import Commands
    from kagent_apply.embedded.process_runner import Crash


def open_echo(folder: Path, patience: float = 10.0) -> Control:
    """A Control whose actors all are the echo agent, in this process."""
    return Control(folder, lambda control, _lock: EchoRunner(EchoListener(control)), patience)


def open_processes(
    folder: Path,
    commands: Commands,
    inherited: Mapping[str, str],
    *,
    grace: float = GRACE,
    patience: float = 10.0,
    on_crash: Callable[[Crash], None] = lambda _crash: None,
) -> Control:
    """A Control whose actors are local processes; of `inherited`, they get PATH and LANG.

    `grace` are the seconds between SIGTERM and SIGKILL, `patience` those that another Control has to end.
    `on_crash` is called once for each process that ends, or is ended, because something is wrong with it.
    """
    return Control(
        folder,
        lambda control, lock: ProcessRunner(commands, control.folders, lock, inherited, grace, on_crash),
        patience,
    )
