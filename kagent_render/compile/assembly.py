"""From a boundary of a tree to its bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import AgentBinding, Isolation
from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.bundle import AgentConfiguration, Bundle, DedicatedTool, McpTool
from kagent_render.compile.derivation import derive_requirements
from kagent_render.compile.environment import Provenance
from kagent_render.compile.origin import artifact_origin, origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import Harness
    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.resolved import ResolvedTemplate
    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.graph.tree import Node


def assemble_bundle(
    pair: PairRef,
    head: Node,
    harness: Harness,
    image: str,
    resolved: Mapping[str, ResolvedTemplate],
    policy: Policy,
    binding: Provenance | None = None,
) -> Bundle:
    """The bundle of the boundary that `head` begins; `resolved` is by template name.

    `binding` is where a Dedicated head is bound; None at the pair's root.
    """
    agent = _configure(head, resolved, binding)
    return Bundle(
        namespace=pair.namespace,
        root_template=pair.template,
        path=head.path,
        harness=harness,
        image=image,
        agent=agent,
        egress=tuple(sorted(set(_origins(agent, adapter_of(harness.variant), policy)))),
        requirements=derive_requirements(agent),
    )


def _configure(
    node: Node, resolved: Mapping[str, ResolvedTemplate], binding: Provenance | None
) -> AgentConfiguration:
    template = node.template
    own = resolved[template.name]
    children = {child.tool: child for child in node.children}
    tools: list[McpTool | DedicatedTool] = []
    shared: list[AgentConfiguration] = []
    for index, tool in enumerate(template.tools):
        if not isinstance(tool, AgentBinding):
            provenance = Provenance(template.document, ("spec", "tools", index, "mcp"))
            tools.append(McpTool(own.servers[index], tool.tools, provenance))
            continue
        provenance = Provenance(template.document, ("spec", "tools", index, "agent"))
        child = children[index]
        if child.isolation is Isolation.SHARED:
            shared.append(_configure(child, resolved, provenance))
        else:
            tools.append(DedicatedTool(child.path, child.name, child.description, provenance))
    return AgentConfiguration(
        path=node.path,
        name=node.name,
        description=node.description,
        instruction=own.prompt.text,
        provider=own.provider,
        tools=tuple(tools),
        skills=own.skills,
        template=template,
        provenance=binding or Provenance(template.document, ("spec",)),
        children=tuple(shared),
    )


def _origins(agent: AgentConfiguration, adapter: Adapter, policy: Policy) -> Iterator[str]:
    """Everything that the boundary's runtime contacts (DESIGN 10)."""
    yield from filter(None, (origin_of(policy.controller_url), origin_of(f"http://{policy.controller_grpc}")))
    for member in agent.members():
        yield from adapter.origins(member.provider)
        for tool in member.tools:
            if isinstance(tool, DedicatedTool):
                yield from filter(None, (origin_of(policy.tools_url),))
            elif tool.server.origin:
                yield tool.server.origin
        for skill in member.skills:
            origin = artifact_origin(
                skill.source.origin, policy.s3_endpoint, policy.s3_region, policy.insecure_registries
            )
            yield from filter(None, (origin,))
