"""Names of agent bindings, which become names of tools and sub-agents in every runtime."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.tree import agent_bindings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import AgentBinding, AgentTemplate
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.graph.boundaries import Boundary
    from kagent_render.graph.tree import Node

_LONGEST: Final = 64
_PATTERN: Final = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,{_LONGEST - 1}}}")
_RESERVED: Final = "user"
"""The name that conversations give to the caller."""


def fold_name(name: str) -> str:
    """What a binding name is compared by: lower case, with `-` as `_`."""
    return name.lower().replace("-", "_")


def check_names(boundary: Boundary) -> Iterator[Diagnostic]:
    """Binding names that no runtime takes, and those that a boundary has twice (DESIGN 6).

    A boundary's names are those of all bindings, Shared and Dedicated, that its nodes hold. A fault is told
    once, however often its template is met.
    """
    for template in {node.template.name: node.template for node in boundary.nodes}.values():
        for tool, binding in agent_bindings(template):
            if wrong := _wrong(binding.name):
                yield _invalid(template, tool, *wrong)
    yield from _check_unique(boundary)


def _check_unique(boundary: Boundary) -> Iterator[Diagnostic]:
    first: dict[str, tuple[Node, int, AgentBinding]] = {}
    told: set[tuple[str, int]] = set()
    for node in boundary.nodes:
        for tool, binding in agent_bindings(node.template):
            name, place = fold_name(binding.name), (node.template.name, tool)
            if name not in first:
                first[name] = node, tool, binding
            elif place not in told:
                told.add(place)
                yield _duplicate((node, tool, binding), first[name])


def _wrong(name: str) -> tuple[str, str] | None:
    """What is wrong with a name, and what to do; None when nothing is."""
    if len(name) > _LONGEST:
        return f"a binding name has {len(name)} characters", f"shorten it to at most {_LONGEST}"
    if not _PATTERN.fullmatch(name):
        return (
            f"binding name `{name}` does not match `{_PATTERN.pattern}`",
            "use ASCII letters, digits, `_` and `-`, beginning with a letter",
        )
    if fold_name(name) == _RESERVED:
        return f"binding name `{name}` is reserved", "rename the binding"
    return None


def _invalid(template: AgentTemplate, tool: int, message: str, hint: str) -> Diagnostic:
    field = ("spec", "tools", tool, "agent", "name")
    return template.document.fault(Reason.NAME_INVALID, field, message, hint=hint)


def _duplicate(second: tuple[Node, int, AgentBinding], first: tuple[Node, int, AgentBinding]) -> Diagnostic:
    node, tool, binding = second
    template, other = node.template, first[0].below(first[2])
    hint = f"rename binding `{binding.name}` of AgentTemplate `{template.name}`"
    if (first[0].template.name, first[1]) == (template.name, tool):
        # One binding met twice, because its template is: another name would only repeat as well.
        hint = f"set `isolation: Dedicated` on binding `{node.path}`"
    return template.document.fault(
        Reason.DUPLICATE_BINDING_NAME,
        ("spec", "tools", tool, "agent", "name"),
        f"binding `{node.below(binding)}` has the name of binding `{other}` in one runtime boundary, where "
        "case is ignored and `-` is `_`",
        hint=hint,
    )
