"""The Substrate that is a part of this process, as its driver calls one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from kagent_apply.cli.failure import EnvironmentFailure

if TYPE_CHECKING:
    from pathlib import Path

    from google.protobuf.message import Message

    from kagent_apply.settings.model import Settings

    ReplyT = TypeVar("ReplyT", bound=Message)


def open_embedded(settings: Settings, folder: Path) -> InProcess:
    """A Control of this process with its state in a folder; raises EnvironmentFailure."""
    from kagent_apply.embedded.commands import (
        CommandsInvalidError,
    )
    from kagent_apply.embedded.refusal import (
        ControlError,
    )

    try:
        return InProcess(_control(settings, folder))
    except ControlError as error:
        raise EnvironmentFailure(error.text, "end the other server, or give another `--state`") from None
    except CommandsInvalidError as error:
        raise EnvironmentFailure(f"`--commands`: {error}", "write `IMAGE: {command: [PROGRAM]}`") from None


def _control(settings: Settings, folder: Path) -> Any:
    from kagent_apply.embedded.commands import (
        Commands,
        read_commands,
    )
    from kagent_apply.embedded.opening import (
        open_echo,
        open_processes,
    )

    if settings.echo:
        return open_echo(folder)
    if settings.commands is None:
        return open_processes(folder, Commands({}), os.environ)
    return open_processes(folder, read_commands(_yaml(settings.commands)), os.environ)


def _yaml(path: Path) -> Any:
    import yaml

    try:
        return yaml.safe_load(path.read_bytes())
    except yaml.YAMLError:
        raise EnvironmentFailure(f"`{path}` is no YAML", "write `IMAGE: {command: [PROGRAM]}`") from None


@dataclass(frozen=True, slots=True)
class InProcess:
    """A Control as a transport: what it refuses is the status that a server would send."""

    control: Any

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        """Call a method by its name; raises StatusError."""
        from kagent_apply.embedded.refusal import ControlError
        from kagent_apply.substrate.transport import (
            StatusError,
        )

        try:
            reply: ReplyT = self.control.call(method, request, reply_type, timeout)
        except ControlError as error:
            raise StatusError(error.code, error.text) from None
        return reply

    def close(self) -> None:
        """Let go of the state, and of the actors' processes."""
        self.control.close()
