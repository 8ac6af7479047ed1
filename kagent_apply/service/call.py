"""One call while it is handled: how much time it has, who makes it, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from kagent_apply.service.refusal import denied, invalid, too_late

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.auth.port import Authorizer, Caller, Verb
    from kagent_apply.instances.fault import FieldFault

Valid = TypeVar("Valid")


@dataclass(slots=True)
class Call:
    """What a call knows of itself; it begins to know its caller when its request was found valid.

    `remaining` gives the seconds that are left, `identify` who calls; the last four are what was asked for.
    """

    remaining: Callable[[], float]
    identify: Callable[[], Caller]
    authorizer: Authorizer
    caller: Caller | None = None
    verb: Verb | None = None
    namespace: str = ""
    name: str = ""
    request_id: str = ""

    def timeout(self) -> float:
        """The seconds that an operation may take; refuses a call whose time is over."""
        left = self.remaining()
        if left <= 0:
            raise too_late()
        return left

    def allowed(self, verb: Verb, namespace: str, name: str = "") -> Caller:
        """The caller, where they may do this; refuses them otherwise."""
        caller = self.known()
        self.verb, self.namespace, self.name = verb, namespace, name
        if not self.authorizer.allows(caller, verb, namespace, name):
            raise denied(verb, namespace)
        return caller

    def of_all(self, verb: Verb) -> Caller:
        """The caller, who asks for this of whatever namespaces they may: `may` says of which."""
        caller = self.known()
        self.verb = verb
        return caller

    def may(self, verb: Verb, namespace: str) -> bool:
        """Whether the caller may do something in a namespace."""
        return self.authorizer.allows(self.known(), verb, namespace)

    def known(self) -> Caller:
        """The caller, asked for once."""
        if self.caller is None:
            self.caller = self.identify()
        return self.caller


def valid(read: Valid | list[FieldFault]) -> Valid:
    """What a request was read as; refuses one with faults."""
    if isinstance(read, list):
        raise invalid(read)
    return read
