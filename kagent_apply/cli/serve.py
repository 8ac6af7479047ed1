"""`kagent-apply serve`: settings in, a server until a signal ends it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kagent_apply.cli.failure import EnvironmentFailure, Status
from kagent_apply.settings.fault import SettingsError
from kagent_apply.settings.model import Settings
from kagent_apply.settings.reading import File, read_settings
from kagent_apply.settings.sources import PREFIX, flag

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.cli.server.signals import Signals

_LARGEST: Final = 1 << 20


def _flags(function: Callable[..., None]) -> Callable[..., None]:
    """A flag for every setting, without a default: what is not given is left to the other sources."""
    for name, field in reversed(Settings.model_fields.items()):
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        told = str(field.description)
        help_text = f"{told[0].upper()}{told[1:]}." + _default(field.default)
        if field.annotation is bool:
            option = click.option(f"{flag(name)}/--no-{flag(name)[2:]}", name, default=None, help=help_text)
        else:
            option = click.option(flag(name), name, metavar=str(extra["metavar"]), help=help_text)
        function = option(function)
    return function


def _default(value: object) -> str:
    if value in (None, "", (), False):
        return ""
    return f"  [default: {value:g}]" if isinstance(value, float) else f"  [default: {value}]"


@click.command(context_settings={"max_content_width": 110})
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="A YAML file with settings.")
@_flags
def command(config: Path | None, **flags: Any) -> None:
    """Serve instances of the agents that a Git ref has committed.

    Each setting may also be a key of the file, without the dashes in front, or a variable: `--tls-cert` is
    `tls-cert` there, and KAGENT_APPLY_TLS_CERT. Flags win over variables, and these over the file.

    \b
    SIGTERM or SIGINT   takes no more calls, lets those under way end, and ends
    SIGHUP              reads everything again that may have changed
    """  # noqa: D301
    from kagent_apply.cli.server.signals import signals

    with signals() as told:
        ended = _serve(config, flags, told)
    if not ended:
        sys.stderr.flush()
        os._exit(Status.CLEAN)  # everything is closed, and Python would wait for threads that were cut off


def _serve(config: Path | None, flags: dict[str, Any], told: Signals) -> bool:
    """Serve by the settings; False where Python would wait for threads that were cut off."""
    from kagent_apply.cli.server.announcement import announce
    from kagent_apply.cli.server.assembly import assemble
    from kagent_apply.cli.server.serving import serve
    from kagent_apply.observability.log_setup import LogFormat, is_read_by_people, logging_to
    from kagent_apply.settings.places import state_folder
    from kagent_render.cli.options import wants_colour

    settings = _settings(config, flags)
    folder = state_folder(settings, os.environ, Path.home(), Path.cwd())
    style, colour = LogFormat(settings.log_format), wants_colour("auto", sys.stderr)
    with logging_to(sys.stderr, settings.log_level, style, colour=colour):
        announce(settings, folder, people=is_read_by_people(sys.stderr, style))
        return serve(settings, folder, assemble, told)


def _settings(config: Path | None, flags: dict[str, Any]) -> Settings:
    """The settings; ends the command with every fault of them."""
    named = config or (Path(path) if (path := os.environ.get(f"{PREFIX}CONFIG")) else None)
    try:
        settings, odd = read_settings(flags, os.environ, _file(named) if named else None)
    except SettingsError as error:
        for fault in error.faults:
            EnvironmentFailure(fault.message, fault.hint).show()
        raise click.exceptions.Exit(Status.USAGE) from None
    for fault in odd:
        click.echo(f"warning: {fault.message}\n  hint: {fault.hint}", err=True)
    return settings


def _file(path: Path) -> File:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        cause = (error.strerror or "it failed").lower()
        raise EnvironmentFailure(f"`{path}` cannot be read: {cause}", "give a file in `--config`") from None
    if len(data) > _LARGEST:
        raise EnvironmentFailure(f"`{path}` is larger than 1 MiB", "give a file of settings in `--config`")
    try:
        return File(str(path), data.decode())
    except UnicodeDecodeError:
        raise EnvironmentFailure(f"`{path}` is not UTF-8", "write it as text") from None
