"""Commands by name, each imported when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from kagent_render.cli.failure import Status, silence_streams

if TYPE_CHECKING:
    from collections.abc import Mapping


class Commands(click.Group):
    """A group that knows its commands without importing them.

    `summaries` has each command's line of help, in the order of use; its module is in `package`, and
    has its name with `_` for `-`.
    """

    def __init__(self, *, package: str, summaries: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self._package = package
        self._summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order of use."""
        return list(self._summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command's module."""
        if cmd_name not in self._summaries:
            return None
        module = import_module(f"{self._package}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; one whose reader went away, as `head` does, ends without a word."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            silence_streams()
            raise click.exceptions.Exit(Status.BROKEN_PIPE) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))
