"""Compiles the PlatformAgents of a root with their plugins, or says what keeps one from that."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kagent_render.agentplugin.compilation import compile_agent, wanted_images
from kagent_render.agentplugin.config_findings import config_findings
from kagent_render.agentplugin.findings import agent_findings
from kagent_render.agentplugin.image_findings import image_findings
from kagent_render.agentplugin.managed_config import operator_config
from kagent_render.agentplugin.operator_variables import operator_defaults
from kagent_render.agentplugin.overlays import operator_overlay
from kagent_render.agentplugin.profiles import DEFAULT, PLATFORM
from kagent_render.agentplugin.selection import orphans, select
from kagent_render.agentplugin.status import orphan_statuses
from kagent_render.agentplugin.status_findings import orphan_findings
from kagent_render.api.kubeagents import GROUP
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.diagnostics.diagnostic import PlatformAgentRef, Severity, escalate
from kagent_render.preparation.agent_references import secret_findings
from kagent_render.preparation.platform_agents import AgentOutcome, Images, PlatformAgents
from kagent_render.source.objects import meant_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from kagent_render.agentplugin.images import PluginImage, PullFailure
    from kagent_render.api.hub import Inventory, Secret
    from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent
    from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef
    from kagent_render.preparation.platform_agents import ImageOutcome
    from kagent_render.source.document import Document


def compile_agents(
    documents: Sequence[Document],
    inventory: Inventory,
    kube_version: str | None,
    resolve: Callable[[Sequence[str]], Images],
    refused: Collection[ObjectRef | None] = (),
    *,
    strict: bool,
    unread: bool = False,
) -> PlatformAgents:
    """Compile every PlatformAgent; `resolve` gives the images, each asked for once.

    `refused` are objects with an error of their own, which `strict` may have made of a warning. No agent
    compiles where sources are `unread`: one of them may hold a plugin that would be left out.
    """
    plugins = list(inventory.agent_plugins.values())
    blocked = _blocked(documents, inventory, unread=unread)
    blocked |= {_ref(agent) for agent in inventory.platform_agents.values() if agent.ref in refused}
    agents = [agent for agent in inventory.platform_agents.values() if _ref(agent) not in blocked]
    by_agent = _by_agent(plugins)
    wanted = {image for agent in agents for image in wanted_images(agent, by_agent[_ref(agent)])}
    compiling = _Compiling(by_agent, inventory.secrets, kube_version, resolve(sorted(wanted)))
    outcomes = [AgentOutcome(ref, None, blocked=True) for ref in blocked]
    outcomes += [compiling.compile(agent) for agent in agents]
    there = {(ref.namespace, ref.name) for ref in blocked} | inventory.platform_agents.keys()
    hidden = unread or any(_is_unnamed_agent(document, there) for document in documents)
    lost = () if hidden else orphans(plugins, there)
    return PlatformAgents(
        tuple(sorted(outcomes, key=lambda outcome: outcome.ref)),
        tuple(escalate([*orphan_findings(lost, there), *compiling.findings], strict=strict)),
        orphan_statuses(lost),
    )


def _by_agent(plugins: Iterable[AgentPlugin]) -> Mapping[PlatformAgentRef, Sequence[AgentPlugin]]:
    """The plugins by the agent that they name, so that no agent has to look at all of them."""
    found: defaultdict[PlatformAgentRef, list[AgentPlugin]] = defaultdict(list)
    for plugin in plugins:
        found[PlatformAgentRef(plugin.namespace, plugin.agent)].append(plugin)
    return found


class _Compiling:
    """Compiles the agents of one root; `findings` gathers what is told of those that compiled."""

    def __init__(
        self,
        plugins: Mapping[PlatformAgentRef, Sequence[AgentPlugin]],
        secrets: Mapping[tuple[str, str], Secret],
        kube_version: str | None,
        images: Images,
    ) -> None:
        self.findings: list[Diagnostic] = []
        self._plugins = plugins
        self._secrets = secrets
        self._kube_version = kube_version
        self._images = images

    def compile(self, agent: PlatformAgent) -> AgentOutcome:
        """The agent with its plugins, or what nobody can say of their images."""
        plugins = self._plugins[_ref(agent)]
        wanted = wanted_images(agent, plugins)
        selected = [plugin for plugin in select(agent, plugins) if plugin.image in wanted]
        faults = [*_faults(selected, self._images.taken), *self._lost_pins(agent, selected)]
        if faults:
            return AgentOutcome(_ref(agent), None, tuple(faults))
        images = _answers({name: self._images.taken[name] for name in wanted})
        compiled = compile_agent(agent, plugins, self._kube_version, images)
        self.findings += agent_findings(compiled, images)
        overlays = {"": operator_overlay(agent, DEFAULT), PLATFORM: operator_overlay(agent, PLATFORM)}
        self.findings += config_findings(compiled.configured, operator_config(agent), overlays)
        self.findings += image_findings(
            compiled, self._images.locked, self._images.current, operator_defaults(agent)
        )
        self.findings += _unasked(compiled.rendered, self._images.unasked)
        self.findings += secret_findings(compiled, self._secrets)
        return AgentOutcome(_ref(agent), compiled)

    def _lost_pins(self, agent: PlatformAgent, selected: Sequence[AgentPlugin]) -> Iterator[Diagnostic]:
        """What is wrong with the agent's lock where it may pin a tag that no other lock pins."""
        damage = self._images.damaged.get(_ref(agent))
        tags = [plugin.image for plugin in selected if "@" not in plugin.image]
        if damage is not None and any(tag not in self._images.locked for tag in tags):
            yield damage


def _unasked(plugins: Sequence[AgentPlugin], failures: Mapping[str, ArtifactFailure]) -> Iterator[Diagnostic]:
    """Images that are taken by their digest alone."""
    for plugin in plugins:
        if (failure := failures.get(plugin.image)) is not None:
            message = f"{failure.message}; its digest stands, and whether it can be pulled is not known"
            yield _of_image(plugin, failure, message, Severity.WARNING)


def _of_image(plugin: AgentPlugin, failure: ArtifactFailure, message: str, severity: Severity) -> Diagnostic:
    return plugin.document.fault(
        failure.reason, ("spec", "image"), message, hint=failure.hint, severity=severity
    )


def _answers(found: Mapping[str, ImageOutcome]) -> dict[str, PluginImage | PullFailure]:
    return {name: image for name, image in found.items() if not isinstance(image, ArtifactFailure)}


def _ref(agent: PlatformAgent) -> PlatformAgentRef:
    return PlatformAgentRef(agent.namespace, agent.name)


def _faults(plugins: Sequence[AgentPlugin], images: Mapping[str, ImageOutcome]) -> Iterator[Diagnostic]:
    """Images of which nobody can say whether a registry has them."""
    for plugin in plugins:
        found = images.get(plugin.image)
        if isinstance(found, ArtifactFailure):
            yield _of_image(plugin, found, found.message, Severity.ERROR)


def _blocked(documents: Sequence[Document], inventory: Inventory, *, unread: bool) -> set[PlatformAgentRef]:
    """Agents that are not valid themselves, or may have a plugin that is not."""
    known = {*map(_ref, inventory.platform_agents.values())}
    own = {
        PlatformAgentRef(namespace, name)
        for kind, namespace, name in inventory.broken
        if kind == "PlatformAgent"
    }
    if unread:
        return own | known
    for document in documents:
        if _is_broken_plugin(document, inventory):
            own |= {agent for agent in known if _may_name(document, agent)}
    return own


def _is_broken_plugin(document: Document, inventory: Inventory) -> bool:
    """Whether a document was to be a plugin and is none."""
    ref = document.ref
    return _is_meant_as(document, "AgentPlugin") and (ref.namespace, ref.name) not in inventory.agent_plugins


def _is_unnamed_agent(document: Document, there: Collection[tuple[str, str]]) -> bool:
    """Whether a document was to be an agent and is none of those that are known, valid or not."""
    ref = document.ref
    return _is_meant_as(document, "PlatformAgent") and (ref.namespace, ref.name) not in there


def _is_meant_as(document: Document, kind: str) -> bool:
    ref = document.ref
    return ref.group == GROUP and (meant_kind(ref.group, ref.kind) or ref.kind) == kind


def _may_name(document: Document, agent: PlatformAgentRef) -> bool:
    """Whether a plugin that could not be decoded names an agent, as far as it says anything readable."""
    spec, namespace = document.value.get("spec"), document.ref.namespace
    name = spec.get("agentRef") if isinstance(spec, dict) else None
    named = not namespace or namespace == agent.namespace
    return named and (not isinstance(name, str) or name == agent.name)
