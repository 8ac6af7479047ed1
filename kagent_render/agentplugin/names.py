"""The names of plugins: which are valid, which collide, and what a volume is called."""

from __future__ import annotations

import hashlib
import re
from typing import Final

BUILT_IN: Final = (
    "hermes_otel",
    "session_store",
    "session_otel_bridge",
    "tool_call_audit",
    "incident_context",
    "bootstrap_onboarding",
)
"""The plugins of the agent's image that none may shadow, as upstream lists them."""

LONGEST: Final = 56
"""Bytes of a plugin's name, so that `plugin-<name>` is a volume's name."""

_NAME: Final = re.compile(r"[a-z][a-z0-9]*")
_SEPARATORS: Final = str.maketrans("", "", "-_")
_LONGEST_VOLUME: Final = 63
_KEPT_OF_A_LONG_VOLUME: Final = 54


def is_valid(name: str) -> bool:
    """Whether a plugin may have this name: it becomes a directory and a Python module."""
    return len(name.encode()) <= LONGEST and _NAME.fullmatch(name) is not None


def normalize(name: str) -> str:
    """The form in which names are compared: lower case, without the separators that built-ins have."""
    return name.strip().lower().translate(_SEPARATORS)


def built_in_like(name: str) -> str | None:
    """The built-in plugin that `name` collides with; None where there is none."""
    return _BUILT_IN_BY_FORM.get(normalize(name))


def volume_name(name: str) -> str:
    """The name of a plugin's volume, at most 63 characters."""
    full = f"plugin-{name}"
    if len(full) <= _LONGEST_VOLUME:
        return full
    return f"{full[:_KEPT_OF_A_LONG_VOLUME]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


_BUILT_IN_BY_FORM: Final = {normalize(name): name for name in BUILT_IN}
