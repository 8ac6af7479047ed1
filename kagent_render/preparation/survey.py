"""From a preparation to the overview of it, what could not be prepared included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.graph.overview import (
    AgentView,
    HarnessView,
    Known,
    Overview,
    PairView,
    PlatformView,
    PluginView,
    RuntimeView,
)
from kagent_render.preparation.completeness import image_of, needs_pause_image
from kagent_render.preparation.conditions import pair_conditions
from kagent_render.preparation.uses import harness_uses, image_use, plugin_uses, template_uses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.agentplugin.compiled import CompiledAgent
    from kagent_render.api.hub import Inventory
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import Diagnostic, PlatformAgentRef
    from kagent_render.preparation.flow import Preparation
    from kagent_render.preparation.pair import PairOutcome
    from kagent_render.preparation.platform_agents import AgentOutcome
    from kagent_render.revision.compiled_pair import CompiledPair
    from kagent_render.source.config import RenderConfig


def survey(preparation: Preparation, config: RenderConfig) -> Overview:
    """Every pair and PlatformAgent of a root with all that it uses."""
    return Overview(
        tuple(_pair(outcome, preparation) for outcome in preparation.pairs),
        tuple(_platform(outcome, preparation) for outcome in preparation.agents.outcomes),
        config.document.path,
        tuple(image_use(_pause_image(config))),
        tuple(_objects(preparation.inventory)),
    )


def _pause_image(config: RenderConfig) -> str:
    return (config.substrate.pause_image or "") if needs_pause_image(config.target) else ""


def _objects(inventory: Inventory) -> Iterator[Known]:
    groups = (
        inventory.harnesses,
        inventory.templates,
        inventory.model_configs,
        inventory.mcp_servers,
        inventory.config_maps,
        inventory.platform_agents,
        inventory.agent_plugins,
    )
    for group in groups:
        for found in group.values():
            yield Known(found.namespace, found.ref.kind, found.name, found.document.path)
    for secret in inventory.secrets.values():
        # An ExternalSecret or a SealedSecret is asked for by the name of the Secret that it makes, too.
        for kind in dict.fromkeys(("Secret", secret.ref.kind)):
            yield Known(secret.namespace, kind, secret.name, secret.document.path)


def _pair(outcome: PairOutcome, preparation: Preparation) -> PairView:
    compiled = outcome.compiled or outcome.attempted
    resolved = compiled.resolved if compiled is not None else {}
    nodes = outcome.graph.tree.nodes if outcome.graph.tree is not None else ()
    return PairView(
        outcome.pair,
        "" if outcome.is_prepared else _problem(outcome.diagnostics, blocked=outcome.blocked),
        _harness(outcome, preparation),
        tuple(
            AgentView(
                node.path,
                node.name,
                node.template.name,
                node.isolation,
                node.parent,
                node.boundary,
                node.template.document.path,
                template_uses(node.template, preparation.inventory, resolved.get(node.template.name)),
            )
            for node in nodes
        ),
        _runtimes(outcome, compiled),
    )


def _harness(outcome: PairOutcome, preparation: Preparation) -> HarnessView:
    harness = outcome.graph.candidate.harness
    if harness is None:
        return HarnessView(outcome.pair.harness)
    image = image_of(harness, preparation.policy)
    uses = harness_uses(harness, image, preparation.inventory)
    return HarnessView(harness.name, harness.variant, harness.document.path, uses)


def _runtimes(outcome: PairOutcome, compiled: CompiledPair | None) -> tuple[RuntimeView, ...]:
    if compiled is None:
        return tuple(RuntimeView(boundary.path) for boundary in outcome.graph.boundaries)
    return tuple(
        RuntimeView(
            boundary.bundle.path,
            manifest.name,
            boundary.bundle.egress,
            tuple(f"{bound.header} of {bound.hostname}" for bound in boundary.bindings),
        )
        for boundary, manifest in compiled.boundaries
    )


def _platform(outcome: AgentOutcome, preparation: Preparation) -> PlatformView:
    inventory, ref = preparation.inventory, outcome.ref
    agent = inventory.platform_agents.get((ref.namespace, ref.name))
    plugins = (plugin for plugin in inventory.agent_plugins.values() if _belongs(plugin, ref))
    problem = "" if outcome.compiled is not None else _problem(outcome.faults, blocked=outcome.blocked)
    return PlatformView(
        ref,
        problem,
        agent.document.path if agent is not None else None,
        tuple(
            _plugin(plugin, outcome.compiled, preparation)
            for plugin in sorted(plugins, key=lambda plugin: plugin.name)
        ),
    )


def _belongs(plugin: AgentPlugin, ref: PlatformAgentRef) -> bool:
    return (plugin.namespace, plugin.agent) == (ref.namespace, ref.name)


def _plugin(plugin: AgentPlugin, compiled: CompiledAgent | None, preparation: Preparation) -> PluginView:
    statuses = compiled.statuses if compiled is not None else ()
    status = next((found for found in statuses if found.plugin == plugin), None)
    image = compiled.image_of(plugin) if compiled is not None else None
    return PluginView(
        plugin.name,
        plugin.profile or "default",
        status.reason if status is not None else "",
        status.is_ready if status is not None else False,
        compiled is not None and plugin in compiled.rendered,
        plugin.document.path,
        plugin_uses(plugin, image.digest if image is not None else "", preparation.inventory),
    )


def _problem(faults: Iterable[Diagnostic], *, blocked: bool) -> str:
    """The reason of the first condition that is False."""
    conditions = pair_conditions(faults, blocked=blocked)
    return next((condition.reason for condition in conditions if not condition.status), "Blocked")
