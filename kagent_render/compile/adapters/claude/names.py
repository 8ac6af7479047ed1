"""The names of Claude Code: of agents, MCP servers and tools as the model sees them, and which it loses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kagent_render.compile.adapters.cli_servers import check_server_names, server_name
from kagent_render.compile.bundle import DedicatedTool
from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.names import fold_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.bundle import AgentConfiguration, McpTool
    from kagent_render.diagnostics.diagnostic import Diagnostic

ROOT = "kagent.root"
"""The root's own entry among the agents: no binding has a name with a `.`."""

BUNDLED_SKILLS = ("doctor", "plugin-authoring")
"""The skills that come with the CLI and stay when bundled skills are off."""

_RESERVED_SERVERS = frozenset(
    {
        "ccr_email",
        "claude_ai",
        "claude_code_remote",
        "claude_device",
        "claude_in_chrome",
        "claude_preview",
        "computer_use",
        "hearthbot",
        "ide",
        "remote_devices",
        "webagent",
        "workspace",
    }
)
"""Servers that the CLI keeps for itself, as `fold_name` writes them: it drops any other of that name."""

_LONGEST_TOOL = 128
_TOOL = re.compile("[A-Za-z0-9_-]+")


def tool_name(server: str, tool: str) -> str:
    """A tool as the model and every permission name it."""
    return f"mcp__{server}__{tool}"


def check_names(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """Names of servers, tools and skills that the CLI drops, changes or mistakes, at each binding."""
    yield from check_server_names(agent)
    for member in agent.members():
        for tool in member.tools:
            yield from _check_server(tool)
            if not isinstance(tool, DedicatedTool):
                yield from _check_tools(tool)
        yield from _check_skills(member)


def _check_server(tool: McpTool | DedicatedTool) -> Iterator[Diagnostic]:
    name, origin = server_name(tool), tool.provenance
    field = (*origin.field, "name") if isinstance(tool, DedicatedTool) else origin.field
    if fold_name(name) in _RESERVED_SERVERS:
        yield origin.document.fault(
            Reason.NAME_INVALID,
            field,
            f"Claude Code keeps the MCP server name `{name}` for itself and drops this one without a word",
            hint="choose another name",
        )
    elif "__" in name or name.endswith("_"):
        yield origin.document.fault(
            Reason.NAME_INVALID,
            field,
            f"in Claude Code the tools of `{name}` could not be told from those of another MCP server",
            hint="choose a name without `__` and without `_` at its end",
        )


def _check_tools(binding: McpTool) -> Iterator[Diagnostic]:
    server, origin = server_name(binding), binding.provenance
    for index, name in enumerate(binding.tools):
        field = (*origin.field, "tools", index)
        if not _TOOL.fullmatch(name):
            yield origin.document.fault(
                Reason.NAME_INVALID,
                field,
                f"Claude Code would change the name of the tool `{name}`, and may then call another one",
                hint="have the MCP server name it with ASCII letters, digits, `_` and `-` alone",
            )
        elif len(tool_name(server, name)) > _LONGEST_TOOL:
            yield origin.document.fault(
                Reason.NAME_INVALID,
                field,
                f"`{tool_name(server, name)}` has {len(tool_name(server, name))} characters, and Claude Code"
                f" drops tools whose name has more than {_LONGEST_TOOL}",
                hint="shorten the name of the server or of the tool",
            )


def _check_skills(member: AgentConfiguration) -> Iterator[Diagnostic]:
    for skill in member.skills:
        if skill.name in BUNDLED_SKILLS:
            yield skill.provenance.document.fault(
                Reason.NAME_INVALID,
                skill.provenance.field,
                f"Claude Code has a skill `{skill.name}` of its own, which is turned off by this name",
                hint="rename the skill",
            )
