"""The kinds and versions that are read, and where each is described; models load when one is met."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_render.api.hub import Resource
    from kagent_render.api.schema import Block
    from kagent_render.source.document import Document


@dataclass(frozen=True, slots=True)
class Dialect:
    """One version of one kind: the module, its model of `spec`, and its function to the hub.

    `judges_name` is False where an object of any name is decoded, for a later stage to judge it;
    `reads_annotations` says that annotations count, so that each has to be a string.
    """

    module: str
    model_name: str
    convert_name: str
    judges_name: bool = True
    reads_annotations: bool = False

    @property
    def model(self) -> type[Block]:
        """The model of `spec`."""
        model: type[Block] = getattr(importlib.import_module(self.module), self.model_name)
        return model

    def convert(self, document: Document, spec: Mapping[str, Any], typed: Block) -> Resource:
        """The hub value of a valid object."""
        convert: Callable[[Document, Mapping[str, Any], Block], Resource]
        convert = getattr(importlib.import_module(self.module), self.convert_name)
        return convert(document, spec, typed)


_ROOM: Final = "kagent_render.api"

DIALECTS: Final[Mapping[tuple[str, str], Dialect]] = {
    ("kagent.dev/v1alpha2", "Harness"): Dialect(f"{_ROOM}.v1alpha2", "HarnessSpec", "hub_harness"),
    ("kagent.dev/v1alpha3", "Harness"): Dialect(f"{_ROOM}.v1alpha3", "HarnessSpec", "hub_harness"),
    ("kagent.dev/v1alpha2", "AgentTemplate"): Dialect(
        f"{_ROOM}.v1alpha2", "AgentTemplateSpec", "hub_template"
    ),
    ("kagent.dev/v1alpha3", "AgentTemplate"): Dialect(
        f"{_ROOM}.v1alpha3", "AgentTemplateSpec", "hub_template"
    ),
    ("kagent.dev/v1alpha2", "ModelConfig"): Dialect(
        f"{_ROOM}.modelconfig", "ModelConfigSpecV1alpha2", "hub_model"
    ),
    ("kagent.dev/v1alpha3", "ModelConfig"): Dialect(f"{_ROOM}.modelconfig", "ModelConfigSpec", "hub_model"),
    ("kagent.dev/v1alpha2", "RemoteMCPServer"): Dialect(
        f"{_ROOM}.remotemcpserver", "RemoteMCPServerSpec", "hub_server"
    ),
    ("kagent.dev/v1alpha3", "RemoteMCPServer"): Dialect(
        f"{_ROOM}.remotemcpserver", "RemoteMCPServerSpec", "hub_server"
    ),
    ("kagent.dev/v1alpha1", "MCPServer"): Dialect(f"{_ROOM}.mcpserver", "McpServerSpec", "hub_server"),
    ("kubeagents.x-k8s.io/v1alpha1", "AgentPlugin"): Dialect(
        f"{_ROOM}.agentplugin", "AgentPluginSpec", "hub_plugin", judges_name=False
    ),
    ("kubeagents.x-k8s.io/v1alpha1", "PlatformAgent"): Dialect(
        f"{_ROOM}.platformagent", "PlatformAgentSpec", "hub_agent", reads_annotations=True
    ),
}
"""Every dialect by API version and kind."""


def api_versions(group: str, kind: str) -> list[str]:
    """The supported API versions of `kind` in `group`; empty for a kind that is not ours."""
    return [version for version, name in DIALECTS if name == kind and version.startswith(f"{group}/")]
