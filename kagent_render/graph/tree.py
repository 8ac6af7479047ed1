"""The tree of a root AgentTemplate: its agent bindings unfolded, so that every binding is a node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import AgentBinding, AgentTemplate, Isolation
from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.nearest import nearest_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.graph.namespaces import Namespace

MAX_NODES: Final = 64
"""Nodes of the largest tree (DESIGN 6)."""


@dataclass(frozen=True, slots=True)
class Node:
    """One template at one place of the tree.

    `path` and `parent` are binding paths, `boundary` that of the node whose runtime runs this one. `binding`
    and `tool`, its index in the parent's `spec.tools`, are None at the root, and so is `parent`. `children`
    are in document order.
    """

    template: AgentTemplate
    path: str = ""
    binding: AgentBinding | None = None
    tool: int | None = None
    parent: str | None = None
    boundary: str = ""
    children: tuple[Node, ...] = ()

    @property
    def isolation(self) -> Isolation:
        """The binding's isolation; Dedicated for the root, which has a runtime of its own as well."""
        return self.binding.isolation if self.binding else Isolation.DEDICATED

    @property
    def name(self) -> str:
        """The name of the agent at this place: the binding's, or the root template's."""
        return self.binding.name if self.binding else self.template.name

    def below(self, binding: AgentBinding) -> str:
        """The binding path of a binding that this node's template holds."""
        return f"{self.path}/{binding.name}" if self.binding else binding.name

    @property
    def description(self) -> str:
        """The description for cards and configurations: the binding's, or the root template's."""
        return self.binding.description if self.binding else self.template.description


@dataclass(frozen=True, slots=True)
class Tree:
    """A root with every node below it, in document order with parents first."""

    root: Node
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Unfolding:
    """What could be unfolded, what could not, and whether an invalid document stands in the way."""

    tree: Tree
    diagnostics: tuple[Diagnostic, ...]
    blocked: bool


def agent_bindings(template: AgentTemplate) -> Iterator[tuple[int, AgentBinding]]:
    """The agent bindings of a template, each with its index in `spec.tools`."""
    return ((i, tool) for i, tool in enumerate(template.tools) if isinstance(tool, AgentBinding))


def build_tree(root: AgentTemplate, namespace: Namespace) -> Unfolding:
    """Unfold `root` to at most 64 nodes, whatever the graph behind it.

    A binding that names a missing or broken template or closes a cycle has no node; at the first node too
    many the walk ends. A fault is told once, however often its template is met.
    """
    unfolder = _Unfolder(root, namespace)
    grown = unfolder.grow(Node(root), ())
    tree = Tree(grown, tuple(_walk(grown)))
    referenced = list(_references(tree))
    missing = (_not_found(*found, namespace) for found in referenced if _is_missing(found[2], namespace))
    return Unfolding(
        tree,
        (*unfolder.faults.values(), *missing),
        any(binding.template in namespace.broken_templates for _, _, binding in referenced),
    )


class _Unfolder:
    """One walk, depth first in document order; `faults` is by the template and tool that hold them."""

    def __init__(self, root: AgentTemplate, namespace: Namespace) -> None:
        self.faults: dict[tuple[str, int], Diagnostic] = {}
        self._root = root
        self._namespace = namespace
        self._count = 1
        self._full = False

    def grow(self, node: Node, ancestors: tuple[str, ...]) -> Node:
        """Give `node` its children; each level adds a node, so the limit bounds the recursion too."""
        line = (*ancestors, node.template.name)
        children = []
        for tool, binding in agent_bindings(node.template):
            if self._full:
                break
            template = self._admit(node.template, tool, binding, line)
            if template is not None:
                children.append(self.grow(_child(node, tool, binding, template), line))
        return replace(node, children=tuple(children))

    def _admit(
        self, holder: AgentTemplate, tool: int, binding: AgentBinding, line: tuple[str, ...]
    ) -> AgentTemplate | None:
        template = self._namespace.templates.get(binding.template)
        if template is None:
            return None
        if template.name in line:
            if (holder.name, tool) not in self.faults:
                self.faults[holder.name, tool] = _cycle(holder, tool, template, line)
            return None
        if self._count == MAX_NODES:
            self._full = True
            self.faults[holder.name, tool] = _too_large(holder, tool, self._root)
            return None
        self._count += 1
        return template


def _child(parent: Node, tool: int, binding: AgentBinding, template: AgentTemplate) -> Node:
    path = parent.below(binding)
    boundary = path if binding.isolation is Isolation.DEDICATED else parent.boundary
    return Node(template, path, binding, tool, parent.path, boundary)


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _references(tree: Tree) -> Iterator[tuple[AgentTemplate, int, AgentBinding]]:
    """Every agent binding of every template in the tree, once."""
    for template in {node.template.name: node.template for node in tree.nodes}.values():
        for tool, binding in agent_bindings(template):
            yield template, tool, binding


def _is_missing(binding: AgentBinding, namespace: Namespace) -> bool:
    return binding.template not in namespace.templates and binding.template not in namespace.broken_templates


def _not_found(holder: AgentTemplate, tool: int, binding: AgentBinding, namespace: Namespace) -> Diagnostic:
    near = nearest_name(binding.template, namespace.template_names)
    create = (
        f"create AgentTemplate `{binding.template}` in namespace `{holder.namespace}`, or remove the binding"
    )
    return holder.document.fault(
        Reason.TEMPLATE_NOT_FOUND,
        ("spec", "tools", tool, "agent", "templateRef", "name"),
        f"binding `{binding.name}` names AgentTemplate `{binding.template}`, which does not exist in "
        f"namespace `{holder.namespace}`",
        hint=f"change it to `{near}`" if near else create,
    )


def _cycle(holder: AgentTemplate, tool: int, closing: AgentTemplate, line: tuple[str, ...]) -> Diagnostic:
    circle = " -> ".join((*line[line.index(closing.name) :], closing.name))
    return holder.document.fault(
        Reason.CYCLE_DETECTED,
        ("spec", "tools", tool, "agent", "templateRef", "name"),
        f"agent bindings form the cycle `{circle}`",
        hint=f"remove this binding of AgentTemplate `{holder.name}`, or bind another AgentTemplate",
    )


def _too_large(holder: AgentTemplate, tool: int, root: AgentTemplate) -> Diagnostic:
    return holder.document.fault(
        Reason.TREE_TOO_LARGE,
        ("spec", "tools", tool, "agent"),
        f"the tree of AgentTemplate `{root.name}` has more than {MAX_NODES} nodes, counting each binding",
        hint=f"remove agent bindings from the tree of AgentTemplate `{root.name}`",
    )
