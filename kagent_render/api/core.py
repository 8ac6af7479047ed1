"""ConfigMaps, and the key names of Secrets and of the resources that make Secrets.

These kinds are not ours, so that a fault in one is told only where something refers to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import ConfigMap, Secret
from kagent_render.diagnostics.diagnostic import ObjectRef
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
    from kagent_render.source.document import Document


def config_map(document: Document) -> ConfigMap | list[Diagnostic]:
    """The ConfigMap of `document`, or what is wrong with it."""
    data, binary = _mapping(document, "data"), _mapping(document, "binaryData")
    faults = _not_text(document, ("data",), data) + _not_text(document, ("binaryData",), binary)
    if faults or data is None or binary is None:
        return faults
    return ConfigMap(document.ref, {"data": data}, document, data=data, binary=frozenset(binary))


def secret(document: Document) -> Secret | list[Diagnostic]:
    """The Secret of `document` by its key names, or what is wrong with it; values are never looked at."""
    data, text = _mapping(document, "data"), _mapping(document, "stringData")
    faults = _not_mapping(document, ("data",), data) + _not_mapping(document, ("stringData",), text)
    if data is None or text is None:
        return faults
    return _secret(document, document.ref, {*data, *text})


def external_secret(document: Document) -> Secret | list[Diagnostic]:
    """The Secret that an ExternalSecret makes; nothing where its keys are known to the provider alone.

    The keys of `target.template.data` replace the fetched ones unless its `mergePolicy` is `Merge`.
    """
    spec = _below(document.value, "spec")
    target = _below(spec, "target")
    template = _below(target, "template")
    if spec.get("dataFrom") or template.get("templateFrom"):
        return []
    fetched = {
        item["secretKey"]
        for item in spec.get("data") or ()
        if isinstance(item, dict) and isinstance(item.get("secretKey"), str)
    }
    written = set(_below(template, "data"))
    keys = written if written and template.get("mergePolicy") != "Merge" else fetched | written
    return _secret(document, _renamed(document.ref, target.get("name"), None), keys)


def sealed_secret(document: Document) -> Secret:
    """The Secret that a SealedSecret makes, under the name and namespace of its template."""
    spec = _below(document.value, "spec")
    template = _below(spec, "template")
    metadata = _below(template, "metadata")
    keys = {*_below(spec, "encryptedData"), *_below(template, "data")}
    ref = _renamed(document.ref, metadata.get("name"), metadata.get("namespace"))
    return _secret(document, ref, keys)


def _secret(document: Document, ref: ObjectRef, keys: set[str]) -> Secret:
    return Secret(ref, {"keys": sorted(keys)}, document, keys=frozenset(keys))


def _renamed(ref: ObjectRef, name: Any, namespace: Any) -> ObjectRef:
    return ObjectRef(
        ref.api_version,
        ref.kind,
        namespace if isinstance(namespace, str) and namespace else ref.namespace,
        name if isinstance(name, str) and name else ref.name,
    )


def _below(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    below = value.get(key)
    return below if isinstance(below, dict) else {}


def _mapping(document: Document, key: str) -> dict[str, Any] | None:
    """The object at `key`, empty where absent; None where something else stands there."""
    value = document.value.get(key)
    if value is None:
        return {}
    return value if isinstance(value, dict) else None


def _not_mapping(document: Document, field: FieldPath, value: object) -> list[Diagnostic]:
    if value is not None:
        return []
    message = f"`{field[-1]}` must be an object"
    return [
        document.fault(Reason.INVALID_SPEC, field, message, hint="write one line per key", sensitive=True)
    ]


def _not_text(document: Document, field: FieldPath, value: Mapping[str, Any] | None) -> list[Diagnostic]:
    if value is None:
        return _not_mapping(document, field, value)
    message = "a ConfigMap's values must be strings"
    return [
        document.fault(Reason.INVALID_SPEC, (*field, key), message, hint="write the value in quotes")
        for key, item in value.items()
        if not isinstance(item, str)
    ]
