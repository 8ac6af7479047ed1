"""Hub values made by hand: templates, Harnesses and inventories with positions that can be told apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kagent_render.api.hub import (
    AgentBinding,
    AgentTemplate,
    Harness,
    Inventory,
    Isolation,
    LabelRequirement,
    LabelSelector,
    McpBinding,
    ToolBinding,
    Variant,
)
from kagent_render.api.sourced import Sourced
from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath, ObjectRef, PairRef
from kagent_render.graph.attachment import Candidate
from kagent_render.graph.namespaces import Namespace, split_namespaces
from kagent_render.graph.pairs import PairGraph, resolve_pairs
from kagent_render.source.document import Document

SHARED, DEDICATED = Isolation.SHARED, Isolation.DEDICATED
EVERYTHING = LabelSelector()
MCP = McpBinding("RemoteMCPServer", "search", ("find",))


@dataclass(frozen=True)
class Lines:
    """A locator whose lines follow the order of the fields that this room reports."""

    def locate(self, field: FieldPath) -> tuple[int, int]:
        section = {"metadata": 3, "spec": 10}[str(field[0])]
        steps = [step for step in field if isinstance(step, int)]
        return section + 20 * (1 + steps[0]) if steps else section, 2 * len(field) + 1

    def locate_literal(self, field: FieldPath) -> tuple[int, int] | None:
        return None


def document(kind: str, namespace: str, name: str) -> Document:
    metadata = {"namespace": namespace, "name": name}
    value: dict[str, Any] = {"apiVersion": "kagent.dev/v1alpha2", "kind": kind, "metadata": metadata}
    return Document(f"{namespace}/{kind}-{name}.yaml", value, Lines())


def bind(template: str, name: str | None = None, isolation: Isolation = SHARED) -> AgentBinding:
    return AgentBinding(template if name is None else name, f"asks {template}", template, isolation)


def template(
    name: str,
    *tools: ToolBinding,
    include: tuple[str, ...] | None = ("h",),
    labels: Mapping[str, str] | None = None,
    namespace: str = "ns",
) -> AgentTemplate:
    """An AgentTemplate; `include` None makes it one of the dialect without an include list."""
    source = document("AgentTemplate", namespace, name)
    return AgentTemplate(
        ref=source.ref,
        spec={},
        document=source,
        labels=labels or {},
        description=f"the {name} agent",
        model_config="model",
        system_prompt="Help.",
        prompt_sources=None,
        tools=tools,
        skills=(),
        plugins=(),
        harnesses=include,
    )


def harness(name: str = "h", admission: LabelSelector | None = EVERYTHING, namespace: str = "ns") -> Harness:
    source = document("Harness", namespace, name)
    return Harness(
        ref=source.ref,
        spec={},
        document=source,
        variant=Variant.PYTHON,
        image=None,
        env=(),
        worker_pool=None,
        snapshot_location=None,
        admission=admission,
    )


def match(**labels: str) -> LabelSelector:
    return LabelSelector(tuple(LabelRequirement(key, "In", (value,)) for key, value in labels.items()))


def rule(key: str, operator: str, *values: str) -> LabelSelector:
    return LabelSelector((LabelRequirement(key, operator, values),))


def inventory(*objects: Sourced, broken: Iterable[tuple[str, str]] = ()) -> Inventory:
    """An inventory of `objects`, with `broken` (kind, name) in namespace `ns`."""
    return Inventory(
        harnesses={(o.namespace, o.name): o for o in objects if isinstance(o, Harness)},
        templates={(o.namespace, o.name): o for o in objects if isinstance(o, AgentTemplate)},
        model_configs={},
        mcp_servers={},
        config_maps={},
        secrets={},
        broken=frozenset((kind, "ns", name) for kind, name in broken),
    )


def namespace_of(*objects: Sourced, broken: Iterable[tuple[str, str]] = ()) -> Namespace:
    return split_namespaces(inventory(*objects, broken=broken)).get("ns", Namespace())


def pair(harness_name: str, template_name: str, namespace: str = "ns") -> PairRef:
    return PairRef(namespace, harness_name, template_name)


def pairs_of(candidates: Iterable[Candidate]) -> list[str]:
    return [str(candidate.pair) for candidate in candidates]


def graphs(*objects: Sourced, broken: Iterable[tuple[str, str]] = ()) -> dict[str, PairGraph]:
    """Every pair's graph, by `namespace/harness/template`."""
    return {str(graph.candidate.pair): graph for graph in resolve_pairs(inventory(*objects, broken=broken))}


def graph_of(name: str, *objects: Sourced, broken: Iterable[tuple[str, str]] = ()) -> PairGraph:
    """The graph of Harness `h` and template `name` in namespace `ns`."""
    return graphs(*objects, broken=broken)[f"ns/h/{name}"]


def faults(diagnostics: Iterable[Diagnostic]) -> list[tuple[str, str, str]]:
    """Each diagnostic as (reason, object name, field)."""
    return [(d.reason.value, _name(d.object), d.field or "") for d in diagnostics]


def _name(ref: ObjectRef | None) -> str:
    assert ref is not None
    return ref.name or ""
