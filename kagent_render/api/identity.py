"""What every manifest needs before its spec is read: a name, a namespace and well-formed labels."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from kagent_render.api.names import is_dns_label, is_dns_subdomain, is_label_key, is_label_value
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.source.document import Document

_FIELDS: Final = ("apiVersion", "kind", "metadata", "spec", "status")
_LONGEST_GUESS: Final = 64


def identity_faults(
    document: Document, *, any_name: bool = False, annotations: bool = False
) -> Iterator[Diagnostic]:
    """What is wrong outside `spec` and `status`.

    With `any_name` every string but the empty one is a name; `annotations` are looked at on demand.
    """
    yield from _metadata_faults(document, any_name=any_name, annotations=annotations)
    for key in document.value:
        if key not in _FIELDS:
            hint = unknown_hint(key, _FIELDS)
            yield document.fault(Reason.UNKNOWN_FIELD, (key,), f"unknown field `{key}`", hint=hint)


METADATA_FIELDS: Final = (
    *("name", "namespace", "labels", "annotations", "generateName", "finalizers", "ownerReferences"),
    *("uid", "generation", "resourceVersion", "creationTimestamp", "deletionTimestamp"),
    *("deletionGracePeriodSeconds", "managedFields", "selfLink"),
)
"""The fields of an object's metadata (meta.k8s.io/v1 ObjectMeta)."""


def meant(key: str, known: Collection[str]) -> str | None:
    """Which of the `known` fields the unknown field `key` probably means: the nearest, or the only one."""
    if len(known) == 1:
        return next(iter(known))
    names = {name.lower(): name for name in known}
    near = difflib.get_close_matches(key.lower(), names, n=1) if len(key) <= _LONGEST_GUESS else []
    return names[near[0]] if near else None


def unknown_hint(key: str, known: Collection[str]) -> str:
    """What to do about the unknown field `key`."""
    if key in ("true", "false"):
        return "quote the key: YAML 1.1 reads a bare `y`, `n`, `yes`, `no`, `on` or `off` as a boolean"
    name = meant(key, known)
    return f"write `{name}`" if name else "remove the field"


def _metadata_faults(document: Document, *, any_name: bool, annotations: bool) -> Iterator[Diagnostic]:
    metadata = document.value.get("metadata")
    if not isinstance(metadata, dict) and metadata is not None:
        message, hint = "`metadata` must be an object", "set `metadata.name` and `metadata.namespace`"
        yield document.fault(Reason.INVALID_SPEC, ("metadata",), message, hint=hint)
        return
    metadata = metadata or {}
    for key in metadata:
        if key not in METADATA_FIELDS:
            message = f"unknown field `{key}`"
            hint = unknown_hint(key, METADATA_FIELDS)
            yield document.fault(Reason.UNKNOWN_FIELD, ("metadata", key), message, hint=hint)
    yield from _name_faults(document, "name", metadata.get("name"), bool if any_name else is_dns_subdomain)
    yield from _name_faults(document, "namespace", metadata.get("namespace"), is_dns_label)
    yield from _label_faults(document, metadata.get("labels"))
    if annotations:
        yield from _annotation_faults(document, metadata.get("annotations"))


def _name_faults(
    document: Document, key: str, value: object, valid: Callable[[str], bool]
) -> Iterator[Diagnostic]:
    if value is None or value == "":
        message, hint = f"`metadata.{key}` is required", f"set `metadata.{key}`"
    elif not isinstance(value, str):
        message, hint = f"`metadata.{key}` must be a string", "write the value in quotes"
    elif not valid(value):
        message = f"`metadata.{key}` is no valid Kubernetes name"
        hint = "use lower-case letters, digits and `-`, and begin and end with a letter or digit"
    else:
        return
    yield document.fault(Reason.INVALID_SPEC, ("metadata", key), message, hint=hint)


def _label_faults(document: Document, labels: object) -> Iterator[Diagnostic]:
    field = ("metadata", "labels")
    if labels is None:
        return
    if not isinstance(labels, dict):
        message, hint = "`metadata.labels` must be an object", "write one `key: value` line per label"
        yield document.fault(Reason.INVALID_SPEC, field, message, hint=hint)
        return
    for key, value in labels.items():
        if not isinstance(value, str):
            message, hint = "a label's value must be a string", "write the value in quotes"
        elif not is_label_key(key):
            message, hint = "the label's key is no valid Kubernetes label key", "shorten or respell the key"
        elif not is_label_value(value):
            message = "the label's value is no valid Kubernetes label value"
            hint = "use at most 63 letters, digits, `-`, `_` and `.`"
        else:
            continue
        yield document.fault(Reason.INVALID_SPEC, (*field, key), message, hint=hint)


def _annotation_faults(document: Document, annotations: object) -> Iterator[Diagnostic]:
    field = ("metadata", "annotations")
    if annotations is None:
        return
    if not isinstance(annotations, dict):
        message, hint = "`metadata.annotations` must be an object", "write one `key: value` line for each"
        yield document.fault(Reason.INVALID_SPEC, field, message, hint=hint)
        return
    for key, value in annotations.items():
        if not isinstance(value, str):
            message, hint = "an annotation's value must be a string", "write the value in quotes"
            yield document.fault(Reason.INVALID_SPEC, (*field, key), message, hint=hint)
