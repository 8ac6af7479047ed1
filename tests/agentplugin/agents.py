"""PlatformAgents and plugins by hand, each with a manifest that its positions point into."""

from __future__ import annotations

from typing import Any

import yaml

from kagent_render.agentplugin.compilation import compile_agent
from kagent_render.agentplugin.compiled import CompiledAgent
from kagent_render.agentplugin.images import PluginImage, PullFailure
from kagent_render.api.kubeagents import GROUP, AgentPlugin, EnvVar, PlatformAgent
from kagent_render.source.document import Document
from tests.manifests import documents

NAMESPACE = "kubeagents-system"
AGENT = "platform-agent"
DIGEST = "sha256:" + "a" * 64

Images = dict[str, PluginImage | PullFailure]


def agent(name: str = AGENT, namespace: str = NAMESPACE, **values: Any) -> PlatformAgent:
    """A PlatformAgent with hub values as they are given."""
    annotations = values.get("pod_annotations", {})
    spec = {"deployment": {"podAnnotations": dict(annotations)}}
    document = _document("PlatformAgent", name, namespace, spec)
    return PlatformAgent(document.ref, document.value["spec"], document, **values)


def plugin(name: str, of: str = AGENT, namespace: str = NAMESPACE, **values: Any) -> AgentPlugin:
    """A plugin whose image is `registry.example.com/<name>:v1` where none is given."""
    image = values.pop("image", f"registry.example.com/{name}:v1")
    spec = {"agentRef": of, "image": image, "env": [_entry(entry) for entry in values.get("env", ())]}
    if values.get("profile"):
        spec["targetProfile"] = values["profile"]
    document = _document("AgentPlugin", name, namespace, spec)
    return AgentPlugin(document.ref, document.value["spec"], document, agent=of, image=image, **values)


def variables(**values: str) -> tuple[EnvVar, ...]:
    """Literal variables in the order given."""
    return tuple(EnvVar(name, value) for name, value in values.items())


def image(of: AgentPlugin, digest: str = DIGEST) -> Images:
    """What is known of a plugin's image."""
    return {of.image: PluginImage(of.image, digest)}


def compiled(
    *plugins: AgentPlugin,
    of: PlatformAgent | None = None,
    kube_version: str | None = "1.35",
    images: Images | None = None,
) -> CompiledAgent:
    """The agent compiled with `plugins`, on a cluster that has image volumes unless it is said otherwise."""
    return compile_agent(of or agent(), plugins, kube_version, images or {})


def overlay(made: CompiledAgent, profile: str) -> Any:
    """What a profile's overlay says; None where there is none."""
    text = made.data.get(f"profile-{profile}.overlay.yaml")
    return None if text is None else yaml.safe_load(text)


def managed(made: CompiledAgent) -> Any:
    """What the managed configuration says."""
    return yaml.safe_load(made.data["managed-config.yaml"])


def _document(kind: str, name: str, namespace: str, spec: Any) -> Document:
    metadata = {"namespace": namespace, "name": name}
    value = {"apiVersion": f"{GROUP}/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}
    return documents(yaml.safe_dump(value, sort_keys=False))[0]


def _entry(entry: EnvVar) -> dict[str, Any]:
    return {"name": entry.name, "value": entry.value, "valueFrom": entry.source}
