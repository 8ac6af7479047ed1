"""From documents to hub values: the kind picks a dialect, the dialect tells what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api import core
from kagent_render.api.hub import (
    AgentTemplate,
    ConfigMap,
    Harness,
    Inventory,
    McpServer,
    ModelConfig,
    Resource,
    Secret,
)
from kagent_render.api.identity import identity_faults
from kagent_render.api.kinds import DIALECTS, Dialect, api_versions
from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.objects import meant_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
    from kagent_render.source.document import Document

_CORE: Final[dict[tuple[str, str], Callable[[Document], ConfigMap | Secret | list[Diagnostic]]]] = {
    ("", "ConfigMap"): core.config_map,
    ("", "Secret"): core.secret,
    ("external-secrets.io", "ExternalSecret"): core.external_secret,
    ("bitnami.com", "SealedSecret"): core.sealed_secret,
}


@dataclass(frozen=True, slots=True)
class Decoded:
    """What one document gives: a value, nothing for a foreign kind, or faults.

    `foreign` faults are told only where something refers to the object.
    """

    document: Document
    resource: Resource | None
    diagnostics: list[Diagnostic] = field(default_factory=list)
    foreign: bool = False


def decode_document(document: Document) -> Decoded:
    """What one document gives."""
    ref = document.ref
    read = _CORE.get((ref.group, ref.kind))
    if read is not None:
        return _decode_core(document, read)
    dialect = DIALECTS.get((ref.api_version, ref.kind))
    if dialect is not None:
        return _decode_own(document, dialect)
    supported = api_versions(ref.group, ref.kind)
    told = [_unsupported(document, supported)] if supported else _misspelt(document)
    return Decoded(document, None, told)


def known_as(document: Document, resource: Resource | None) -> Decoded:
    """What a document gives that is known to be valid and to give `resource`."""
    return Decoded(document, resource, foreign=isinstance(resource, ConfigMap | Secret))


def decode(
    documents: Sequence[Document], decode_one: Callable[[Document], Decoded] = decode_document
) -> tuple[Inventory, list[Diagnostic]]:
    """Every object of the kinds that are read, and what is wrong with the documents.

    `decode_one` may know what `decode_document` would give.

    An object that is broken or written twice is only in `Inventory.broken`; the faults of ConfigMaps and
    Secrets are in `Inventory.unreported`, for whoever meets a reference to one.
    """
    gathered = _Gathered()
    for document in documents:
        gathered.add(decode_one(document))
    return gathered.inventory(), gathered.diagnostics


def _decode_core(
    document: Document, read: Callable[[Document], ConfigMap | Secret | list[Diagnostic]]
) -> Decoded:
    if not document.ref.namespace or not document.ref.name:
        return Decoded(document, None)  # nothing can refer to it
    result = read(document)
    if isinstance(result, list):
        return Decoded(document, None, result, foreign=True)
    return Decoded(document, result, foreign=True)


def _decode_own(document: Document, dialect: Dialect) -> Decoded:
    from kagent_render.api.inspection import inspect  # pydantic loads with the first object of these kinds

    faults = list(
        identity_faults(document, any_name=not dialect.judges_name, annotations=dialect.reads_annotations)
    )
    spec, typed, found = inspect(document, dialect.model)
    if typed is None or faults:
        return Decoded(document, None, faults + found)
    return Decoded(document, dialect.convert(document, spec, typed), found)


def _misspelt(document: Document) -> list[Diagnostic]:
    """The fault of a kind that is nearly one of ours; any other kind is another program's."""
    meant = meant_kind(document.ref.group, document.ref.kind)
    if meant is None:
        return []
    message = f"unknown kind `{document.ref.kind}` in the group `{document.ref.group}`"
    return [document.fault(Reason.UNKNOWN_FIELD, ("kind",), message, hint=f"write `{meant}`")]


def _unsupported(document: Document, supported: list[str]) -> Diagnostic:
    listed = " or ".join(f"`{version}`" for version in supported)
    return document.fault(
        Reason.UNSUPPORTED_VERSION,
        ("apiVersion",),
        f"this version of `{document.ref.kind}` is not supported",
        hint=f"write the object as {listed}",
    )


Identity = tuple[str, str, str]


@dataclass(slots=True)
class _Gathered:
    """Decoded documents by identity, while they are gathered."""

    values: dict[Identity, Decoded] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    unreported: dict[Identity, list[Diagnostic]] = field(default_factory=dict)
    broken: set[Identity] = field(default_factory=set)

    def add(self, decoded: Decoded) -> None:
        if decoded.resource is None and not decoded.diagnostics:
            return
        identity = _identity(decoded)
        first = self.values.setdefault(identity, decoded)
        if decoded.resource is None:
            self.broken.add(identity)
        self._tell(identity, decoded.diagnostics, foreign=decoded.foreign)
        if first is not decoded and all(identity):
            self.broken.add(identity)
            self._tell(identity, [_duplicate(decoded.document, first.document)], foreign=decoded.foreign)

    def _tell(self, identity: Identity, diagnostics: list[Diagnostic], *, foreign: bool) -> None:
        if foreign and diagnostics:
            self.unreported.setdefault(identity, []).extend(diagnostics)
        else:
            self.diagnostics.extend(diagnostics)

    def inventory(self) -> Inventory:
        whole = [
            item.resource for key, item in self.values.items() if key not in self.broken and item.resource
        ]
        return Inventory(
            harnesses={(x.namespace, x.name): x for x in whole if isinstance(x, Harness)},
            templates={(x.namespace, x.name): x for x in whole if isinstance(x, AgentTemplate)},
            model_configs={(x.namespace, x.name): x for x in whole if isinstance(x, ModelConfig)},
            mcp_servers={(x.ref.kind, x.namespace, x.name): x for x in whole if isinstance(x, McpServer)},
            config_maps={(x.namespace, x.name): x for x in whole if isinstance(x, ConfigMap)},
            secrets=_secrets([x for x in whole if isinstance(x, Secret)]),
            agent_plugins={(x.namespace, x.name): x for x in whole if isinstance(x, AgentPlugin)},
            platform_agents={(x.namespace, x.name): x for x in whole if isinstance(x, PlatformAgent)},
            broken=frozenset(key for key in self.broken if all(key)),
            unreported={key: tuple(faults) for key, faults in self.unreported.items()},
        )


def _identity(decoded: Decoded) -> Identity:
    """The kind, namespace and name; a Secret's are those of the resource that makes it."""
    ref = decoded.document.ref
    return ref.kind, ref.namespace or "", ref.name or ""


def _secrets(secrets: list[Secret]) -> dict[tuple[str, str], Secret]:
    """Secrets by the name that they end up with; several sources of one Secret add their keys."""
    merged: dict[tuple[str, str], Secret] = {}
    for item in secrets:
        key = (item.namespace, item.name)
        first = merged.get(key)
        merged[key] = item if first is None else _with_keys(first, first.keys | item.keys)
    return merged


def _with_keys(secret: Secret, keys: frozenset[str]) -> Secret:
    spec: dict[str, Any] = {"keys": sorted(keys)}
    return Secret(secret.ref, spec, secret.document, keys=keys)


def _duplicate(document: Document, first: Document) -> Diagnostic:
    name: FieldPath = ("metadata", "name")
    ref, here, there = document.ref, document.position(name), first.position(name)
    return document.fault(
        Reason.DUPLICATE_OBJECT,
        name,
        f"{ref.kind} `{ref.namespace}/{ref.name}` is defined twice: at {there} and at {here}",
        hint="remove or rename one of the two",
    )
