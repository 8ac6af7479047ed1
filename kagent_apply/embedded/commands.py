"""Which command stands in for which image, as the configuration says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_FORMER: Final = "spec"
"""What June's manifests have their containers below."""


class CommandsInvalidError(Exception):
    """The configured commands cannot be used; the message names the entry."""


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, and variables that it gets besides those of its template."""

    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands by `sha256:` digest of an image, or by its whole reference, which is asked for first."""

    entries: Mapping[str, Command]

    def of(self, image: str) -> Command | None:
        """The command for an image; None where there is none."""
        return self.entries.get(image) or self.entries.get(image.rpartition("@")[2])

    def missing(self, images: Iterable[str]) -> tuple[str, ...]:
        """The images that have no command, each once."""
        return tuple(dict.fromkeys(image for image in images if self.of(image) is None))


def read_commands(value: Any) -> Commands:
    """Commands as YAML or a dictionary has them: `{IMAGE: {command: [..], env: {..}}}`.

    A list alone may stand for the command. Raises CommandsInvalidError.
    """
    if not isinstance(value, Mapping):
        raise CommandsInvalidError("`commands` must map images to commands")
    return Commands({str(image): _command(str(image), entry) for image, entry in value.items()})


def images_of(manifest: Mapping[str, Any]) -> Iterator[str]:
    """The images of an ActorTemplate's manifest, whichever target it is for."""
    body = manifest.get(_FORMER, manifest)
    for container in body.get("containers", ()) if isinstance(body, Mapping) else ():
        yield str(container.get("image", ""))


def _command(image: str, entry: Any) -> Command:
    entry = {"command": entry} if isinstance(entry, list) else entry
    if not isinstance(entry, Mapping) or set(entry) - {"command", "env"}:
        raise CommandsInvalidError(f"`commands[{image}]` must have `command` and may have `env`")
    arguments, environment = entry.get("command"), entry.get("env") or {}
    if (
        not isinstance(arguments, list)
        or not arguments
        or not all(map(_is_text, arguments))
        or not arguments[0]
    ):
        raise CommandsInvalidError(f"`commands[{image}].command` must be a list of texts, the program first")
    if not isinstance(environment, Mapping) or not all(map(_is_variable, environment.items())):
        raise CommandsInvalidError(f"`commands[{image}].env` must map names of variables to texts")
    return Command(tuple(arguments), dict(environment))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_variable(entry: tuple[object, object]) -> bool:
    name, value = entry
    return _is_text(name) and bool(name) and "=" not in str(name) and _is_text(value)
