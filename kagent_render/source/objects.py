"""Which objects of a YAML stream are input."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kagent_render.source.document import Document
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.source.document import Locator
    from kagent_render.source.yaml import YAMLDocument

OWN_KINDS: Final = frozenset(
    (
        *(
            ("kagent.dev", kind)
            for kind in ("Harness", "AgentTemplate", "ModelConfig", "RemoteMCPServer", "MCPServer")
        ),
        *(("kubeagents.x-k8s.io", kind) for kind in ("AgentPlugin", "PlatformAgent")),
        ("render.kagent.dev", "CapabilityRecord"),
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

_OWN_GROUPS: Final = frozenset(group for group, _ in OWN_KINDS)
_LONGEST_KIND: Final = 63
_CLOSE: Final = 0.85
_LIST_GROUPS: Final = frozenset(("", "kagent.dev", "kubeagents.x-k8s.io"))


def read_objects(path: str, data: bytes) -> list[Document]:
    """The objects of all documents of a file, in order; raises YAMLInvalidError."""
    return [found for document in read_yaml(data) for found in input_objects(path, document)]


def input_objects(path: str, document: YAMLDocument) -> Iterator[Document]:
    """The objects of one YAML document, Lists unwrapped, that are of a kind we read."""
    return _unwrap(path, document.value, document.locator, ())


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
    elif _is_input(group, kind) and (group or version == "v1"):
        yield Document(path, value, locator, prefix)


def meant_kind(group: str, kind: str) -> str | None:
    """The kind of ours that a misspelt `kind` was meant to be; other kinds of our groups are not ours."""
    if len(kind) > _LONGEST_KIND or (group, kind) in OWN_KINDS:
        return None
    known = sorted(own for own_group, own in OWN_KINDS if own_group == group)
    return next(iter(difflib.get_close_matches(kind, known, n=1, cutoff=_CLOSE)), None)


def _is_input(group: str, kind: str) -> bool:
    if (group, kind) in OWN_KINDS or (group, kind) in SUPPORTING_KINDS:
        return True
    return group in _OWN_GROUPS and meant_kind(group, kind) is not None
