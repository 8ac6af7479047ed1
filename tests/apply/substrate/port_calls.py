"""Each method of the port as a test calls it, and the call that matters most to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kagent_apply.substrate.port import (
    Actor,
    ActorName,
    Compute,
)
from tests.apply.substrate.parts import (
    NAME,
    TEMPLATE,
    elsewhere,
    member,
    revision,
)

TIMEOUT = 10.0
GET = "GetActor"

METHODS: dict[str, tuple[str, Callable[[Compute, Actor], Any]]] = {
    "prepare": ("CreateAtespace", lambda compute, _: compute.prepare(elsewhere(), TIMEOUT)),
    "prepare, reading": ("GetActorTemplate", lambda compute, _: compute.prepare(revision(), TIMEOUT)),
    "actor": (GET, lambda compute, _: compute.actor(NAME, TIMEOUT)),
    "create": ("CreateActor", lambda compute, _: compute.create(ActorName("team", "b"), member(), TIMEOUT)),
    "restrict": (
        "CreateActorEgressPolicy",
        lambda compute, actor: compute.restrict(actor, member(), TIMEOUT),
    ),
    "resume": ("ResumeActor", lambda compute, actor: compute.resume(actor, TIMEOUT)),
    "suspend, reading": (GET, lambda compute, actor: compute.suspend(actor, TIMEOUT)),
    "delete": ("DeleteActor", lambda compute, actor: compute.delete(actor, TIMEOUT)),
    "delete_template": (
        "DeleteActorTemplate",
        lambda compute, _: compute.delete_template("team", TEMPLATE, TIMEOUT),
    ),
    "ping": ("GetActorTemplate", lambda compute, _: compute.ping(TIMEOUT)),
}
