"""One request per call of June 2026: the messages, the bytes, what they say."""

from __future__ import annotations

from tests.target.parts import GLOBAL_SAYS, PAGE_SAYS, REF, REF_SAYS, Case
from tests.target.wire import entry, inner, number, text

JUNE: dict[str, Case] = {
    "GetActor": ("GetActorRequest", "GetActorResponse", inner(1, REF), {"actor_ref": REF_SAYS}),
    "CreateActor": (
        "CreateActorRequest",
        "CreateActorResponse",
        inner(1, REF) + text(2, "payments") + text(3, "tmpl") + inner(4, entry(1, "pool", "small")),
        {
            "actor_ref": REF_SAYS,
            "actor_template_namespace": "payments",
            "actor_template_name": "tmpl",
            "worker_selector": {"match_labels": {"pool": "small"}},
        },
    ),
    "UpdateActor": (
        "UpdateActorRequest",
        "UpdateActorResponse",
        inner(1, REF) + inner(2, entry(1, "pool", "small")),
        {"actor_ref": REF_SAYS, "worker_selector": {"match_labels": {"pool": "small"}}},
    ),
    "SuspendActor": ("SuspendActorRequest", "SuspendActorResponse", inner(1, REF), {"actor_ref": REF_SAYS}),
    "PauseActor": ("PauseActorRequest", "PauseActorResponse", inner(1, REF), {"actor_ref": REF_SAYS}),
    "ResumeActor": (
        "ResumeActorRequest",
        "ResumeActorResponse",
        inner(1, REF) + number(2, 1),
        {"actor_ref": REF_SAYS, "boot": True},
    ),
    "DeleteActor": ("DeleteActorRequest", "DeleteActorResponse", inner(1, REF), {"actor_ref": REF_SAYS}),
    "ListActors": (
        "ListActorsRequest",
        "ListActorsResponse",
        number(1, 500) + text(2, "next") + text(3, "payments"),
        PAGE_SAYS,
    ),
    "ListWorkers": ("ListWorkersRequest", "ListWorkersResponse", b"", {}),
    "CreateAtespace": ("CreateAtespaceRequest", "CreateAtespaceResponse", text(1, "payments"), GLOBAL_SAYS),
    "GetAtespace": ("GetAtespaceRequest", "GetAtespaceResponse", text(1, "payments"), GLOBAL_SAYS),
    "ListAtespaces": ("ListAtespacesRequest", "ListAtespacesResponse", b"", {}),
    "DeleteAtespace": ("DeleteAtespaceRequest", "DeleteAtespaceResponse", text(1, "payments"), GLOBAL_SAYS),
    "DebugClear": ("DebugClearRequest", "DebugClearResponse", b"", {}),
}
