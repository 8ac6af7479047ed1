"""The private agent card: what an actor says of itself to whoever may call it (facts 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kagent_render.compile.bundle import AgentConfiguration


def runtime_name(name: str) -> str:
    """An agent's name as a runtime takes it: an identifier, so `-` and `.` become `_`."""
    return name.replace("-", "_").replace(".", "_")


def agent_card(agent: AgentConfiguration) -> dict[str, Any]:
    """The card of a boundary's head: one gRPC interface on the actor's own loopback."""
    return {
        "name": runtime_name(agent.name),
        "description": agent.description,
        "supportedInterfaces": [
            {"url": "http://127.0.0.1:80", "protocolBinding": "GRPC", "protocolVersion": "1.0"}
        ],
        "version": "v1",
        "capabilities": {"streaming": True},
        "defaultInputModes": ["text"],
        "defaultOutputModes": ["text"],
        "skills": [],
    }
