"""What an image holds for Hermes: the manifest `plugin.yaml` and the module `__init__.py` at its root.

The keys and their forms are those of hermes_cli/plugins_manifest.py and plugins_cmd.py of
NousResearch/hermes-agent. A manifest is foreign: nothing of it but names of a plain form gets any further.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin.images import PluginManifest
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.artifacts.package import Package

MANIFEST_FILES: Final = ("plugin.yaml", "plugin.yml")
"""Where Hermes looks for the manifest; the first that is there counts."""

MODULE_FILE: Final = "__init__.py"
"""The module whose `register(ctx)` Hermes calls."""

_MANIFEST_BYTES: Final = 1 << 18
_MOST_ENTRIES: Final = 100
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+!_-]{0,63}")

Members = dict[str, Any]


class _Unusable(Exception):  # noqa: N818  (names what is wrong, as every failure here does)
    """The manifest, or one key of it, is passed over; the message completes `PATH ...`."""


def read_image(package: Package) -> tuple[PluginManifest, str]:
    """The manifest at an image's root, and what Hermes misses there or would pass over, as one clause.

    Without a manifest it is one without a name. The clause is empty where there is nothing to say.
    """
    manifest, faults = PluginManifest(""), ["it has no `plugin.yaml` at its root"]
    path = next((path for path in MANIFEST_FILES if path in package.files), None)
    if path is not None:
        manifest, found = read_manifest(package.files[path].data)
        faults = [f"its `{path}` {fault}" for fault in found]
    if MODULE_FILE not in package.files:
        faults.append(f"it has no `{MODULE_FILE}` at its root")
    return manifest, "; ".join(faults)


def read_manifest(data: bytes) -> tuple[PluginManifest, tuple[str, ...]]:
    """What a manifest says, as far as it can be used, and what is wrong with it; completes `PATH ...`."""
    faults: list[str] = []
    try:
        members = _members(data)
    except _Unusable as unusable:
        return PluginManifest(""), (str(unusable),)
    manifest = PluginManifest(
        _name(members, faults),
        _version(members),
        _required(members, "requires_plugins", "id", faults),
        _required(members, "requires_env", "name", faults),
    )
    return manifest, tuple(faults)


def _members(data: bytes) -> Members:
    """The one mapping of the file, where keys may be set twice; an empty file is an empty one."""
    if len(data) > _MANIFEST_BYTES:
        raise _Unusable("is larger than 256 KiB")
    try:
        documents = read_yaml(data, strict=False)
    except YAMLInvalidError as error:
        raise _Unusable(f"is not valid YAML in line {error.line}") from None
    if len(documents) > 1:
        raise _Unusable("holds more than one YAML document")
    members = documents[0].value if documents else None
    if members and not isinstance(members, dict):
        raise _Unusable("is no mapping")
    return members or {}


def _name(members: Members, faults: list[str]) -> str:
    """The name; without one Hermes takes the directory's, which is the AgentPlugin's."""
    name = members.get("name", "")
    if "name" in members and not _is_name(name):
        faults.append("has a `name` that is not the name of a plugin")
        return ""
    return str(name)


def _version(members: Members) -> str:
    """A version that is written as text; the digits of a number are not known any more."""
    version = members.get("version")
    return version if isinstance(version, str) and _VERSION.fullmatch(version) else ""


def _required(members: Members, key: str, named: str, faults: list[str]) -> tuple[str, ...]:
    """The names in a list of texts, or of mappings that have the name under `named`."""
    entries = members.get(key) or []
    if not isinstance(entries, list) or len(entries) > _MOST_ENTRIES:
        faults.append(f"has `{key}` that are not a list of at most {_MOST_ENTRIES} entries")
        return ()
    names = list(_names(entries, named))
    if not all(_is_name(name) for name in names):
        faults.append(f"has `{key}` with an entry that is neither a name nor a mapping with `{named}`")
    return tuple(dict.fromkeys(name for name in names if _is_name(name)))


def _names(entries: list[Any], named: str) -> Iterator[Any]:
    for entry in entries:
        mapping: Mapping[str, Any] = entry if isinstance(entry, dict) else {named: entry}
        yield mapping.get(named)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None
