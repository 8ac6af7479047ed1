"""Which objects of a YAML stream are input, and what is wrong with their identity."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath, ObjectRef
    from kagent_render.source.document import Locator
    from kagent_render.source.yaml import YAMLDocument

OWN_KINDS: Final = frozenset(
    (
        *(
            ("kagent.dev", kind)
            for kind in ("Harness", "AgentTemplate", "ModelConfig", "RemoteMCPServer", "MCPServer")
        ),
        *(("kubeagents.x-k8s.io", kind) for kind in ("AgentPlugin", "PlatformAgent")),
        ("render.kagent.dev", "InUse"),
    )
)
"""Group and kind of what is ours to judge."""

SUPPORTING_KINDS: Final = frozenset(
    (
        ("", "ConfigMap"),
        ("", "Secret"),
        ("external-secrets.io", "ExternalSecret"),
        ("bitnami.com", "SealedSecret"),
    )
)
"""Group and kind of what our own objects refer to; other programs' input may look like it."""

_LIST_GROUPS: Final = frozenset(("", "kagent.dev", "kubeagents.x-k8s.io"))
_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_NAMESPACE: Final = re.compile(_LABEL)
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_LONGEST_NAME: Final = 253


def input_objects(path: str, document: YAMLDocument) -> Iterator[Document]:
    """The objects of one YAML document, Lists unwrapped, that are of a kind we read."""
    return _unwrap(path, document.value, document.locator, ())


def is_own(ref: ObjectRef) -> bool:
    """Whether the object is of a kind that is ours to judge."""
    return (ref.group, ref.kind) in OWN_KINDS


def identity_faults(document: Document) -> Iterator[Diagnostic]:
    """What is wrong with the name and namespace of one of our own objects (`InvalidSpec`)."""
    metadata = document.value.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        yield document.fault(Reason.INVALID_SPEC, ("metadata",), "`metadata` must be a mapping")
        return
    values: dict[str, Any] = metadata or {}
    yield from _name_faults(document, "name", values.get("name"))
    yield from _name_faults(document, "namespace", values.get("namespace"))


def has_identity(ref: ObjectRef) -> bool:
    """Whether name and namespace are both there and well-formed."""
    return (
        ref.name is not None
        and ref.namespace is not None
        and _is_name(ref.name)
        and _NAMESPACE.fullmatch(ref.namespace) is not None
    )


def _unwrap(path: str, value: object, locator: Locator, prefix: FieldPath) -> Iterator[Document]:
    if not isinstance(value, dict):
        return
    version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return
    group = version.rpartition("/")[0]
    items = value.get("items")
    if kind.endswith("List") and group in _LIST_GROUPS and isinstance(items, list):
        for at, item in enumerate(items):
            yield from _unwrap(path, item, locator, (*prefix, "items", at))
    elif ((group, kind) in OWN_KINDS or (group, kind) in SUPPORTING_KINDS) and (group or version == "v1"):
        yield Document(path, value, locator, prefix)


def _name_faults(document: Document, key: str, value: object) -> Iterator[Diagnostic]:
    field = ("metadata", key)
    if value is None or value == "":
        message, hint = f"`metadata.{key}` is missing", f"set `metadata.{key}`"
    elif not isinstance(value, str):
        message, hint = f"`metadata.{key}` is not text", "write the value in quotes"
    elif not (_is_name(value) if key == "name" else _NAMESPACE.fullmatch(value)):
        message = f"`metadata.{key}` is not a valid Kubernetes name"
        hint = "use lower-case letters, digits and `-`, with a letter or digit at both ends"
    else:
        return
    yield document.fault(Reason.INVALID_SPEC, field, message, hint=hint)


def _is_name(text: str) -> bool:
    return len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) is not None
