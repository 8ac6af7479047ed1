r"""The whole program in one reading: documents in, pairs and PlatformAgents out, as rooms hand on.

    source -> api -> graph -> prompt ----\
               \          \-> artifacts --> compile -> target -> revision -> emit
                \-> agentplugin ---------------------------------/

Nothing here reads a file or the network: documents are given, artifacts are asked for through `fetch`, what
is behind the images of plugins through `resolve`, and what is written is decided from the result by `output`.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.decoding import decode, decode_document
from kagent_render.compile.artifact_pins import artifact_fields
from kagent_render.compile.resolution import resolve_template
from kagent_render.diagnostics.diagnostic import distinct, escalate
from kagent_render.graph.pairs import resolve_pairs
from kagent_render.preparation.artifact_uses import used_templates
from kagent_render.preparation.broken import broken_harnesses, broken_templates
from kagent_render.preparation.completeness import check_config, check_harness, policy_of
from kagent_render.preparation.in_use import check_in_use
from kagent_render.preparation.pair import Circumstances, PairOutcome, compile_pair
from kagent_render.preparation.platform_agents import PlatformAgents, has_platform_agents
from kagent_render.preparation.unused_records import check_records_used
from kagent_render.revision.spec_digest import Digested, digest_specs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kagent_render.api.decoding import Decoded
    from kagent_render.api.hub import AgentTemplate, ArtifactSource, Inventory
    from kagent_render.compile.artifact_pins import Packages
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.resolution import Resolution
    from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef
    from kagent_render.graph.pairs import PairGraph
    from kagent_render.preparation.capability_records import Records
    from kagent_render.preparation.platform_agents import Images
    from kagent_render.source.config import RenderConfig
    from kagent_render.source.document import Document

    Fetch = Callable[[Sequence[ArtifactSource]], Packages]
    Resolve = Callable[[Sequence[str]], Images]


@dataclass(frozen=True, slots=True)
class Preparation:
    """Every pair and every PlatformAgent of one root, in order, and all that was found on the way to them.

    `diagnostics` are about documents and pairs; what is told of agents and their plugins is in `agents`.
    """

    documents: tuple[Document, ...]
    digested: Digested
    policy: Policy
    pairs: tuple[PairOutcome, ...]
    diagnostics: tuple[Diagnostic, ...]
    records: Records
    agents: PlatformAgents

    @property
    def inventory(self) -> Inventory:
        """The objects of the documents."""
        return self.digested.inventory

    @property
    def failed(self) -> bool:
        """Whether anything keeps the root as a whole from being written."""
        return any(diagnostic.is_error for diagnostic in (*self.diagnostics, *self.agents.faults))

    @property
    def told(self) -> list[Diagnostic]:
        """Everything that was found, what keeps nothing from being written included."""
        return distinct([*self.diagnostics, *self.agents.faults, *self.agents.findings])


def prepare(
    documents: Sequence[Document],
    config: RenderConfig,
    records: Records,
    fetch: Fetch,
    resolve: Resolve,
    *,
    strict: bool = False,
    unread: bool = False,
    decode_one: Callable[[Document], Decoded] = decode_document,
) -> Preparation:
    """Prepare every pair and PlatformAgent of the documents; `strict` makes warnings errors.

    `resolve` says what is behind the images of plugins. `unread`: there are sources that could not be read,
    so that nobody knows whether a PlatformAgent has more plugins.
    """
    decoded, found = decode(documents, decode_one)
    digested, faults = digest_specs(decoded)
    inventory, policy = digested.inventory, policy_of(config)
    graphs = resolve_pairs(
        inventory, broken_templates(documents, inventory), broken_harnesses(documents, inventory)
    )
    found += [*faults, *check_in_use(documents), *records.faults]
    found += check_records_used(records, inventory.harnesses.values(), documents, policy)
    found += _check_completeness(graphs, inventory, config, policy)
    found = escalate(found, strict=strict)
    agents, found = _agents(documents, inventory, config, resolve, found, strict=strict, unread=unread)
    templates = used_templates(graphs)
    packages = fetch(list(dict.fromkeys(_sources(templates.values()))))
    resolutions = _resolve(templates, digested, packages)
    circumstances = Circumstances(inventory, policy, records.known, config.retention.protect, strict)
    pairs = tuple(
        compile_pair(graph, resolutions[graph.candidate.pair.namespace], circumstances)
        for graph in _blocking(graphs, resolutions, config, found, hindered=bool(records.faults))
    )
    told = distinct([*found, *(fault for pair in pairs for fault in pair.diagnostics)])
    return Preparation(tuple(documents), digested, policy, pairs, tuple(told), records, agents)


def _agents(
    documents: Sequence[Document],
    inventory: Inventory,
    config: RenderConfig,
    resolve: Resolve,
    found: Sequence[Diagnostic],
    *,
    strict: bool,
    unread: bool,
) -> tuple[PlatformAgents, list[Diagnostic]]:
    """The PlatformAgents, and what was `found` without that about plugins that are valid all the same."""
    if not has_platform_agents(inventory):
        return PlatformAgents(), list(found)
    # Most roots have none of these kinds, and their compiler need not be loaded for them.
    from kagent_render.preparation.agent_compilation import compile_agents

    valid = {plugin.ref for plugin in inventory.agent_plugins.values()}
    own = [fault for fault in found if fault.object in valid]
    refused = {fault.object for fault in found if fault.is_error}
    agents = compile_agents(
        documents, inventory, config.kube_version, resolve, refused, strict=strict, unread=unread
    )
    agents = dataclasses.replace(agents, findings=(*own, *agents.findings))
    return agents, [fault for fault in found if fault.object not in valid]


def _sources(templates: Iterable[AgentTemplate]) -> Iterator[ArtifactSource]:
    return (source for template in templates for _, source in artifact_fields(template))


def _resolve(
    templates: Mapping[tuple[str, str], AgentTemplate],
    digested: Digested,
    packages: Packages,
) -> defaultdict[str, dict[str, Resolution]]:
    """Every template resolved, by namespace and name."""
    resolutions: defaultdict[str, dict[str, Resolution]] = defaultdict(dict)
    for (namespace, name), template in templates.items():
        resolutions[namespace][name] = resolve_template(
            template, digested.inventory, digested.digests.of, packages
        )
    return resolutions


def _check_completeness(
    graphs: Sequence[PairGraph], inventory: Inventory, config: RenderConfig, policy: Policy
) -> list[Diagnostic]:
    """What RenderConfig and the Harnesses of the pairs leave out."""
    used = (graph.candidate.harness for graph in graphs)
    harnesses = {harness.ref: harness for harness in used if harness is not None}
    faults = list(check_config(config)) if inventory.harnesses else []
    return [*faults, *(fault for harness in harnesses.values() for fault in check_harness(harness, policy))]


def _blocking(
    graphs: Sequence[PairGraph],
    resolutions: Mapping[str, Mapping[str, Resolution]],
    config: RenderConfig,
    found: Sequence[Diagnostic],
    *,
    hindered: bool,
) -> Iterator[PairGraph]:
    """The graphs, blocked where an object that they need has an error of its own, or all where `hindered`."""
    refused = {fault.object for fault in found if fault.is_error}
    for graph in graphs:
        needed = _needed(graph, resolutions[graph.candidate.pair.namespace], config) if refused else ()
        blocked = hindered or any(ref in refused for ref in needed)
        yield dataclasses.replace(graph, blocked=True) if blocked else graph


def _needed(
    graph: PairGraph, resolutions: Mapping[str, Resolution], config: RenderConfig
) -> Iterator[ObjectRef]:
    """What a pair is prepared from, as far as its references could be followed."""
    yield config.document.ref
    if graph.candidate.harness is not None:
        yield graph.candidate.harness.ref
    for node in graph.tree.nodes if graph.tree is not None else ():
        yield node.template.ref
        resolved = resolutions[node.template.name].resolved
        yield from (used.ref for used in (resolved.inputs if resolved is not None else ()))
