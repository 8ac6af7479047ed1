"""MCP servers and Dedicated agents as a CLI configures them: once for the whole boundary, by a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.compile.adapters.dedicated import INVOKE
from kagent_render.compile.bundle import DedicatedTool, McpTool
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.environment import Provenance
    from kagent_render.compile.mcp import ResolvedServer
    from kagent_render.diagnostics.diagnostic import Diagnostic

_NAME = re.compile("[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class NamedServer:
    """One server of a boundary; `tools` are those that any of its agents selects, each once.

    `provenance` is the first binding that asks for it.
    """

    name: str
    server: ResolvedServer | DedicatedTool
    tools: tuple[str, ...]
    provenance: Provenance


def server_name(tool: McpTool | DedicatedTool) -> str:
    """The name of a tool's server: the manifest's with `.` as `_` (facts 6.2), or the binding's."""
    name = tool.name if isinstance(tool, DedicatedTool) else tool.server.server.name
    return name.replace(".", "_")


def selected_tools(agent: AgentConfiguration) -> dict[str, tuple[str, ...]]:
    """The tools that one agent itself selects, by the name of their server."""
    found: dict[str, tuple[str, ...]] = {}
    for tool in agent.tools:
        names = (INVOKE,) if isinstance(tool, DedicatedTool) else tool.tools
        name = server_name(tool)
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *names)))
    return found


def named_servers(agent: AgentConfiguration) -> tuple[NamedServer, ...]:
    """Every server of a boundary in the order of its first binding, with the tools selected of it."""
    found: dict[str, NamedServer] = {}
    for tool in _tools(agent):
        name = server_name(tool)
        server = tool if isinstance(tool, DedicatedTool) else tool.server
        known = found.get(name, NamedServer(name, server, (), tool.provenance))
        names = (INVOKE,) if isinstance(tool, DedicatedTool) else tool.tools
        tools = tuple(dict.fromkeys((*known.tools, *names)))
        found[name] = NamedServer(name, known.server, tools, known.provenance)
    return tuple(found.values())


def check_server_names(
    agent: AgentConfiguration, shown_as: Callable[[str], str] = str
) -> Iterator[Diagnostic]:
    """Names that a CLI does not take, and servers that would take one name, at the binding.

    `shown_as` gives a name as the model sees it.
    """
    known: dict[str, tuple[str, str]] = {}
    for tool in _tools(agent):
        name, identity = server_name(tool), _identity(tool)
        other = known.setdefault(shown_as(name).lower(), identity)
        document, field = tool.provenance.document, tool.provenance.field
        if not _NAME.fullmatch(name):
            message = f"{_called(identity)} has a name that no MCP server of this runtime can have"
            hint = "use ASCII letters, digits, `_`, `-` and `.` in the name"
            yield document.fault(Reason.NAME_INVALID, field, message, hint=hint)
        elif other != identity:
            yield document.fault(
                Reason.NAME_INVALID,
                field,
                f"{_called(identity)} and {_called(other)} would be one MCP server `{shown_as(name)}` in this"
                " runtime",
                hint="rename one of them",
            )


def _tools(agent: AgentConfiguration) -> Iterator[McpTool | DedicatedTool]:
    return (tool for member in agent.members() for tool in member.tools)


def _identity(tool: McpTool | DedicatedTool) -> tuple[str, str]:
    """What a server is: its kind and name, or the path of a Dedicated agent."""
    if isinstance(tool, DedicatedTool):
        return "Dedicated agent", tool.path
    ref = tool.server.server.ref
    return ref.kind, ref.name or ""


def _called(identity: tuple[str, str]) -> str:
    kind, name = identity
    return f"{kind} `{name}`"
