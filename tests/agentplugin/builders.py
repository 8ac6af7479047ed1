"""Agents, plugins and what compiling them gives, as plain values for tests."""

from __future__ import annotations

from typing import Any

from kagent_render.agentplugin.compiled import (
    CompiledAgent,
    ImageVolumes,
    PluginStatus,
    PluginVariable,
    PluginVolume,
)
from kagent_render.agentplugin.images import PluginImage, PluginManifest
from kagent_render.api.kubeagents import GROUP, AgentPlugin, EnvVar, PlatformAgent
from kagent_render.api.sourced import Sourced
from kagent_render.diagnostics.diagnostic import ObjectRef
from kagent_render.revision.canonical_json import digest
from kagent_render.revision.spec_digest import SpecDigests
from kagent_render.source.document import Document
from kagent_render.source.yaml import read_yaml

NAMESPACE = "kubeagents-system"
AGENT = "platform-agent"
HASH = "0e" * 32
DATA = {"managed-config.yaml": "approvals:\n  cron_mode: approve\n", "managed.env": ""}


def sourced(kind: str, name: str, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
    """What every hub value has, for an object whose document does not matter."""
    document = read_yaml(b"{}\n")[0]
    return {
        "ref": ObjectRef(f"{GROUP}/v1alpha1", kind, namespace, name),
        "spec": spec,
        "document": Document("agents.yaml", document.value, document.locator),
    }


def platform_agent(name: str = AGENT, namespace: str = NAMESPACE, **fields: Any) -> PlatformAgent:
    """An agent whose spec tells `fields`."""
    return PlatformAgent(
        **sourced("PlatformAgent", name, namespace, {"harness": {"clusterName": "c"}}), **fields
    )


def agent_plugin(
    name: str, *env: EnvVar, image: str = "", namespace: str = NAMESPACE, **fields: Any
) -> AgentPlugin:
    """A plugin with an image of its own name."""
    image = image or f"registry.example.com/plugins/{name}:v1"
    spec = {"agentRef": AGENT, "image": image, **{key: str(value) for key, value in fields.items()}}
    return AgentPlugin(
        **sourced("AgentPlugin", name, namespace, spec), agent=AGENT, image=image, env=env, **fields
    )


def plugin_image(plugin: AgentPlugin, content: str = "1", **fields: Any) -> PluginImage:
    """The image of a plugin as a registry would have it."""
    manifest = PluginManifest(plugin.name, "1.10", ("pubsub",), ("TOKEN",))
    return PluginImage(plugin.image, digest(content), **{"manifest": manifest, **fields})


def compiled_agent(
    *plugins: AgentPlugin, agent: PlatformAgent | None = None, **changes: Any
) -> CompiledAgent:
    """An agent whose plugins are all Ready."""
    agent = agent or platform_agent()
    images = {plugin.image: plugin_image(plugin) for plugin in plugins}
    fields: dict[str, Any] = {
        "selected": plugins,
        "rendered": plugins,
        "image_volumes": ImageVolumes(True, "kubeVersion"),
        "data": DATA,
        "config_hash": HASH,
        "volumes": tuple(volume(plugin, images) for plugin in plugins),
        "env": tuple(
            PluginVariable(plugin, index, variable)
            for plugin in plugins
            for index, variable in enumerate(plugin.env)
        ),
        "statuses": tuple(ready(plugin) for plugin in plugins),
        "images": images,
    }
    return CompiledAgent(agent, **{**fields, **changes})


def volume(plugin: AgentPlugin, images: dict[str, PluginImage]) -> PluginVolume:
    """The volume of a plugin of the default profile, or of its own."""
    home = f"/opt/agent-plugins/{plugin.profile}" if plugin.profile else "/opt/data/plugins"
    reference = f"{plugin.image}@{images[plugin.image].digest}"
    policy = plugin.pull_policy or "IfNotPresent"
    return PluginVolume(plugin, f"plugin-{plugin.name}", reference, policy, f"{home}/{plugin.name}")


def ready(plugin: AgentPlugin, **changes: Any) -> PluginStatus:
    """The status of a plugin that is applied."""
    message = f"Plugin successfully applied to agent {plugin.agent}."
    fields = {"phase": "Ready", "reason": "Applied", "message": message, "target_agents": (plugin.agent,)}
    return PluginStatus(plugin, **{**fields, **changes})


def spec_digests(*objects: Sourced) -> SpecDigests:
    """The digests of the specs of `objects`."""
    return SpecDigests({found.ref: digest(found.spec) for found in objects})
