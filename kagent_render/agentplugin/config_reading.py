"""Reads a plugin's `spec.config` as the operator does, down to what it ignores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.scalar import json_value
from kagent_render.source.yaml import read_first_value

if TYPE_CHECKING:
    from collections.abc import Mapping

SUBTREES: Final = ("approvals", "platforms", "platform_toolsets")
"""The top-level keys that a plugin may set."""

_KINDS: Final = {list: "a list", str: "a text", bool: "a boolean"}


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """What of a plugin's config counts: the allowed subtrees, no part of which another value shares.

    `dropped` are the other top-level keys, sorted. `problem` says why the whole text is ignored, empty where
    it is not; it shows in the text's `line`, from 1, and `hint` is an action against it.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    problem: str = ""
    line: int = 1
    hint: str | None = None


def read_config(text: str) -> PluginConfig:
    """The config that YAML text holds; the first document counts, and blank text has no keys."""
    if not text.strip():
        return PluginConfig()
    try:
        value = read_first_value(text.encode(errors="replace"))
    except YAMLInvalidError as error:
        return PluginConfig(problem=error.message, line=error.line, hint=error.hint)
    if value is None:
        return PluginConfig()
    if not isinstance(value, dict):
        return PluginConfig(problem=f"the root is {_KINDS.get(type(value), 'a number')} and no mapping")
    allowed = {name: _as_decoded(value[name]) for name in SUBTREES if name in value}
    return PluginConfig(allowed, tuple(sorted(value.keys() - set(SUBTREES))))


def issue(config: PluginConfig) -> str:
    """The sentence that the operator adds to the plugin's status; empty where there is nothing to say."""
    if config.problem:
        return f"spec.config is not valid YAML and was ignored: line {config.line}: {config.problem}."
    if config.dropped:
        allowed = ", ".join(SUBTREES)
        return f"Ignored config key(s) outside the allowed subtrees [{allowed}]: {', '.join(config.dropped)}."
    return ""


def _as_decoded(value: Any) -> Any:
    """The same value as Go's JSON decoder gives it: every number a float64, every collection of its own."""
    if isinstance(value, dict):
        return {key: _as_decoded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_as_decoded(item) for item in value]
    return json_value(float(value)) if type(value) is int else value
