"""CustomResourceDefinitions of the kinds that are ours to define, from their models.

A resource without a conversion webhook has one schema: an API server changes nothing but `apiVersion` between
two versions, and drops what the stored one does not know. So one version is served and stored, and any other
is listed with its schema and not served.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api import status
from kagent_render.api.kinds import DIALECTS, api_versions
from kagent_render.api.kubeagents import GROUP as KUBEAGENTS
from kagent_render.api.model_schema import Schema
from kagent_render.api.structural import structural_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.api.schema import Block

_READY: Final = {
    "jsonPath": ".status.conditions[?(@.type=='Ready')].status",
    "name": "Ready",
    "type": "string",
}
_AGE: Final = {"jsonPath": ".metadata.creationTimestamp", "name": "Age", "type": "date"}

PLUGIN_NAME: Final = "^[a-z][a-z0-9]*$"
LONGEST_PLUGIN_NAME: Final = 56
"""What the operator can make a folder, a module and a volume of."""

_PLUGIN_NAME_RULES: Final = (
    {
        "message": "the name of an AgentPlugin must be lower-case letters and digits after a letter",
        "rule": f"self.metadata.name.matches('{PLUGIN_NAME}')",
    },
    {
        "message": f"the name of an AgentPlugin must have at most {LONGEST_PLUGIN_NAME} characters",
        "rule": f"self.metadata.name.size() <= {LONGEST_PLUGIN_NAME}",
    },
)

OWNERSHIP: Final[Mapping[str, str]] = {
    # Who deletes the definition of a resource deletes its objects.
    "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
    # Flux makes what is missing, and leaves alone what someone else made.
    "kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent",
}
"""Annotations that keep GitOps tools from removing a definition, and Flux from replacing one."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What a CustomResourceDefinition says beside the schema of `spec`."""

    group: str
    plural: str
    description: str
    status: type[Block]
    categories: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    columns: tuple[Mapping[str, str], ...] = (_AGE,)
    rules: tuple[Mapping[str, str], ...] = ()
    requires_spec: bool = True


DEFINITIONS: Final[Mapping[str, Definition]] = {
    "AgentPlugin": Definition(
        KUBEAGENTS,
        "agentplugins",
        "An extension of one PlatformAgent, delivered as an image.",
        status.AgentPluginStatus,
        short_names=("ap",),
        columns=(
            {"jsonPath": ".spec.targetProfile", "name": "Profile", "type": "string"},
            {"jsonPath": ".status.phase", "name": "Phase", "type": "string"},
            _AGE,
        ),
        rules=_PLUGIN_NAME_RULES,
        requires_spec=False,
    ),
    "AgentTemplate": Definition(
        "kagent.dev",
        "agenttemplates",
        "What an agent is: its model, its prompt and its tools.",
        status.AgentTemplateStatus,
        categories=("kagent",),
    ),
    "Harness": Definition(
        "kagent.dev",
        "harnesses",
        "What runs agents: a runtime with its image and its infrastructure policy.",
        status.HarnessStatus,
        categories=("kagent",),
        columns=(_READY, _AGE),
    ),
}
"""The kinds that have a definition here, by name."""


def versions(kind: str) -> list[str]:
    """The versions of a kind, the newest first."""
    group = DEFINITIONS[kind].group
    return sorted((found.rpartition("/")[2] for found in api_versions(group, kind)), reverse=True)


def resource_definition(kind: str, served: str | None = None) -> Schema:
    """The CustomResourceDefinition of `kind` that serves and stores `served`, else the newest version."""
    definition, known = DEFINITIONS[kind], versions(kind)
    chosen = served if served in known else known[0]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"annotations": dict(OWNERSHIP), "name": f"{definition.plural}.{definition.group}"},
        "spec": {
            "group": definition.group,
            "names": _names(kind, definition),
            "scope": "Namespaced",
            "versions": [_version(kind, definition, name, served=name == chosen) for name in known],
        },
    }


def _names(kind: str, definition: Definition) -> Schema:
    return {
        **({"categories": [*definition.categories]} if definition.categories else {}),
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": definition.plural,
        **({"shortNames": [*definition.short_names]} if definition.short_names else {}),
        "singular": kind.lower(),
    }


def _version(kind: str, definition: Definition, name: str, *, served: bool) -> Schema:
    return {
        "additionalPrinterColumns": [dict(column) for column in definition.columns],
        "name": name,
        "schema": {"openAPIV3Schema": _object_schema(kind, definition, name)},
        "served": served,
        "storage": served,
        "subresources": {"status": {}},
    }


def _object_schema(kind: str, definition: Definition, version: str) -> Schema:
    spec = DIALECTS[f"{definition.group}/{version}", kind].model
    schema: dict[str, Any] = {
        "description": definition.description,
        "type": "object",
        "properties": {
            "apiVersion": {"description": "The version that the object is written in.", "type": "string"},
            "kind": {"description": "The kind of the object.", "type": "string"},
            "metadata": {"type": "object"},
            "spec": structural_schema(spec),
            "status": structural_schema(definition.status),
        },
    }
    if definition.requires_spec:
        schema["required"] = ["spec"]
    if definition.rules:
        schema["x-kubernetes-validations"] = [dict(rule) for rule in definition.rules]
    return schema
