"""The flags that every command which asks a server has."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from kagent_apply.cli.client.connection import Connection
    from kagent_apply.cli.client.table import Screen

DEFAULT_SERVER: Final = "127.0.0.1:8084"
"""Where `serve` listens unless it is told."""

_ADDRESS: Final = re.compile(
    r"(?:\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}|(?:dns|ipv4|ipv6|unix|unix-abstract):.+"
)
"""A host and a port, or one of gRPC's other names for a place."""


class _Seconds(click.FloatRange):
    """With a name that a message can use."""

    name = "number of seconds"


def _address(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    if not _ADDRESS.fullmatch(value):
        raise click.BadParameter(f"it is not `HOST:PORT`, such as `{DEFAULT_SERVER}`")
    return value


_FILE: Final = click.Path(path_type=Path, dir_okay=False)
_OPTIONS: Final[tuple[tuple[tuple[str, ...], dict[str, Any]], ...]] = (
    (
        ("--server",),
        {
            "metavar": "HOST:PORT",
            "default": DEFAULT_SERVER,
            "callback": _address,
            "envvar": "KAGENT_APPLY_SERVER",
            "show_default": True,
            "show_envvar": True,
            "help": "The server to ask.",
        },
    ),
    (("--tls",), {"is_flag": True, "help": "Use TLS, and trust the system's authorities."}),
    (("--tls-ca",), {"type": _FILE, "metavar": "FILE", "help": "Use TLS, and trust a file's authorities."}),
    (("--tls-cert",), {"type": _FILE, "metavar": "FILE", "help": "The certificate to show to the server."}),
    (("--tls-key",), {"type": _FILE, "metavar": "FILE", "help": "The key of that certificate."}),
    (
        ("--token-file",),
        {
            "type": _FILE,
            "metavar": "FILE",
            "envvar": "KAGENT_APPLY_TOKEN_FILE",
            "show_envvar": True,
            "help": "A file that holds a bearer token.",
        },
    ),
    (
        ("--timeout",),
        {
            "type": _Seconds(0.001, 86_400),
            "default": 120,
            "metavar": "SECONDS",
            "help": "How long to wait for the server.  [default: 120]",
        },
    ),
    (
        ("-o", "--output"),
        {
            "type": click.Choice(["table", "json", "yaml"]),
            "default": "table",
            "show_default": True,
            "help": "How to print the reply.",
        },
    ),
    (
        ("--color", "colour"),
        {
            "type": click.Choice(["auto", "always", "never"]),
            "default": "auto",
            "help": "Whether to colour tables.",
        },
    ),
)


@dataclass(frozen=True, slots=True)
class Asking:
    """Where to ask, for how many seconds, and how what comes back is printed."""

    connection: Connection
    timeout: float
    output: str
    screen: Screen


def asking(function: Callable[..., None]) -> Callable[..., None]:
    """A command's function with the flags above, which it gets as its first argument."""

    @functools.wraps(function)
    def wrapped(**taken: Any) -> None:
        import shutil
        import sys

        from kagent_apply.cli.client.connection import connection_of
        from kagent_apply.cli.client.table import Screen
        from kagent_render.cli.options import wants_colour

        connection = connection_of(taken)
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        screen = Screen(width, wants_colour(taken.pop("colour"), sys.stdout))
        function(Asking(connection, taken.pop("timeout"), taken.pop("output"), screen), **taken)

    for names, settings in reversed(_OPTIONS):
        wrapped = click.option(*names, **settings)(wrapped)
    return wrapped


def in_namespace(function: Callable[..., None]) -> Callable[..., None]:
    """A command's function with `--namespace`."""
    return click.option(
        "-n", "--namespace", required=True, metavar="NAME", help="The namespace of the agent."
    )(function)
