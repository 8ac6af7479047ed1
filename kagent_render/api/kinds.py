"""The kinds and versions that are read, and where each is described; models load when one is met."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_render.api.hub import AgentTemplate, Harness, McpServer, ModelConfig
    from kagent_render.api.schema import Block
    from kagent_render.source.document import Document

    HubValue = Harness | AgentTemplate | ModelConfig | McpServer


@dataclass(frozen=True, slots=True)
class Dialect:
    """One version of one kind: the module, its model of `spec`, and its function to the hub."""

    module: str
    model_name: str
    convert_name: str

    @property
    def model(self) -> type[Block]:
        """The model of `spec`."""
        model: type[Block] = getattr(importlib.import_module(self.module), self.model_name)
        return model

    def convert(self, document: Document, spec: Mapping[str, Any], typed: Block) -> HubValue:
        """The hub value of a valid object."""
        convert: Callable[[Document, Mapping[str, Any], Block], HubValue]
        convert = getattr(importlib.import_module(self.module), self.convert_name)
        return convert(document, spec, typed)


GROUP: Final = "kagent.dev"
"""The API group of the kinds below."""

_ROOM: Final = "kagent_render.api"

DIALECTS: Final[Mapping[tuple[str, str], Dialect]] = {
    ("Harness", "v1alpha2"): Dialect(f"{_ROOM}.v1alpha2", "HarnessSpec", "hub_harness"),
    ("Harness", "v1alpha3"): Dialect(f"{_ROOM}.v1alpha3", "HarnessSpec", "hub_harness"),
    ("AgentTemplate", "v1alpha2"): Dialect(f"{_ROOM}.v1alpha2", "AgentTemplateSpec", "hub_template"),
    ("AgentTemplate", "v1alpha3"): Dialect(f"{_ROOM}.v1alpha3", "AgentTemplateSpec", "hub_template"),
    ("ModelConfig", "v1alpha2"): Dialect(f"{_ROOM}.modelconfig", "ModelConfigSpecV1alpha2", "hub_model"),
    ("ModelConfig", "v1alpha3"): Dialect(f"{_ROOM}.modelconfig", "ModelConfigSpec", "hub_model"),
    ("RemoteMCPServer", "v1alpha2"): Dialect(f"{_ROOM}.remotemcpserver", "RemoteMCPServerSpec", "hub_server"),
    ("RemoteMCPServer", "v1alpha3"): Dialect(f"{_ROOM}.remotemcpserver", "RemoteMCPServerSpec", "hub_server"),
    ("MCPServer", "v1alpha1"): Dialect(f"{_ROOM}.mcpserver", "McpServerSpec", "hub_server"),
}
"""Every dialect by kind and version."""


def versions(kind: str) -> list[str]:
    """The supported versions of `kind`; empty for a kind that is not ours."""
    return [version for name, version in DIALECTS if name == kind]
