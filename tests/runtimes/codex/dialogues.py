"""Scripts of a root that hands its task to a Shared agent and says what came of it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tests.runtimes.codex.model_server import Call, ModelRequest, Script, Step, Text, by_turn

AGENTS = "multi_agent_v1"
TASK = "The task of the Shared agent."
RESOURCE_READERS = {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"}
"""What Codex offers besides, as soon as one MCP server is there; nothing turns them off."""


def is_shared(request: ModelRequest) -> bool:
    """Whether a request is the Shared agent's, which alone is given the task."""
    return TASK in request.said("user")


def delegation(name: str | None, steps: Sequence[Step]) -> Script:
    """The root spawns an agent by its name and waits for it; the spawned one takes `steps`."""
    own = by_turn(steps)
    asked = {"message": TASK} if name is None else {"agent_type": name, "message": TASK}

    def script(request: ModelRequest) -> Step:
        if is_shared(request):
            return own(request)
        outputs = request.outputs
        if not outputs:
            return Call("spawn_agent", asked, AGENTS)
        spawned = outputs[0]
        if "agent_id" in spawned and len(outputs) == 1:
            agent = json.loads(spawned)["agent_id"]
            return Call("wait_agent", {"targets": [agent], "timeout_ms": 30_000}, AGENTS)
        return Text(outputs[-1])

    return script
