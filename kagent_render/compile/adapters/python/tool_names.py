"""Tools as the ADK tells them apart: by name alone, and of two with one name it calls the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.compile.adapters.agent_card import runtime_name
from kagent_render.compile.bundle import McpTool
from kagent_render.compile.environment import Provenance
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.diagnostics.diagnostic import Diagnostic


def check_tool_names(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """A fault for each tool of one agent, its Shared agents among them, that has the name of another one.

    Dedicated agents are not held against each other: all their tools are `invoke`, and the runtime that
    serves them tells them apart by their bindings.
    """
    first: dict[str, str] = {}
    for name, what, provenance in _named(agent):
        if name not in first:
            first[name] = what
        else:
            yield provenance.document.fault(
                Reason.NAME_INVALID,
                provenance.field,
                f"{what} is called `{name}`, as is {first[name]}, and the runtime calls one of them only",
                hint="select one of them, or rename the binding or the tool",
            )


def _named(agent: AgentConfiguration) -> Iterator[tuple[str, str, Provenance]]:
    """Each tool's name, what it is and where it is selected."""
    for tool in agent.tools:
        if isinstance(tool, McpTool):
            origin = tool.provenance
            for index, name in enumerate(tool.tools):
                field = (*origin.field, "tools", index)
                what = f"a tool of the MCP server `{tool.server.server.name}`"
                yield name, what, Provenance(origin.document, field)
    for child in agent.children:
        origin = child.provenance
        what = f"the Shared agent `{child.name}`"
        yield runtime_name(child.name), what, Provenance(origin.document, (*origin.field, "name"))
