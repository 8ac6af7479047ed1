"""The objects that GitOps tools apply: a manifest as it is, or the ConfigMap that carries a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.emit.config_map import ConfigMap

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import PairRef

CONFIG_MAP: Final = "ConfigMap"
ACTOR_TEMPLATE: Final = "ActorTemplate"


@dataclass(frozen=True, slots=True)
class AppliedObject:
    """One object of a pair; `path` is the file below the output folder that makes kustomize yield it."""

    pair: PairRef
    name: str
    path: str
    content: bytes | ConfigMap

    @property
    def kind(self) -> str:
        """The object's kind."""
        return CONFIG_MAP if isinstance(self.content, ConfigMap) else ACTOR_TEMPLATE

    @property
    def text(self) -> bytes:
        """The object as YAML: a manifest byte for byte, a ConfigMap in canonical form."""
        return self.content.text if isinstance(self.content, ConfigMap) else self.content
