"""The program."""

from __future__ import annotations

import os
import sys

import click

from kagent_apply.cli.failure import reporting_failures
from kagent_render import __version__
from kagent_render.cli.commands import Commands

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
"""Each command with its line of help."""


@click.group(
    cls=Commands,
    package="kagent_apply.cli",
    summaries=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
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
