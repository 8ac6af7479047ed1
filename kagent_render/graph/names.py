"""Names of agent bindings, which become names of tools and sub-agents in every runtime."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.tree import agent_bindings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import AgentBinding
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

    A boundary's names are those of all bindings, Shared and Dedicated, that its nodes hold.
    """
    first: dict[str, str] = {}
    for node in boundary.nodes:
        for tool, binding in agent_bindings(node.template):
            if wrong := _wrong(binding.name):
                yield _invalid(node, tool, *wrong)
            path = f"{node.path}/{binding.name}" if node.path else binding.name
            folded = fold_name(binding.name)
            if folded in first:
                yield _duplicate(node, tool, binding, path, first[folded])
            first.setdefault(folded, path)


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


def _invalid(node: Node, tool: int, message: str, hint: str) -> Diagnostic:
    field = ("spec", "tools", tool, "agent", "name")
    return node.template.document.fault(Reason.NAME_INVALID, field, message, hint=hint)


def _duplicate(node: Node, tool: int, binding: AgentBinding, path: str, other: str) -> Diagnostic:
    return node.template.document.fault(
        Reason.DUPLICATE_BINDING_NAME,
        ("spec", "tools", tool, "agent", "name"),
        f"binding `{path}` has the name of binding `{other}` in one runtime boundary, where case is ignored "
        "and `-` is `_`",
        hint=f"rename binding `{binding.name}` of AgentTemplate `{node.template.name}`",
    )
