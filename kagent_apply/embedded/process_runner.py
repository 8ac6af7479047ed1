"""Actors as processes of this machine, below a supervisor."""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.embedded.bounded_log import LOG_NAME
from kagent_apply.embedded.environment import Place, Ports, arguments, environment, loaders
from kagent_apply.embedded.free_ports import free_ports
from kagent_apply.embedded.readiness import is_ready
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.supervisor_link import SupervisorLink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from kagent_apply.embedded.commands import Command, Commands
    from kagent_apply.embedded.folders import Folders
    from kagent_apply.embedded.runner import RunOrder
    from kagent_render.target.messages.ateapi_pb2 import ActorTemplate, Container

GRACE: Final = 5.0
"""Seconds between SIGTERM and SIGKILL."""

_LOST: Final = "the supervisor of its process ended"
_SHORTEST_SECRET: Final = 8
_PAUSES: Final = (0.02, 0.04, 0.08, 0.16)
"""Seconds between two looks whether a process is ready; the last for all that follow."""


@dataclass(frozen=True, slots=True)
class Crash:
    """An actor that ended by itself, or was never ready: how, without what it wrote, and its log."""

    atespace: str
    actor: str
    how: str
    log: Path


def _unheard(_crash: Crash) -> None:
    pass


@dataclass(slots=True)
class _Run:
    """One start of one actor."""

    order: RunOrder
    link: SupervisorLink
    ports: Ports
    hidden: tuple[str, ...]
    ready_until: float
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    ended: threading.Event = field(default_factory=threading.Event)
    how: str = ""
    last: str = ""
    is_ready: bool = False
    is_ending: bool = False
    is_told: bool = False


class ProcessRunner:
    """Starts the command that the configuration has for an image, one process group for each actor.

    `lock` is the descriptor of the lock on the Control's folder, which the supervisor holds as well.
    """

    is_instant = False

    def __init__(
        self,
        commands: Commands,
        folders: Folders,
        lock: int,
        inherited: Mapping[str, str],
        grace: float = GRACE,
        on_crash: Callable[[Crash], None] = _unheard,
    ) -> None:
        self._commands, self._folders, self._lock = commands, folders, lock
        self._inherited, self._grace, self._on_crash = inherited, grace, on_crash
        self._guard = threading.Lock()
        self._runs: dict[str, _Run] = {}
        self._link: SupervisorLink | None = None
        self._is_closed = False
        self._tell: Callable[[RunOrder, str], None] = lambda _order, _message: None

    def missing_commands(self, images: Iterable[str]) -> tuple[str, ...]:
        """The images that the configuration has no command for."""
        return self._commands.missing(images)

    def refusal(self, template: ActorTemplate) -> str:
        """Several containers, no command, or variables that would have another program run."""
        if len(template.containers) != 1:
            return "an actor with several containers cannot run as a local process"
        image = template.containers[0].image
        command = self._commands.of(image)
        if command is None:
            return f"no command is configured for the image `{image.rpartition('@')[2]}`"
        if names := loaders(template, command):
            return f"the template sets `{names[0]}`, which decides what a local process loads or runs"
        return ""

    def run(self, order: RunOrder, deadline: float) -> str:
        """Start a process unless there is one, and ask its probe until it answers."""
        run = self._runs.get(order.uid) or self._start(order)
        container = order.template.containers[0]
        for attempt in range(1 << 30):
            if run.ended.is_set():
                self._check_open()
                return self._take_end(run)
            if run.is_ready or _answers(container, run):
                run.is_ready = True
                return ""
            if time.monotonic() >= run.ready_until:
                return self._give_up(run, container)
            if time.monotonic() >= deadline:
                raise TimeoutError
            run.ended.wait(_PAUSES[min(attempt, len(_PAUSES) - 1)])
        raise AssertionError

    def end(self, uid: str, deadline: float) -> None:
        """SIGTERM to the group, and SIGKILL where that does not help."""
        run = self._runs.get(uid)
        if run is None:
            return
        run.is_ending = True
        run.link.send({"stop": run.id, "grace": self._grace})
        if not run.ended.wait(max(0.0, deadline - time.monotonic())):
            raise TimeoutError
        self._check_open()
        self._drop(run)

    def is_running(self, uid: str) -> bool:
        """Whether a process was started that has not ended."""
        run = self._runs.get(uid)
        return run is not None and run.is_ready and not run.ended.is_set()

    def forget(self, uid: str) -> None:
        """Keep nothing of an actor that is deleted."""
        if run := self._runs.get(uid):
            self._drop(run)

    def target(self, uid: str) -> str:
        """The loopback port that the process serves A2A at."""
        return f"127.0.0.1:{self._runs[uid].ports.agent}"

    def watch(self, ended: Callable[[RunOrder, str], None]) -> None:
        """Have `ended` called for each process that ends by itself once it was ready."""
        self._tell = ended

    def close(self) -> None:
        """End every process; their actors run again when they are next used."""
        self._is_closed = True
        with self._guard:
            link, self._link = self._link, None
        if link:
            link.close()

    def _check_open(self) -> None:
        """Refuse to tell of an end that is the Control's, not the actor's."""
        if self._is_closed:
            raise ControlError("UNAVAILABLE", "the embedded Control is being closed")

    def _start(self, order: RunOrder) -> _Run:
        container = order.template.containers[0]
        command = self._commands.of(container.image)
        if command is None:
            raise AssertionError(order)
        self._folders.make(order.uid)
        with self._guard:
            taken = {port for run in self._runs.values() for port in (run.ports.agent, run.ports.ready)}
            until = time.monotonic() + (container.wakeup_probe.timeout_seconds or 30)
            run = _Run(order, self._supervisor(), Ports(*free_ports(2, taken)), _secrets(command), until)
            self._runs[order.uid] = run
        if not run.link.send(self._start_order(run, command)):
            self._end_run(run, _LOST)
        return run

    def _start_order(self, run: _Run, command: Command) -> dict[str, Any]:
        order = run.order
        place = Place(self._folders.data(order.uid), self._folders.scratch(order.uid), run.ports)
        variables = environment(order.template, command, place, self._inherited)
        return {
            "start": run.id,
            "run": run.id,
            "command": arguments(order.template.containers[0], command, variables),
            "environment": variables,
            "data": str(place.data),
            "log": str(self._folders.log(order.uid)),
        }

    def _supervisor(self) -> SupervisorLink:
        self._check_open()
        if self._link is None or not self._link.is_alive:
            self._link = SupervisorLink(self._lock, self._ended, self._lost)
        return self._link

    def _give_up(self, run: _Run, container: Container) -> str:
        run.is_ending = True
        run.link.send({"stop": run.id, "grace": 0})
        run.ended.wait(self._grace)
        self._check_open()
        self._drop(run)
        return self._crashed(run, f"it was not ready within {container.wakeup_probe.timeout_seconds} seconds")

    def _take_end(self, run: _Run) -> str:
        self._drop(run)
        return self._crashed(run, run.how)

    def _crashed(self, run: _Run, how: str) -> str:
        """How an actor crashed, with its last line; without that it is told to the operator."""
        order = run.order
        if not run.is_told:
            run.is_told = True
            self._on_crash(Crash(order.atespace, order.name, how, self._folders.log(order.uid) / LOG_NAME))
        return f"{how}: {run.last}" if run.last else how

    def _drop(self, run: _Run) -> None:
        with self._guard:
            if self._runs.get(run.order.uid) is run:
                del self._runs[run.order.uid]

    def _ended(self, run_id: str, how: str, last: str) -> None:
        with self._guard:
            run = next((run for run in self._runs.values() if run.id == run_id), None)
        if run is not None:
            self._end_run(run, how, last)

    def _lost(self, link: SupervisorLink) -> None:
        """All is over with a supervisor: the kernel kills what it leaves, or it ended that itself."""
        with self._guard:
            runs = [run for run in self._runs.values() if run.link is link and not run.ended.is_set()]
        for run in runs:
            self._end_run(run, _LOST)

    def _end_run(self, run: _Run, how: str, last: str = "") -> None:
        for secret in run.hidden:
            last = last.replace(secret, "***")
        run.how, run.last = how, last
        run.ended.set()
        if run.is_ready and not run.is_ending and not self._is_closed:
            self._tell(run.order, self._crashed(run, how))


def _answers(container: Container, run: _Run) -> bool:
    if not container.HasField("wakeup_probe"):
        return True
    return is_ready(run.ports.ready, container.wakeup_probe.http_get.path or "/readyz")


def _secrets(command: Command) -> tuple[str, ...]:
    """Configured values, which may be credentials, longest first."""
    values = {value for value in command.environment.values() if len(value) >= _SHORTEST_SECRET}
    return tuple(sorted(values, key=len, reverse=True))
