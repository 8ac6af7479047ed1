"""A Dedicated agent as its parent's runtime sees it: one MCP server with one tool (DESIGN 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_render.compile.bundle import DedicatedTool

INVOKE = "invoke"
"""The one tool of a Dedicated agent; it takes a `task`."""

INVOKE_TIMEOUT = 3600
"""Seconds that a parent waits for a Dedicated agent: a task of an agent, not a call of a tool."""

_ENDPOINT = "http://127.0.0.1:8082/mcp"


def invoke_url(tool: DedicatedTool) -> str:
    """Where the runtime itself serves a bound agent's tool, on loopback."""
    return f"{_ENDPOINT}/{tool.path}"
