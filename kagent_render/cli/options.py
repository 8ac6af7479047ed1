"""The flags that several commands share, and what they say together."""

from __future__ import annotations

import dataclasses
import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import click

from kagent_render.cli.isolation import isolated

FORMATS = ("text", "json")
"""What every command writes."""

OTHER_SOURCES = frozenset(("--staged", "--rev", "--filename"))
"""The flags that read something else than the work tree."""

CI_FORMATS = ("sarif", "github", "gitlab", "markdown")
"""What CI systems read: findings alone, each at a file of the repository."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The shared flags of one call, as given.

    `afresh` is for a command that takes nothing's word; with `update_images`, tags of plugin images are
    resolved anew. `max_size` bounds Markdown, in bytes. `modes_lost`: what put the files here may have reset
    their modes, as Argo CD does.
    """

    path: Path
    locked: bool = False
    offline: bool = False
    staged: bool = False
    revision: str | None = None
    stdin: bytes | None = None
    format: str = "text"
    jobs: int = 8
    strict: bool = False
    colour_choice: str = "auto"
    verbose: bool = False
    cached: bool = True
    afresh: bool = False
    update_images: bool = False
    max_size: int | None = None
    modes_lost: bool = False

    @property
    def remembers(self) -> bool:
        """Whether what earlier runs prepared may be used."""
        return self.cached and not self.afresh

    @property
    def asks_anew(self) -> bool:
        """Whether no lock's word of a plugin image is taken."""
        return self.afresh or self.update_images

    @property
    def from_source(self) -> bool:
        """Whether everything is read again from where it comes from."""
        return self.afresh and not self.offline

    @property
    def colour(self) -> bool:
        """Whether to colour what goes to stderr."""
        return wants_colour(self.colour_choice, sys.stderr)


def shared_options(
    formats: Sequence[str] = FORMATS,
    *,
    takes_path: bool = True,
    walled: bool = True,
    hidden: frozenset[str] = frozenset(),
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add PATH and the shared flags; the command gets one `settings` in their place.

    `formats` are those that the command can write, its default first. A command that takes no PATH has
    arguments of its own, and the working directory in its settings. Where the flags say so, it works in
    isolation from the network; one that is not `walled` sees to that itself, because it starts programs.
    Flags that are `hidden` mean nothing to the command, which says so where they are given.
    """
    options = [
        *([_PATH] if takes_path else ()),
        *(click.option(*names, hidden=not hidden.isdisjoint(names), **rest) for names, rest in _FLAGS),
        format_option(formats),
    ]

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(**values: Any) -> Any:
            settings = _settings(values)
            with isolated(wanted=walled and settings.offline):
                return function(settings=settings, **values)

        decorated: Callable[..., Any] = call
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def format_option(formats: Sequence[str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The flag `-o` for those `formats`, the first of which is the default."""
    return click.option(
        "-o", "--output", "format", type=click.Choice(formats), default=formats[0], show_default=True
    )


_PATH = click.argument(
    "path", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="[PATH]"
)

_FLAGS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("--locked",), {"is_flag": True, "help": "Refuse to write."}),
    (("--offline",), {"is_flag": True, "help": "Use no network."}),
    (("--frozen",), {"is_flag": True, "help": "Both --locked and --offline."}),
    (("--staged",), {"is_flag": True, "help": "Read the Git index in place of the work tree."}),
    (("--rev", "revision"), {"metavar": "REV", "help": "Read a Git revision in place of the work tree."}),
    (
        ("-f", "--filename"),
        {"type": click.Choice(["-"]), "metavar": "-", "help": "Read the manifests from stdin."},
    ),
    (
        ("-j", "--jobs"),
        {"type": click.IntRange(1, 64), "default": 8, "show_default": True, "metavar": "N"},
    ),
    (("--strict",), {"is_flag": True, "help": "Treat every warning as an error."}),
    (("--color", "colour"), {"type": click.Choice(["auto", "always", "never"]), "default": "auto"}),
    (("--cache/--no-cache", "cached"), {"default": True, "help": "Remember what was prepared before."}),
    (("-v", "--verbose"), {"is_flag": True, "help": "Say more, notes included."}),
)


_TAKEN = ("path", "locked", "offline", "staged", "revision", "format", "jobs", "strict", "verbose", "cached")


def update_images_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--update-images`, which changes the command's `settings`."""

    @functools.wraps(function)
    def call(settings: Settings, update_images: bool, **values: Any) -> Any:
        if update_images and settings.offline:
            raise click.UsageError("`--update-images` asks registries, which `--offline` forbids")
        return function(settings=dataclasses.replace(settings, update_images=update_images), **values)

    text = "Ask what the tags of plugin images name now."
    decorated: Callable[..., Any] = click.option("--update-images", is_flag=True, help=text)(call)
    return decorated


def max_size_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--max-size`, which changes the command's `settings`."""

    @functools.wraps(function)
    def call(settings: Settings, max_size: int | None, **values: Any) -> Any:
        if max_size is not None and settings.format != "markdown":
            raise click.UsageError("`--max-size` is of `-o markdown`")
        return function(settings=dataclasses.replace(settings, max_size=max_size), **values)

    decorated: Callable[..., Any] = click.option(
        "--max-size",
        type=click.IntRange(2_048, 1_048_576),
        metavar="BYTES",
        help="The longest Markdown, 65,536 unless told.",
    )(call)
    return decorated


def _settings(values: dict[str, Any]) -> Settings:
    frozen, source, colour = values.pop("frozen"), values.pop("filename"), values.pop("colour")
    taken = {name: values.pop(name) for name in _TAKEN if name in values}
    taken.setdefault("path", Path())
    taken["locked"] |= frozen
    taken["offline"] |= frozen
    if sum((taken["staged"], taken["revision"] is not None, source is not None)) > 1:
        raise click.UsageError("`--staged`, `--rev` and `-f` exclude each other")
    if source is not None and sys.stdin is None:
        raise click.UsageError("`-f -` reads stdin, which is closed")
    stdin = sys.stdin.buffer.read() if source is not None else None
    return Settings(**taken, stdin=stdin, colour_choice=colour)


def wants_colour(choice: str, stream: TextIO) -> bool:
    """Whether to colour a stream: as asked, else on a terminal unless NO_COLOR is set (no-color.org)."""
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
