"""An agent's lock that uses every field, for tests."""

from __future__ import annotations

from kagent_render.agentplugin.compiled import UPSTREAM
from kagent_render.agentplugin.images import PluginImage, PluginManifest
from kagent_render.agentplugin.lock import AgentLock, LockedAgent, LockedImageVolumes, LockedPlugin
from kagent_render.agentplugin.lock_document import seal
from kagent_render.api.kubeagents import GROUP, IMAGE_VOLUMES_ANNOTATION
from kagent_render.revision.canonical_json import digest, text_digest
from kagent_render.revision.lock_document import field_digests

AGENT_SPEC = {"harness": {"clusterName": "c"}, "deployment": {"replicas": 1}}
PLUGIN_SPEC = {"agentRef": "platform-agent", "image": "registry.example.com/p:v1", "config": "a: 1\n"}
MANIFEST = PluginManifest("pubsub", "1.10", ("zeta", "alpha"), ("TOKEN",))


def full_lock() -> AgentLock:
    """A lock in which every list and every optional field is used, out of order."""
    return seal(
        AgentLock(
            namespace="team",
            upstream=UPSTREAM,
            agent=LockedAgent(
                api_version=f"{GROUP}/v1alpha1",
                name="platform-agent",
                spec_digest=digest(AGENT_SPEC),
                fields=field_digests(AGENT_SPEC),
                annotations={IMAGE_VOLUMES_ANNOTATION: "true"},
            ),
            image_volumes=LockedImageVolumes(True, "kubeVersion", "1.35"),
            plugins=(
                plugin(
                    "stockout", profile="platform", image=image("stockout", note="its layers are private")
                ),
                plugin("pubsub", image=image("pubsub", manifest=MANIFEST)),
                plugin("my-plugin", phase="Degraded", reason="InvalidPluginName"),
            ),
            config={
                "profile-default.overlay.yaml": text_digest("o"),
                "managed.env": text_digest(""),
                "managed-config.yaml": text_digest("m"),
            },
            config_hash="0e" * 32,
            files={"status.yaml": text_digest("s"), "configmap.yaml": text_digest("c")},
        )
    )


def plugin(
    name: str,
    phase: str = "Ready",
    reason: str = "Applied",
    profile: str = "",
    image: PluginImage | None = None,
) -> LockedPlugin:
    """A plugin of the lock."""
    return LockedPlugin(
        name=name,
        api_version=f"{GROUP}/v1alpha1",
        spec_digest=digest(PLUGIN_SPEC),
        fields=field_digests(PLUGIN_SPEC),
        config_digest=text_digest("a: 1\n"),
        phase=phase,
        reason=reason,
        profile=profile,
        image=image,
    )


def image(name: str, manifest: PluginManifest | None = None, note: str = "") -> PluginImage:
    """A resolved image."""
    return PluginImage(f"registry.example.com/{name}:v1", digest(name), manifest, note)
