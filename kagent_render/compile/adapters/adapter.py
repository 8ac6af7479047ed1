"""What every adapter gives: its identity and the variables that configure its runtime."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.compile.environment import EnvVar

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import Diagnostic

CONFIG_VARIABLE = "KAGENT_CONFIG_JSON"
CARD_VARIABLE = "KAGENT_AGENT_CARD_JSON"
FILES_VARIABLE = "KAGENT_FILES_JSON"


@dataclass(frozen=True, slots=True)
class AdapterOutput:
    """A runtime's configuration: `env` before the fixed variables, `documents` after them."""

    name: str
    format: int
    env: tuple[EnvVar, ...]
    documents: tuple[EnvVar, ...]
    faults: tuple[Diagnostic, ...] = ()
