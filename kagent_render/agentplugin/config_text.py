"""A stand-in: YAML as the operator writes it."""

from __future__ import annotations

from typing import Any

import yaml


def config_text(value: Any) -> str:
    """Write `value`."""
    return str(yaml.safe_dump(value, allow_unicode=True))
