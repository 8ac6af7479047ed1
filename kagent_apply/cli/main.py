"""The program: commands by name, each imported when it is called."""

from __future__ import annotations

import click

from kagent_render import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="kagent-apply", message="%(prog)s %(version)s")
def program() -> None:
    """Serve instances of committed agents, and ask a server for them."""


def main() -> None:
    """Run the program."""
    program(prog_name="kagent-apply")


if __name__ == "__main__":
    main()
