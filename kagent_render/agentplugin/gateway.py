"""The patch of an agent's workload: the plugins' volumes, mounts and variables, and the restart trigger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin.config_map import CONFIG_HASH_ANNOTATION
from kagent_render.target.flux import without_substitution

if TYPE_CHECKING:
    from kagent_render.agentplugin.compiled import CompiledAgent, PluginVolume
    from kagent_render.api.kubeagents import EnvVar

CONTAINER: Final = "platform-agent"
"""The one container that plugins reach."""


def gateway_patch(compiled: CompiledAgent) -> dict[str, Any]:
    """A strategic merge patch for the Deployment or StatefulSet `<agent>-gateway`.

    Lists merge by name, mounts by path, so that what the operator put there stays. kustomize places the
    entries of a patch first: a plugin's `$(NAME)` for a variable of the operator is not expanded there, as it
    is where the operator appends the plugin's.
    """
    template = {**_metadata(compiled), **_pod(compiled)}
    annotations = without_substitution(entry.variable.value or "" for entry in compiled.env)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": f"{compiled.agent.name}-gateway",
            **({"annotations": annotations} if annotations else {}),
        },
        **({"spec": {"template": template}} if template else {}),
    }


def _metadata(compiled: CompiledAgent) -> dict[str, Any]:
    """The annotation, unless the agent sets its own, which wins."""
    if CONFIG_HASH_ANNOTATION in compiled.agent.pod_annotations:
        return {}
    return {"metadata": {"annotations": {CONFIG_HASH_ANNOTATION: compiled.config_hash}}}


def _pod(compiled: CompiledAgent) -> dict[str, Any]:
    env = [_variable(entry.variable) for entry in compiled.env]
    mounts = [{"name": volume.name, "mountPath": volume.mount_path} for volume in compiled.volumes]
    container = _filled(env=env, volumeMounts=mounts)
    pod = _filled(
        containers=[{"name": CONTAINER, **container}] if container else [],
        volumes=[_volume(volume) for volume in compiled.volumes],
    )
    return {"spec": pod} if pod else {}


def _filled(**lists: list[Any]) -> dict[str, list[Any]]:
    return {name: items for name, items in lists.items() if items}


def _volume(volume: PluginVolume) -> dict[str, Any]:
    reference = {"reference": volume.reference} if volume.reference else {}
    return {"name": volume.name, "image": {**reference, "pullPolicy": volume.pull_policy}}


def _variable(variable: EnvVar) -> dict[str, Any]:
    """A variable that replaces the operator's of the same name wholly, whatever that had.

    The null removes what must not remain beside the value or the source. kustomize passes over a
    `$patch: replace` of the list item itself.
    """
    source = variable.source
    return {
        "name": variable.name,
        "value": variable.value,
        "valueFrom": None if source is None else {"$patch": "replace", **source},
    }
