"""What every hub value shares: the object that it was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.diagnostics.diagnostic import ObjectRef
    from kagent_render.source.document import Document


@dataclass(frozen=True, slots=True)
class Sourced:
    """The identity, defaulted spec and source of one object."""

    ref: ObjectRef
    spec: Mapping[str, Any]
    document: Document

    @property
    def namespace(self) -> str:
        """The object's namespace."""
        return self.ref.namespace or ""

    @property
    def name(self) -> str:
        """The object's name."""
        return self.ref.name or ""
