"""Hub values as plain data and back, so that a valid object need not be validated again."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api import hub, kubeagents

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_render.source.document import Document

_RESOURCES: Final = (
    *(hub.Harness, hub.AgentTemplate, hub.ModelConfig, hub.McpServer, hub.ConfigMap),
    *(kubeagents.AgentPlugin, kubeagents.PlatformAgent),
)
_PARTS: Final = (
    hub.LabelRequirement,
    hub.LabelSelector,
    hub.SecretKeyRef,
    hub.EnvEntry,
    hub.OciSource,
    hub.GitSource,
    hub.S3Source,
    hub.ArtifactSource,
    hub.McpBinding,
    hub.AgentBinding,
    hub.ConfigMapKeyRef,
    hub.PromptSource,
    hub.Skill,
    hub.PluginBundle,
    hub.Header,
    hub.Tls,
    kubeagents.EnvVar,
    kubeagents.Limits,
    kubeagents.GoogleChat,
    kubeagents.Slack,
)
_ENUMS: Final = (hub.Variant, hub.Isolation, hub.McpProtocol)
_PLAIN: Final = (str, bool, int, float, dict, type(None))

_RESOURCE_NAMED: Final = {kind.__name__: kind for kind in _RESOURCES}
_MAKERS: Final[dict[str, Callable[..., Any]]] = {
    "tuple": lambda *items: items,
    "frozenset": lambda *items: frozenset(items),
    "dict": lambda *items: dict(items),
    **{kind.__name__: kind for kind in (*_PARTS, *_ENUMS)},
}
_FIELDS: Final = {
    kind: tuple(field.name for field in dataclasses.fields(kind)) for kind in (*_RESOURCES, *_PARTS)
}
_SOURCED: Final = ("ref", "document")


def plain_form(resource: hub.Resource) -> list[Any]:
    """A resource without its document as JSON knows values; raises TypeError for a Secret."""
    kind = type(resource)
    if kind not in _RESOURCES or resource.ref != resource.document.ref:
        raise TypeError(f"a {kind.__name__} of another name than its document's has no plain form")
    names = (name for name in _FIELDS[kind] if name not in _SOURCED)
    return [kind.__name__, *(_plain(getattr(resource, name)) for name in names)]


def from_plain_form(value: list[Any], document: Document) -> hub.Resource:
    """The resource of `document` that `plain_form` was given."""
    name, spec, *fields = value
    return _RESOURCE_NAMED[name](document.ref, spec, document, *map(_made, fields))


def _plain(value: Any) -> Any:
    """A list leads with what it stands for; a mapping is plain already unless it has parts for values."""
    kind = type(value)
    if kind is dict and any(type(item) in _FIELDS for item in value.values()):
        return ["dict", *map(_plain, value.items())]
    if kind in _PLAIN:
        return value
    if kind is tuple:
        return ["tuple", *map(_plain, value)]
    if kind is frozenset:
        return ["frozenset", *map(_plain, sorted(value))]
    if kind in _ENUMS:
        return [kind.__name__, value.value]
    return [kind.__name__, *(_plain(getattr(value, name)) for name in _FIELDS[kind])]


def _made(value: Any) -> Any:
    return _MAKERS[value[0]](*map(_made, value[1:])) if type(value) is list else value
