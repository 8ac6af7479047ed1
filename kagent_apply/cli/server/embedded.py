"""The Substrate that is a part of this process, as the port that makes actors."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.cli.failure import EnvironmentFailure
from kagent_apply.embedded.commands import Commands, CommandsInvalidError, read_commands
from kagent_apply.embedded.custom_resources import from_custom_resource
from kagent_apply.embedded.opening import open_echo, open_processes
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.revisions.port import NotServed
from kagent_apply.substrate.committed import committed_document, committed_template
from kagent_apply.substrate.newest import NewestCompute
from kagent_apply.substrate.port import ComputeRefusedError
from kagent_apply.substrate.same_object import SameObject
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kagent_apply.embedded.control import Control
    from kagent_apply.embedded.process_runner import Crash
    from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
    from kagent_apply.instances.requests import AgentName
    from kagent_apply.revisions.port import PairStatus, Revisions
    from kagent_apply.settings.model import Settings
    from kagent_apply.substrate.transport import Transport

_LOGGER: Final = logging.getLogger(__name__)

ECHO_LABELS: Final = {"kagent.dev/runtime": "echo"}
"""What an instance has that repeats what it is told, whatever its image is."""

_OBJECT: Final = "ate.dev/v1alpha1"


def open_control(settings: Settings, folder: Path) -> Control:
    """A Control of this process with its state in a folder; raises EnvironmentFailure."""
    try:
        if settings.echo:
            return open_echo(folder)
        entries = {} if settings.commands is None else _yaml(settings.commands)
        return open_processes(
            folder, read_commands(entries) if entries else Commands({}), os.environ, on_crash=_tell_crash
        )
    except ControlError as error:
        raise EnvironmentFailure(error.text, "end the other server, or give another `--state`") from None
    except CommandsInvalidError as error:
        raise EnvironmentFailure(f"`--commands`: {error}", "write `IMAGE: {command: [PROGRAM]}`") from None


def _tell_crash(crash: Crash) -> None:
    fields = {"namespace": crash.atespace, "actor": crash.actor, "how": crash.how, "log": str(crash.log)}
    _LOGGER.warning("the process of an Actor ended by itself, or was never ready", extra=fields)


class EmbeddedCompute(NewestCompute):
    """The port over a Control of this process, which takes revisions of every target (DESIGN 15)."""

    def __init__(self, control: Control, transport: Transport) -> None:
        super().__init__(transport, template_of=_template)
        self._control = control
        self._missing: SameObject[tuple[str, ...]] = SameObject()

    def check(self, revision: PreparedRevision) -> None:
        """Refuse a revision with an image that no command stands for, naming its digest."""
        for member in revision.members:
            if missing := self._missing.get(member, None, partial(self._missing_of, member)):
                raise ComputeRefusedError(
                    f"no command stands for the image `{missing[0]}`",
                    "give it one in the file of `--commands`, or serve with `--echo`",
                )

    def _missing_of(self, member: PreparedMember) -> tuple[str, ...]:
        return self._control.missing_commands(committed_document(member))


@dataclass(frozen=True, slots=True)
class Echoing:
    """Revisions whose instances say by a label that they are echoes."""

    revisions: Revisions

    def serving(self, agent: AgentName) -> PreparedRevision | NotServed:
        """What a new instance is created from, with that label."""
        found = self.revisions.serving(agent)
        if isinstance(found, NotServed):
            return found
        return replace(found, labels={**found.labels, **ECHO_LABELS})

    def pairs(self, namespace: str | None = None) -> Sequence[PairStatus]:
        """As they are."""
        return self.revisions.pairs(namespace)

    def problem(self) -> str:
        """As it is."""
        return self.revisions.problem()


def _template(revision: PreparedRevision, member: PreparedMember) -> ateapi_pb2.ActorTemplate:
    """A member's ActorTemplate in the newest words, whatever its target."""
    if revision.target != _OBJECT:
        return committed_template(revision, member)
    try:
        return from_custom_resource(committed_document(member))
    except ControlError as error:
        raise ComputeRefusedError(error.text, "render the agent again, and commit it") from None


def _yaml(path: Path) -> Any:
    import yaml

    try:
        return yaml.safe_load(path.read_bytes())
    except yaml.YAMLError:
        raise EnvironmentFailure(f"`{path}` is no YAML", "write `IMAGE: {command: [PROGRAM]}`") from None
