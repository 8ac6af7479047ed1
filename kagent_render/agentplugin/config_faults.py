"""The diagnostics about `spec.config`, each made of what was found: key names alone, never a value."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.config_places import CONFIG, config_line, config_position
from kagent_render.agentplugin.config_reading import SUBTREES
from kagent_render.agentplugin.mention import enumerate_parts, mention, mention_paths
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.agentplugin.config_history import Replacement
    from kagent_render.agentplugin.config_reading import PluginConfig
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath, SourcePosition

_WARNING: Final = Severity.WARNING
_MOST_LOSSES: Final = 3


def invalid_config(plugin: AgentPlugin, config: PluginConfig) -> Diagnostic:
    """A config that is ignored as a whole."""
    if config.line is None:
        fault, place = "the config cannot be applied", config_position(plugin)
    else:
        fault = f"line {config.line} of the config is not valid YAML"
        place = config_line(plugin, config.line)
    message = f"{fault}, so all is ignored: {config.problem}"
    return _fault(
        plugin, Reason.PLUGIN_CONFIG_INVALID, message, config.hint or f"correct line {config.line}", place
    )


def dropped_keys(plugin: AgentPlugin, keys: Sequence[str]) -> Diagnostic:
    """Keys that are ignored, for the operator takes but three."""
    message = f"the operator ignores {mention(keys)}, for a plugin may set only {mention(SUBTREES)}"
    meant = [(key, name) for key in keys for name in SUBTREES if key.lower().replace("-", "_") == name]
    hint = f"rename it to `{meant[0][1]}`" if meant else "remove what is ignored from `spec.config`"
    place = config_position(plugin, *((key,) for key in keys))
    return _fault(plugin, Reason.PLUGIN_CONFIG_DROPPED, message, hint, place)


def erased(plugin: AgentPlugin, replacements: Sequence[Replacement]) -> Diagnostic:
    """Mappings and lists of the operator or of earlier plugins that are replaced as a whole."""
    losses = [_loss(replacement) for replacement in replacements[:_MOST_LOSSES]]
    more = len(replacements) - len(losses)
    message = "; ".join(losses) + (f"; and so at {more:,} more keys" if more else "")
    hint = "write a mapping or a list as it is there, or leave the key out"
    return _fault(plugin, Reason.PLUGIN_CONFIG_ERASES, message, hint, _first(plugin, replacements), _WARNING)


def nulled(plugin: AgentPlugin, paths: Sequence[FieldPath]) -> Diagnostic:
    """Nulls in an overlay, which replace what the profile's own configuration has."""
    are = "are" if len(paths) > 1 else "is"
    message = f"{mention_paths(paths)} {are} null, which erases what the profile itself has there"
    hint = "write a value, or leave the key out"
    place = config_position(plugin, *paths)
    return _fault(plugin, Reason.PLUGIN_CONFIG_ERASES, message, hint, place, _WARNING)


def conflicting(plugin: AgentPlugin, replacements: Sequence[Replacement]) -> Diagnostic:
    """Values that earlier plugins set otherwise."""
    paths = mention_paths([replacement.path for replacement in replacements])
    writers = list(dict.fromkeys(replacement.earlier.writer for replacement in replacements))
    are, plugins = ("are" if len(replacements) > 1 else "is"), ("plugins" if len(writers) > 1 else "plugin")
    others = f"{plugins} {mention(writers)}"
    message = f"{paths} {are} set otherwise by {others}; `{plugin.name}` wins, as the last by name"
    hint = f"set {'each' if len(replacements) > 1 else 'it'} in one plugin alone"
    return _fault(plugin, Reason.PLUGIN_CONFLICT, message, hint, _first(plugin, replacements), _WARNING)


def unmergeable(plugin: AgentPlugin, paths: Sequence[FieldPath]) -> Diagnostic:
    """Lists that the merge in the pod may fail at, and the whole overlay of the profile with it."""
    message = (
        f"the items of {mention_paths(paths)} are mappings or lists: where the profile has that list too, "
        "the pod applies nothing that plugins set for the profile, and enables none of them there"
    )
    hint = "write items that are texts, numbers or booleans"
    place = config_position(plugin, *paths)
    return _fault(plugin, Reason.PLUGIN_CONFIG_UNMERGEABLE, message, hint, place, _WARNING)


def unreadable(plugin: AgentPlugin, paths: Sequence[FieldPath]) -> Diagnostic:
    """Texts at which the pod stops reading what the operator writes."""
    holds = "hold" if len(paths) > 1 else "holds"
    message = (
        f"{mention_paths(paths)} {holds} the text `=` or `<<`, which the operator writes without quotes: "
        "the pod cannot read the file then, and ignores it as a whole"
    )
    hint = "write another text"
    place = config_position(plugin, *paths)
    return _fault(plugin, Reason.PLUGIN_CONFIG_UNMERGEABLE, message, hint, place, _WARNING)


def shadowed(plugin: AgentPlugin, paths: Sequence[FieldPath]) -> Diagnostic:
    """Values that the managed config, which holds for every profile, hides."""
    message = f"the operator's managed config sets {mention_paths(paths)} otherwise, for every profile"
    hint = f"remove {mention_paths(paths)}"
    place = config_position(plugin, *paths)
    return _fault(plugin, Reason.PLUGIN_NOT_SERVED, message, hint, place, _WARNING)


def _loss(replacement: Replacement) -> str:
    value, path = replacement.earlier.value, mention_paths([replacement.path])
    kind, lost = ("mapping", mention(list(value))) if isinstance(value, dict) else ("list", "its items")
    writers = [f"plugin `{writer}`" if writer else "the operator" for writer in replacement.writers]
    return f"{path} is no {kind} here, which erases what {enumerate_parts(writers)} wrote: {lost}"


def _first(plugin: AgentPlugin, replacements: Sequence[Replacement]) -> SourcePosition:
    return config_position(plugin, *(replacement.path for replacement in replacements))


def _fault(
    plugin: AgentPlugin,
    reason: Reason,
    message: str,
    hint: str,
    source: SourcePosition,
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    # The line of a key may hold its value, and that may be a credential.
    fault = plugin.document.fault(reason, CONFIG, message, hint=hint, severity=severity, sensitive=True)
    return dataclasses.replace(fault, source=source)
