"""Runtime boundaries: which nodes of a tree run in one runtime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import Isolation
from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.tree import agent_bindings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.graph.tree import Node, Tree


@dataclass(frozen=True, slots=True)
class Boundary:
    """One runtime: its head, which is the root or a Dedicated node, with the head's Shared children.

    `shared` and `dedicated`, the nodes that head of a boundary of their own are bound in this one, are in
    tree order.
    """

    head: Node
    shared: tuple[Node, ...]
    dedicated: tuple[Node, ...]

    @property
    def path(self) -> str:
        """The binding path of the head; empty for the root's boundary."""
        return self.head.path

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every node that runs here, the head first."""
        return (self.head, *self.shared)


def boundaries(tree: Tree) -> tuple[Boundary, ...]:
    """The boundaries of a tree in tree order, the root's first; every node is in exactly one."""
    return tuple(_bounded(node) for node in tree.nodes if node.isolation is Isolation.DEDICATED)


def check_shared_depth(tree: Tree) -> Iterator[Diagnostic]:
    """Shared bindings of a template that was itself reached through Shared (one level, DESIGN 6)."""
    shared: dict[str, Node] = {}
    for node in tree.nodes:
        if node.isolation is Isolation.SHARED:
            shared.setdefault(node.template.name, node)
    for node in shared.values():
        for tool, binding in agent_bindings(node.template):
            if binding.isolation is Isolation.SHARED:
                yield _too_deep(node, tool, binding.name)


def _bounded(head: Node) -> Boundary:
    inside = list(_inside(head))
    return Boundary(
        head,
        tuple(node for node in inside if node.isolation is Isolation.SHARED),
        tuple(node for node in inside if node.isolation is Isolation.DEDICATED),
    )


def _inside(node: Node) -> Iterator[Node]:
    """The nodes bound below `node` up to and with those that start another boundary."""
    for child in node.children:
        yield child
        if child.isolation is Isolation.SHARED:
            yield from _inside(child)


def _too_deep(node: Node, tool: int, name: str) -> Diagnostic:
    return node.template.document.fault(
        Reason.SHARED_DEPTH_EXCEEDED,
        ("spec", "tools", tool, "agent"),
        f"binding `{name}` is Shared in AgentTemplate `{node.template.name}`, which binding `{node.path}` "
        "reaches as Shared too",
        hint=f"set `isolation: Dedicated` on binding `{name}` or on binding `{node.path}`",
    )
