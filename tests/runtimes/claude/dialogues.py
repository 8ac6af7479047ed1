"""What the scripted model says: calls of tools and of Shared agents."""

from __future__ import annotations

from tests.runtimes.claude.model_server import ToolUse

TASK = "Find it out."


def call(server: str, tool: str) -> ToolUse:
    """A call of an MCP tool."""
    return ToolUse(f"mcp__{server}__{tool}", {"task": "t"})


def delegate(agent: str, **more: str) -> ToolUse:
    """A call of a Shared agent."""
    return ToolUse("Agent", {"description": "d", "prompt": TASK, "subagent_type": agent, **more})


def load(skill: str) -> ToolUse:
    """The wish to read a skill."""
    return ToolUse("Skill", {"skill": skill})
