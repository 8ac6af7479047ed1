"""The condition Accepted: both sides of a pair agree, for every template of the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.nearest import nearest_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, Harness, LabelRequirement
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.graph.attachment import Candidate
    from kagent_render.graph.namespaces import Namespace
    from kagent_render.graph.tree import Node, Tree

_SHOWN = 3
"""Values of one requirement that a message spells out."""


def check_acceptance(candidate: Candidate, tree: Tree, namespace: Namespace) -> Iterator[Diagnostic]:
    """Why the Harness and the templates of `tree` do not accept each other (DESIGN 6)."""
    name = candidate.pair.harness
    if candidate.harness is None and name not in namespace.broken_harnesses:
        yield _harness_not_found(candidate, tree.root.template, namespace)
        return
    for node in _once_per_template(tree):
        if node.template.harnesses is not None and name not in node.template.harnesses:
            yield _not_included(node, name)
        if candidate.harness is not None:
            yield from _check_admission(node, candidate.harness)


def _once_per_template(tree: Tree) -> list[Node]:
    return list({node.template.name: node for node in reversed(tree.nodes)}.values())[::-1]


def _harness_not_found(candidate: Candidate, template: AgentTemplate, namespace: Namespace) -> Diagnostic:
    pair = candidate.pair
    others = [name for name in namespace.harness_names if name not in (template.harnesses or ())]
    near = nearest_name(pair.harness, others)
    create = f"create Harness `{pair.harness}` in namespace `{pair.namespace}`, or remove the entry"
    return template.document.fault(
        Reason.HARNESS_NOT_FOUND,
        ("spec", "harnesses", "include", candidate.include or 0, "name"),
        f"AgentTemplate `{template.name}` includes Harness `{pair.harness}`, which does not exist in "
        f"namespace `{pair.namespace}`",
        hint=f"change it to `{near}`" if near else create,
    )


def _not_included(node: Node, harness: str) -> Diagnostic:
    return node.template.document.fault(
        Reason.NOT_INCLUDED,
        ("spec", "harnesses", "include"),
        f"{_described(node)} does not include Harness `{harness}`, on which its tree runs",
        hint=f"add `{harness}` to `spec.harnesses.include` of AgentTemplate `{node.template.name}`",
    )


def _check_admission(node: Node, harness: Harness) -> Iterator[Diagnostic]:
    labels = node.template.labels
    if harness.admission is None:
        yield _not_admitted(
            node,
            f"Harness `{harness.name}` has no `spec.allowedAgentTemplates`, so it does not admit "
            f"{_described(node)}",
            f"add `spec.allowedAgentTemplates.selector` to Harness `{harness.name}`",
        )
        return
    unmet = [rule for rule in harness.admission.requirements if not rule.admits(labels)]
    if unmet:
        wanted = " and ".join(_describe(rule, labels) for rule in unmet)
        remedies = ", and ".join(_remedy(rule, labels) for rule in unmet)
        yield _not_admitted(
            node,
            f"Harness `{harness.name}` does not admit {_described(node)}: {wanted}",
            f"{remedies} in `metadata.labels` of AgentTemplate `{node.template.name}`",
        )


def _not_admitted(node: Node, message: str, hint: str) -> Diagnostic:
    return node.template.document.fault(Reason.NOT_ADMITTED, ("metadata", "labels"), message, hint=hint)


def _described(node: Node) -> str:
    bound = f" (bound as `{node.path}`)" if node.path else ""
    return f"AgentTemplate `{node.template.name}`{bound}"


def _describe(rule: LabelRequirement, labels: Mapping[str, str]) -> str:
    """Say which label is wrong, what it should be, and what it is."""
    actual = f"is `{labels[rule.key]}`" if rule.key in labels else "is missing"
    match rule.operator:
        case "Exists":
            return f"label `{rule.key}` is missing"
        case "DoesNotExist":
            return f"label `{rule.key}` must be absent"
        case "NotIn":
            return f"label `{rule.key}` must not be `{labels[rule.key]}`"
        case _:
            return f"label `{rule.key}` must be {_alternatives(rule.values)} but {actual}"


def _alternatives(values: tuple[str, ...]) -> str:
    shown = [f"`{value}`" for value in values[:_SHOWN]]
    if len(values) > _SHOWN:
        shown.append(f"one of {len(values) - _SHOWN} more")
    return " or ".join(shown) or "a value that the Harness lists"


def _remedy(rule: LabelRequirement, labels: Mapping[str, str]) -> str:
    match rule.operator:
        case "Exists":
            return f"add label `{rule.key}`"
        case "DoesNotExist":
            return f"remove label `{rule.key}`"
        case "NotIn":
            return f"change label `{rule.key}`"
        case _:
            value = rule.values[0] if rule.values else ""
            if rule.key in labels:
                return f"change label `{rule.key}` to `{value}`"
            return f"add label `{rule.key}: {value}`"
