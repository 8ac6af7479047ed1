"""The program: commands by name, each imported when it is called."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from kagent_apply.cli.failure import Status, reporting_failures, silence_streams
from kagent_render import __version__

COMMANDS = {
    "serve": "Serve instances of the agents that a Git ref has committed",
    "create": "Create an instance of an agent",
    "get": "Show an instance",
    "list": "List instances",
    "suspend": "Suspend an instance",
    "resume": "Resume an instance",
    "delete": "Delete an instance",
    "share": "Let others read or write an instance's conversation",
    "revisions": "List committed agents, and which of their revisions serve",
    "in-use": "Note which ActorTemplates instances need, for kagent-render to keep",
    "completion": "Print the completion script of a shell",
}
"""Each command with its line of help; its module has the same name, with `_` for `-`."""


class Commands(click.Group):
    """A group that knows its commands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import one command's module."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"kagent_apply.cli.{cmd_name.replace('-', '_')}")
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
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="kagent-apply", message="%(prog)s %(version)s")
def program() -> None:
    """Serve instances of committed agents, and ask a server for them.

    \b
    Exit status: 0 done, 1 the server refused, 2 usage or environment, 3 a bug.
    """  # noqa: D301  (click reads the backspace character as "do not wrap")


def main() -> None:
    """Run the program."""
    # What is valid must not depend on plugins that happen to be installed; looking for them takes time, too.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    # gRPC's own lines on stderr say in many words what the commands say in one.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    with reporting_failures():
        sys.exit(program(prog_name="kagent-apply", standalone_mode=False))


if __name__ == "__main__":
    main()
