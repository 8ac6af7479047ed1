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

MAX_BYTES: Final = 1 << 20
"""What Kubernetes takes as the data of one ConfigMap."""

_KINDS: Final = {list: "a list", str: "a text", bool: "a boolean"}


@dataclass(frozen=True, slots=True)
class PluginConfig:
    """What of a plugin's config counts: the allowed subtrees, no part of which another value shares.

    `dropped` are the other top-level keys, sorted. `problem` says why the whole text is ignored, empty where
    it is not; it shows in the text's `line`, from 1, or in all of it, and `hint` is an action against it.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    problem: str = ""
    line: int | None = 1
    hint: str | None = None


def read_config(text: str) -> PluginConfig:
    """The config that YAML text holds; the first document counts, and blank text has no keys.

    What a few aliases make too large for any cluster is ignored here, where the operator fails with it.
    """
    if not text.strip():
        return PluginConfig()
    try:
        value = read_first_value(text.encode(errors="replace"))
    except YAMLInvalidError as error:
        return PluginConfig(problem=error.message, line=error.line, hint=error.hint)
    if value is None:
        return PluginConfig()
    if not isinstance(value, dict):
        kind = _KINDS.get(type(value), "a number")
        hint = "write a mapping with keys among `approvals`, `platforms` and `platform_toolsets`"
        return PluginConfig(problem=f"the root is {kind} and no mapping", hint=hint)
    kept = {name: value[name] for name in SUBTREES if name in value}
    if _least_bytes(kept, {}) > MAX_BYTES:
        problem = "it sets more than the 1 MiB that a ConfigMap holds"
        return PluginConfig(problem=problem, line=None, hint="shorten it")
    allowed = {name: _as_decoded(entry) for name, entry in kept.items()}
    return PluginConfig(allowed, tuple(sorted(value.keys() - set(SUBTREES))))


def issue(config: PluginConfig) -> str:
    """The sentence that the operator adds to the plugin's status; empty where there is nothing to say."""
    if config.problem:
        place = "" if config.line is None else f"line {config.line}: "
        return f"spec.config is not valid YAML and was ignored: {place}{config.problem}."
    if config.dropped:
        allowed = ", ".join(SUBTREES)
        return f"Ignored config key(s) outside the allowed subtrees [{allowed}]: {', '.join(config.dropped)}."
    return ""


def _least_bytes(value: Any, known: dict[int, int]) -> int:
    """How many bytes a value has at least when it is written out; `known` has those of shared collections."""
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        keys = sum(map(len, value)) if isinstance(value, dict) else 0
        items = value.values() if isinstance(value, dict) else value
        known[id(value)] = keys + sum(_least_bytes(item, known) + 1 for item in items)
    return known[id(value)]


def _as_decoded(value: Any) -> Any:
    """The same value as Go's JSON decoder gives it: every number a float64, every collection of its own."""
    if isinstance(value, dict):
        return {key: _as_decoded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_as_decoded(item) for item in value]
    return json_value(float(value)) if type(value) is int else value
