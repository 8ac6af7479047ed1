"""Reads a capability record's document, and says what is wrong with one that is not a record."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from typing import TYPE_CHECKING, Any

from kagent_render.compile.capabilities.record import (
    UNPROVEN,
    Capability,
    CapabilityRecord,
    CapabilityValue,
)
from kagent_render.compile.capabilities.vocabulary import (
    COUNT,
    MEMBERS,
    VOCABULARY,
    is_member,
    members_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RECORD_API_VERSION = "render.kagent.dev/v1alpha1"
RECORD_KIND = "CapabilityRecord"

ADAPTERS = ("claude", "codex", "python")

_DIGEST = re.compile("sha256:[0-9a-f]{64}")
_Form = tuple[re.Pattern[str], str]
_NAME: _Form = (
    re.compile("[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?"),
    "at most 63 lower-case letters, digits, `-` and `.`",
)
_VERSION: _Form = re.compile("[0-9A-Za-z][0-9A-Za-z.+-]{0,62}"), "a version in quotes, such as `'1.2.3'`"
_TEXT: _Form = re.compile(r"\w[\w .,:()/+-]{0,63}"), "a text of at most 64 letters, digits and spaces"


class RecordInvalidError(ValueError):
    """What makes a document no capability record, at a field of it."""

    def __init__(self, field: tuple[str | int, ...], message: str, hint: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        self.hint = hint


def read_record(document: Mapping[str, Any], digest: str) -> CapabilityRecord:
    """The record that a document holds; RecordInvalidError at the first field that is not as it must be."""
    _check_head(document)
    metadata, spec = document["metadata"], _mapping(document, (), "spec")
    _expect(
        spec, ("spec",), ("version", "adapter", "runtime", "images", "default", "transcript", "capabilities")
    )
    runtime = _mapping(spec, ("spec",), "runtime")
    _expect(runtime, ("spec", "runtime"), ("name", "version"))
    adapter = _text(spec, ("spec",), "adapter")
    if adapter not in ADAPTERS:
        raise RecordInvalidError(
            ("spec", "adapter"), f"no adapter is named `{adapter[:64]}`", _one_of(ADAPTERS)
        )
    return CapabilityRecord(
        name=_text(metadata, ("metadata",), "name", _NAME),
        version=_text(spec, ("spec",), "version", _VERSION),
        adapter=adapter,
        runtime_name=_text(runtime, ("spec", "runtime"), "name"),
        runtime_version=_text(runtime, ("spec", "runtime"), "version", _VERSION),
        images=frozenset(_images(spec)),
        default=_flag(spec, "default"),
        capabilities=_capabilities(_mapping(spec, ("spec",), "capabilities")),
        digest=digest,
    )


def read_namesake(
    document: Mapping[str, Any], digest: str, known: Mapping[str, CapabilityRecord]
) -> CapabilityRecord | None:
    """The record of images that hold the runtime of a `known` one; None for a record of its own.

    Values of its own replace those that it takes over. Its digest covers the digest of the other record.
    """
    spec = document.get("spec")
    if not isinstance(spec, dict) or "sameAs" not in spec:
        return None
    _check_head(document)
    _expect(spec, ("spec",), ("sameAs", "images", "transcript", "capabilities"))
    name = _text(spec, ("spec",), "sameAs")
    if name not in known:
        message = f"this release has no capability record `{name[:64]}`"
        raise RecordInvalidError(("spec", "sameAs"), message, _one_of(known))
    return dataclasses.replace(
        known[name],
        name=_text(document["metadata"], ("metadata",), "name", _NAME),
        images=frozenset(_images(spec)),
        default=False,
        capabilities={**known[name].capabilities, **own_capabilities(document)},
        digest=f"sha256:{hashlib.sha256(f'{digest} {known[name].digest}'.encode()).hexdigest()}",
    )


def own_capabilities(document: Mapping[str, Any]) -> dict[str, Capability]:
    """The values that a record itself holds; a namesake may hold none."""
    spec = document["spec"]
    return _capabilities(_mapping(spec, ("spec",), "capabilities")) if "capabilities" in spec else {}


def transcript_of(document: Mapping[str, Any]) -> str | None:
    """The digest of the conformance transcript that a record carries; None where it has none."""
    value = document["spec"].get("transcript")
    if value is None:
        return None
    if not isinstance(value, str) or not _DIGEST.fullmatch(value):
        raise RecordInvalidError(
            ("spec", "transcript"), "the transcript is no digest", "write `sha256:` and 64 digits"
        )
    return value


def _check_head(document: Mapping[str, Any]) -> None:
    _expect(document, (), ("apiVersion", "kind", "metadata", "spec"))
    _constant(document, "apiVersion", RECORD_API_VERSION)
    _constant(document, "kind", RECORD_KIND)
    _expect(_mapping(document, (), "metadata"), ("metadata",), ("name",))


def _capabilities(found: Mapping[str, Any]) -> dict[str, Capability]:
    at = ("spec", "capabilities")
    _expect(found, at, VOCABULARY)
    return {name: _capability(name, found[name], (*at, name)) for name in VOCABULARY if name in found}


def _capability(name: str, found: object, at: tuple[str, ...]) -> Capability:
    if not isinstance(found, dict):
        hint = "write `{value: unproven}`, or a value with its evidence"
        raise RecordInvalidError(at, "a capability is a mapping of `value` and `evidence`", hint)
    _expect(found, at, ("value", "others", "evidence"))
    value = _value(name, found.get("value"), (*at, "value"))
    others = found.get("others")
    if others not in (None, UNPROVEN) or (others and not isinstance(value, tuple)):
        message = "`others` says `unproven` of the members that a list leaves out"
        raise RecordInvalidError((*at, "others"), message, "remove it, or write `others: unproven`")
    return Capability(value, _evidence(value, found.get("evidence"), at), others_open=others == UNPROVEN)


def _evidence(value: CapabilityValue, evidence: object, at: tuple[str, ...]) -> str:
    if evidence is None and value == UNPROVEN:
        return ""
    if isinstance(evidence, str) and evidence.strip():
        return evidence
    hint = "name the conformance run in a text, or write `value: unproven` alone"
    raise RecordInvalidError((*at, "evidence"), "a value without evidence proves nothing", hint)


def _value(name: str, value: object, at: tuple[str, ...]) -> CapabilityValue:
    """A value of the kind that the vocabulary gives a name."""
    kind = VOCABULARY[name]
    if isinstance(value, bool) or value == UNPROVEN:
        return value if isinstance(value, bool) else UNPROVEN
    if kind == COUNT and isinstance(value, int) and value >= 0:
        return value
    if kind == MEMBERS and isinstance(value, list):
        return tuple(_member(name, entry, (*at, index)) for index, entry in enumerate(value))
    choices = {
        COUNT: "`true`, `false`, `unproven` or a number",
        MEMBERS: "`true`, `false`, `unproven` or a list",
    }
    hint = f"write {choices.get(kind, '`true`, `false` or `unproven`')}"
    raise RecordInvalidError(at, "this is no value of the capability", hint)


def _member(name: str, entry: object, at: tuple[str | int, ...]) -> str:
    if isinstance(entry, str) and is_member(name, entry):
        return entry
    raise RecordInvalidError(at, f"this is no member of `{name}`", f"write {members_text(name)}")


def _images(spec: Mapping[str, Any]) -> Iterable[str]:
    found = spec.get("images") or []
    if not isinstance(found, list):
        raise RecordInvalidError(("spec", "images"), "images are a list of digests", "begin each with `-`")
    for index, image in enumerate(found):
        if not isinstance(image, str) or not _DIGEST.fullmatch(image):
            hint = "write what follows `@` in the image: `sha256:` and 64 lower-case hex digits"
            raise RecordInvalidError(("spec", "images", index), "the image is no digest", hint)
        yield image


def _flag(spec: Mapping[str, Any], name: str) -> bool:
    value = spec.get(name, False)
    if not isinstance(value, bool):
        raise RecordInvalidError(("spec", name), f"`{name}` must be true or false", "write `true` or `false`")
    return value


def _constant(found: Mapping[str, Any], name: str, expected: str) -> None:
    if found.get(name) != expected:
        raise RecordInvalidError((name,), f"`{name}` must be `{expected}`", f"write `{name}: {expected}`")


def _mapping(found: Mapping[str, Any], at: tuple[str, ...], name: str) -> Mapping[str, Any]:
    value = found.get(name)
    if not isinstance(value, dict):
        raise RecordInvalidError((*at, name), f"`{name}` must be a mapping", f"add `{name}`")
    return value


def _text(found: Mapping[str, Any], at: tuple[str, ...], name: str, form: _Form = _TEXT) -> str:
    value = found.get(name)
    pattern, says = form
    if isinstance(value, str) and pattern.fullmatch(value):
        return value
    message = f"`{name}` is missing" if value is None else f"`{name}` must be {says}"
    raise RecordInvalidError((*at, name), message, f"write {says}")


def _expect(found: Mapping[str, Any], at: tuple[str, ...], known: Iterable[str]) -> None:
    """RecordInvalidError for the first key that is not `known`."""
    names = tuple(known)
    for key in found:
        if key not in names:
            raise RecordInvalidError((*at, str(key)), f"`{str(key)[:64]}` is unknown here", _one_of(names))


def _one_of(names: Iterable[str]) -> str:
    return f"use one of {', '.join(f'`{name}`' for name in names)}"
