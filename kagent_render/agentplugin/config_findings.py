"""What is wrong with the configs of one agent's plugins, alone and together."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin import config_faults
from kagent_render.agentplugin.config_history import overwrite, written
from kagent_render.agentplugin.merge import typed_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kagent_render.agentplugin.config_history import Replacement, Written
    from kagent_render.agentplugin.config_reading import PluginConfig
    from kagent_render.agentplugin.overlays import Configured
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath

MANAGED: Final = ("platforms",)
"""The subtrees that the managed config takes, whatever profile a plugin is for."""

OVERLAID: Final = ("approvals", "platform_toolsets")
"""The subtrees that the overlay of a plugin's profile takes."""

_MERGE: Final = "<<"
_NO_TEXTS: Final = ("=", _MERGE)
"""Texts with a meaning of their own in YAML 1.1, which PyYAML refuses and yaml.v2 does not quote."""


def config_findings(
    configured: Iterable[Configured],
    base: Mapping[str, Any],
    overlays: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Iterator[Diagnostic]:
    """The diagnostics about an agent's rendered plugins with their configs, in name order.

    `base` is the operator's managed config without plugins; `overlays` is what its overlay of a profile
    holds without plugins, by the profile as plugins name it.
    """
    managed = _entries(base)
    profiles = {profile: _entries(overlay) for profile, overlay in overlays.items()}
    for plugin, config in sorted(configured, key=lambda item: item[0].name):
        overlay = profiles.setdefault(plugin.profile, {})
        replaced = [
            *overwrite(managed, _subtrees(config, MANAGED), plugin.name),
            *overwrite(overlay, _subtrees(config, OVERLAID), plugin.name),
        ]
        yield from _alone(plugin, config, base)
        yield from _together(plugin, replaced, list(_nulls(_subtrees(config, OVERLAID), ())))


def _alone(plugin: AgentPlugin, config: PluginConfig, base: Mapping[str, Any]) -> Iterator[Diagnostic]:
    if config.problem:
        yield config_faults.invalid_config(plugin, config)
    if config.dropped:
        yield config_faults.dropped_keys(plugin, config.dropped)
    overlaid = _subtrees(config, OVERLAID)
    if unreadable := list(_unreadable(config.values, ())):
        yield config_faults.unreadable(plugin, unreadable)
    if unmergeable := list(_lists_of_collections(overlaid, ())):
        yield config_faults.unmergeable(plugin, unmergeable)
    if shadowed := list(_shadowed(overlaid, base, ())):
        yield config_faults.shadowed(plugin, shadowed)


def _together(
    plugin: AgentPlugin, replaced: Sequence[Replacement], nulls: Sequence[FieldPath]
) -> Iterator[Diagnostic]:
    erasing = [replacement for replacement in replaced if replacement.erases]
    if erasing:
        yield config_faults.erased(plugin, erasing)
    elif nulls:
        yield config_faults.nulled(plugin, nulls)
    # That a plugin replaces a value of the operator's own is what its config is for.
    conflicting = [found for found in replaced if not found.erases and found.earlier.writer]
    if conflicting:
        yield config_faults.conflicting(plugin, conflicting)


def _entries(value: Mapping[str, Any]) -> dict[str, Written]:
    return {key: written(entry, "") for key, entry in value.items()}


def _subtrees(config: PluginConfig, names: Sequence[str]) -> dict[str, Any]:
    return {name: config.values[name] for name in names if name in config.values}


def _nulls(value: Any, path: FieldPath) -> Iterator[FieldPath]:
    """The keys of an overlay that are null, and take what the profile itself has there."""
    for key, entry in value.items():
        if entry is None:
            yield (*path, key)
        elif isinstance(entry, dict):
            yield from _nulls(entry, (*path, key))


def _lists_of_collections(value: Any, path: FieldPath) -> Iterator[FieldPath]:
    """The outermost lists with a mapping or list in them, whose items the merge in the pod cannot compare."""
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        yield path
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _lists_of_collections(entry, (*path, key))


def _unreadable(value: Any, path: FieldPath) -> Iterator[FieldPath]:
    """The places of texts that the operator writes bare, and at which the pod's reader stops."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if key == _MERGE:
                yield (*path, key)
            else:
                yield from _unreadable(entry, (*path, key))
    elif isinstance(value, list):
        yield from dict.fromkeys(path for item in value for _ in _unreadable(item, path))
    elif value in _NO_TEXTS:
        yield path


def _shadowed(value: Mapping[str, Any], base: Mapping[str, Any], path: FieldPath) -> Iterator[FieldPath]:
    """The keys whose value `base` sets to another."""
    for key, entry in value.items():
        pinned = base.get(key, entry)
        if isinstance(entry, dict) and isinstance(pinned, dict):
            yield from _shadowed(entry, pinned, (*path, key))
        elif not isinstance(pinned, dict) and typed_key(entry) != typed_key(pinned):
            yield (*path, key)
