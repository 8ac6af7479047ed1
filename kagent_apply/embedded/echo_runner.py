"""Actors that are no processes: the built-in echo agent, one listener for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kagent_apply.embedded.echo_listener import EchoListener
    from kagent_apply.embedded.runner import RunOrder
    from kagent_render.target.messages.ateapi_pb2 import ActorTemplate


class EchoRunner:
    """Runs any image at once, by answering for it: what runs is what the Control's state says."""

    is_instant = True

    def __init__(self, listener: EchoListener) -> None:
        self._listener = listener

    def missing_commands(self, images: Iterable[str]) -> tuple[str, ...]:  # noqa: ARG002
        """None is missing."""
        return ()

    def refusal(self, template: ActorTemplate) -> str:  # noqa: ARG002
        """Nothing is refused."""
        return ""

    def run(self, order: RunOrder, deadline: float) -> str:  # noqa: ARG002
        """There is nothing to start."""
        return ""

    def end(self, uid: str, deadline: float) -> None:
        """There is nothing to end."""

    def is_running(self, uid: str) -> bool:  # noqa: ARG002
        """Always: there is nothing that could have ended."""
        return True

    def forget(self, uid: str) -> None:
        """There is nothing to forget."""

    def target(self, uid: str) -> str:  # noqa: ARG002
        """The one listener."""
        return self._listener.target()

    def watch(self, ended: Callable[[RunOrder, str], None]) -> None:
        """Nothing ends by itself."""

    def close(self) -> None:
        """End the listener."""
        self._listener.close()
