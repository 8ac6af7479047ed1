"""The output folder of one PlatformAgent: a kustomize Component, a report of statuses, and the lock."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin.compiled import UPSTREAM
from kagent_render.agentplugin.gateway import gateway_patch
from kagent_render.agentplugin.lock_document import dump_lock
from kagent_render.agentplugin.status_report import status_report
from kagent_render.emit.layout import KUSTOMIZATION, LOCK
from kagent_render.emit.plan import HEADER
from kagent_render.revision.canonical_yaml import dump
from kagent_render.target.flux import without_substitution

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent
    from kagent_render.agentplugin.lock import AgentLock

CONFIG_MAP: Final = "configmap.yaml"
GATEWAY: Final = "gateway.yaml"
STATUS: Final = "status.yaml"

_SPECIAL: Final = re.compile(r"[^-a-zA-Z0-9]")


def component_files(compiled: CompiledAgent) -> dict[str, bytes]:
    """The files that the agent's lock has the digests of, by name; the same values give the same bytes."""
    texts = {
        CONFIG_MAP: dump(_config_map_patch(compiled)),
        GATEWAY: dump(gateway_patch(compiled)),
        STATUS: dump(status_report(compiled, UPSTREAM)),
    }
    return {name: text.encode() for name, text in texts.items()}


def agent_files(compiled: CompiledAgent, files: Mapping[str, bytes], lock: AgentLock) -> dict[str, bytes]:
    """Every file of the agent's folder by its name: `files` with the kustomization and the lock."""
    texts = {KUSTOMIZATION: _kustomization_text(compiled, lock.upstream), LOCK: dump_lock(lock)}
    return {**files, **{name: text.encode() for name, text in texts.items()}}


def _kustomization_text(compiled: CompiledAgent, upstream: str) -> str:
    agent = compiled.agent
    return (
        f"{HEADER}"
        f"# What the operator of {upstream} makes of\n"
        f"# PlatformAgent {agent.namespace}/{agent.name} and its plugins.\n"
        "# Where that operator reconciles the agent, this is a preview of what it does.\n"
        f"{dump(_component(compiled))}"
    )


def _component(compiled: CompiledAgent) -> dict[str, Any]:
    return {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "patches": [
            {
                "path": CONFIG_MAP,
                "target": {"version": "v1", "kind": "ConfigMap", **_selected(compiled, "config")},
            },
            {
                "path": GATEWAY,
                "target": {
                    "group": "apps",
                    "version": "v1",
                    "kind": "Deployment|StatefulSet",  # the operator runs either
                    **_selected(compiled, "gateway"),
                },
            },
        ],
    }


def _selected(compiled: CompiledAgent, suffix: str) -> dict[str, str]:
    """Name and namespace of a target, which kustomize reads as anchored regular expressions.

    An object whose namespace a kustomization sets later has none when it is patched: kustomize selects it
    under `default`.
    """
    namespaces = dict.fromkeys((_literal(compiled.agent.namespace), "default"))
    return {"name": _literal(f"{compiled.agent.name}-{suffix}"), "namespace": "|".join(namespaces)}


def _literal(name: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", name)


def _config_map_patch(compiled: CompiledAgent) -> dict[str, Any]:
    """The plugins' keys only: the others of the operator stay."""
    annotations = without_substitution(compiled.data.values())
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": f"{compiled.agent.name}-config",
            **({"annotations": annotations} if annotations else {}),
        },
        "data": dict(sorted(compiled.data.items())),
    }
