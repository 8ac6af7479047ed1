"""The definitions that the tests give a server: upstream's, and ours."""

from __future__ import annotations

from typing import Any, Final

import yaml

from kagent_render.api.resource_definition import DEFINITIONS, resource_definition
from tests.parts import oracle_file

UPSTREAM: Final = (
    "ate.dev_actortemplates",
    "kagent.dev_agenttemplates",
    "kagent.dev_harnesses",
    "kagent.dev_modelconfigs",
    "kagent.dev_remotemcpservers",
    "kubeagents.x-k8s.io_agentplugins",
)
NOT_OURS: Final = ("ate.dev_actortemplates", "kagent.dev_modelconfigs", "kagent.dev_remotemcpservers")
"""Those whose kinds are upstream's alone to define."""


def upstream(name: str) -> dict[str, Any]:
    """One of the definitions in the shared oracles folder."""
    found: dict[str, Any] = yaml.load(oracle_file(f"{name}.yaml").read_text(), yaml.CSafeLoader)
    return found


def ours(served: str | None = None) -> list[dict[str, Any]]:
    """Our definitions, which serve the version `served`, else the newest."""
    return [resource_definition(kind, served) for kind in DEFINITIONS]
