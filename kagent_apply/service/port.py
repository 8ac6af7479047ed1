"""What the services ask of the operations, and what they tell of each call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from kagent_apply.auth.port import Caller, Verb
    from kagent_apply.instances.instance import Instance
    from kagent_apply.instances.requests import Creation, InstanceName


class Operations(Protocol):
    """Operations on the instances of a creator, carried out within `timeout` seconds.

    Each raises OperationError and StoreError; all may be called from several threads at once.
    """

    def create(self, creator: str, creation: Creation, timeout: float) -> Instance:
        """A READY instance, new or of the same `request_id`."""
        ...

    def suspend(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        """The instance, SUSPENDED."""
        ...

    def resume(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        """The instance, READY again."""
        ...

    def delete(self, creator: str, name: InstanceName, timeout: float) -> Instance:
        """The instance as it was, DELETED."""
        ...


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call that has ended, for logs and the audit.

    `method` is `<service>/<call>`, `status` the name of the gRPC status, `began` in UTC. The caller, the verb
    and what it was asked for are missing where the call did not come that far. `incident` and `fault` are of
    an internal error alone: the id that the client was told, and which error it was and where, without its
    text.
    """

    method: str
    status: str
    began: datetime
    seconds: float
    peer: str
    caller: Caller | None = None
    verb: Verb | None = None
    namespace: str = ""
    name: str = ""
    request_id: str = ""
    incident: str = ""
    fault: str = ""


Observe = Callable[[CallRecord], None]
"""Is told of each call when it has ended; from several threads at once, and raises nothing."""

Admit = Callable[[str], AbstractContextManager[None]]
"""Counts a call of a subject while it lasts; raises RefusedError where it is one too many."""
