"""What runs actors, whatever they are: the protocol, and where a running one is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kagent_render.target.messages.ateapi_pb2 import ActorTemplate


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an actor is reached by gRPC: a target, and the `:authority` that names it there."""

    target: str
    authority: str


@dataclass(frozen=True, slots=True)
class RunOrder:
    """An actor that is to run."""

    uid: str
    atespace: str
    name: str
    template: ActorTemplate


class Runner(Protocol):
    """Starts actors and ends them; all may be called from several threads, for one actor one at a time.

    `is_instant` says that neither takes any time. Times are monotonic seconds.
    """

    is_instant: bool

    def missing_commands(self, images: Iterable[str]) -> tuple[str, ...]:
        """Those of the images that nothing here can run."""
        ...

    def refusal(self, template: ActorTemplate) -> str:
        """Why actors of a template cannot run here; empty where they can."""
        ...

    def run(self, order: RunOrder, deadline: float) -> str:
        """Have an actor run unless it does, and wait until it is ready; empty then, else how it crashed.

        Raises TimeoutError at the deadline; calling it again goes on with what was begun.
        """
        ...

    def end(self, uid: str, deadline: float) -> None:
        """Have an actor not run any more, and wait until it does not; TimeoutError as before."""
        ...

    def is_running(self, uid: str) -> bool:
        """Whether an actor that was started still runs; how it ended is told by `run` otherwise."""
        ...

    def forget(self, uid: str) -> None:
        """Keep nothing of an actor that is deleted."""
        ...

    def target(self, uid: str) -> str:
        """Where a running actor is reached."""
        ...

    def watch(self, ended: Callable[[RunOrder, str], None]) -> None:
        """Have `ended` called for each actor that ends by itself, and how it did."""
        ...

    def close(self) -> None:
        """End everything that runs."""
        ...
