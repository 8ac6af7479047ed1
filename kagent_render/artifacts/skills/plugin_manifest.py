"""The manifest of an Agent Plugins 1.0.0 package: `plugin.json` at the plugin's root."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.skills.finding import Finding
from kagent_render.artifacts.skills.lfs_pointer import POINTER_HINT, is_lfs_pointer
from kagent_render.artifacts.strict_json import JsonInvalid, read_json
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

MANIFEST_FILE: Final = "plugin.json"
SCHEMA: Final = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
_SCHEMA_VERSION: Final = re.compile(
    r"https://agent-plugins\.org/schemas/([0-9A-Za-z][0-9A-Za-z.+-]{0,31})/plugin\.schema\.json"
)
_NAME: Final = re.compile(r"(?!.*(--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?")
_TEXTS: Final = ("version", "description", "homepage", "repository", "license")
_MEMBERS: Final = frozenset({"$schema", "name", "author", "keywords", "extensions", *_TEXTS})
_AUTHOR_MEMBERS: Final = frozenset({"name", "email", "url"})
_MANIFEST_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PluginManifest:
    """What a lock pins of a manifest; `version` is None where the plugin names none."""

    name: str
    version: str | None


def read_manifest(data: bytes) -> tuple[PluginManifest | None, tuple[Finding, ...]]:
    """The manifest, None where the plugin has to be rejected, and every finding about it."""
    members = _json_object(data)
    if isinstance(members, Finding):
        return None, (members,)
    schema = _schema_fault(members)
    if schema is not None:
        return None, (schema,)
    faults = tuple(_invalid(fault) for fault in _faults(members))
    ignored = tuple(_ignored_members(members))
    if faults:
        return None, faults + ignored
    return PluginManifest(members["name"], members.get("version")), ignored


def _json_object(data: bytes) -> dict[str, Any] | Finding:
    if is_lfs_pointer(data):
        return _invalid("is a Git LFS pointer, not its content", POINTER_HINT)
    if len(data) > _MANIFEST_BYTES:
        return _invalid("is larger than 1 MiB")
    try:
        members = read_json(data)
    except JsonInvalid as invalid:
        return _invalid(str(invalid))
    return members if isinstance(members, dict) else _invalid("is not a JSON object")


def _schema_fault(members: dict[str, Any]) -> Finding | None:
    schema = members.get("$schema")
    if schema == SCHEMA:
        return None
    if not isinstance(schema, str) or not schema:
        return _invalid("has no `$schema`")
    version = _SCHEMA_VERSION.fullmatch(schema)
    found = f"version `{version[1]}`" if version else f"the schema `{printable(schema)}`"
    return Finding(
        Reason.PLUGIN_SCHEMA_UNSUPPORTED,
        f"`{MANIFEST_FILE}` is written for {found} of Agent Plugins, and only version `1.0.0` is supported",
        hint=f"publish the plugin with `$schema` set to `{SCHEMA}`",
    )


def _faults(members: dict[str, Any]) -> Iterator[str]:
    name = members.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield (
            "has no `name` of 1 to 64 characters `a-z`, `0-9`, `-` and `.`, alphanumeric at both ends, "
            "without `--` or `..`"
        )
    for member in _TEXTS:
        if not isinstance(members.get(member, ""), str):
            yield f"has a `{member}` that is not a string"
    keywords = members.get("keywords", [])
    if not isinstance(keywords, list) or not all(isinstance(word, str) for word in keywords):
        yield "has `keywords` that are not a list of strings"
    author = members.get("author", {})
    if not isinstance(author, dict) or not author.keys() <= _AUTHOR_MEMBERS:
        yield "has an `author` that is not an object of `name`, `email` and `url`"
    elif not all(isinstance(value, str) for value in author.values()):
        yield "has an `author` with a member that is not a string"


def _ignored_members(members: dict[str, Any]) -> Iterator[Finding]:
    for member in sorted(members.keys() - _MEMBERS):
        yield _ignored(
            f"has a member `{printable(member)}` that Agent Plugins 1.0.0 does not know; it is ignored"
        )
    extensions = members.get("extensions", {})
    if not isinstance(extensions, dict):
        yield _ignored("has `extensions` that are not an object; they are ignored")
    elif extensions:
        yield _ignored("has client `extensions`; they are ignored", Severity.INFO)


def _invalid(
    fault: str, hint: str = "publish the plugin with a manifest that Agent Plugins 1.0.0 accepts"
) -> Finding:
    return Finding(Reason.PLUGIN_MANIFEST_INVALID, f"`{MANIFEST_FILE}` {fault}", hint=hint)


def _ignored(fault: str, severity: Severity = Severity.WARNING) -> Finding:
    return Finding(Reason.PLUGIN_MANIFEST_IGNORED, f"`{MANIFEST_FILE}` {fault}", severity=severity)
