"""ActorTemplates as the renderer would write them for other content."""

from __future__ import annotations

from typing import Any

from kagent_render.revision.canonical_json import canonical
from kagent_render.target.actor_template import identity_hash
from tests.apply.cluster.objects import NAMESPACE, actor_template


def variant(namespace: str = NAMESPACE, digit: str = "1") -> dict[str, Any]:
    """The coordinator with another image, named as it has to be."""
    value = actor_template(namespace)
    labels, spec = value["metadata"]["labels"], value["spec"]
    spec["containers"][0]["image"] = "registry.example.com/agent-runtime@sha256:" + digit * 64
    harness, template = labels["kagent.dev/harness"], labels["kagent.dev/agent-template"]
    made = identity_hash(namespace, harness, template, "", canonical(spec))
    value["metadata"]["name"] = f"{template}-{harness}-{made}"
    labels["kagent.dev/revision"] = made
    return value
