"""Where the keys of a plugin's config are written: lines of the text that `spec.config` holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.source.positions import LazyLocator, SourceText

if TYPE_CHECKING:
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import FieldPath, SourcePosition

CONFIG: Final = ("spec", "config")
"""The field of an AgentPlugin that holds YAML text."""


def config_position(plugin: AgentPlugin, *paths: FieldPath) -> SourcePosition:
    """Where the first of some keys of a config is written; the config has to be one that can be read.

    Exact in a literal block; else, and without a key, the place of the config itself.
    """
    if not paths or plugin.document.locator.locate_literal(plugin.document.prefix + CONFIG) is None:
        return plugin.document.position(CONFIG)
    locator = LazyLocator(SourceText(plugin.config), 0, len(plugin.config))
    return plugin.document.text_position(CONFIG, *min(locator.locate(path) for path in paths))


def config_line(plugin: AgentPlugin, line: int) -> SourcePosition:
    """Where a line of a config, from 1, is written."""
    return plugin.document.text_position(CONFIG, line, 1)
