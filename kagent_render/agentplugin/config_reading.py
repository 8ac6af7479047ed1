"""A stand-in: what `spec.config` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """The allowed subtrees, the keys that were dropped, and the parser's problem."""

    values: Mapping[str, Any]
    dropped: tuple[str, ...] = ()
    problem: str = ""


def read_config(text: str) -> PluginConfig:
    """Read `spec.config`."""
    try:
        value = yaml.safe_load(text) or {}
    except yaml.YAMLError:
        return PluginConfig({}, problem="yaml: broken")
    if not isinstance(value, dict):
        return PluginConfig({}, problem="json: no object")
    allowed = {"approvals", "platforms", "platform_toolsets"}
    return PluginConfig(
        {key: value[key] for key in value if key in allowed}, tuple(sorted(set(value) - allowed))
    )


def issue(config: PluginConfig) -> str:
    """The sentence about a config."""
    if config.problem:
        return f"spec.config is not valid YAML and was ignored: {config.problem}."
    if config.dropped:
        allowed = "[approvals, platforms, platform_toolsets]"
        return f"Ignored config key(s) outside the allowed subtrees {allowed}: {', '.join(config.dropped)}."
    return ""
