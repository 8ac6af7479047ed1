"""What a boundary needs of its runtime: a capability, at the field that needs it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from kagent_render.compile.environment import Provenance


@dataclass(frozen=True, slots=True)
class Requirement:
    """One capability that a field needs.

    `minimum` is set for capabilities that count, `member` for those that list what they hold; `about` says
    what of the field needs it, where that is not plain.
    """

    capability: str
    provenance: Provenance = dataclasses.field(compare=False)
    minimum: int | None = None
    member: str | None = None
    about: str = dataclasses.field(default="", compare=False)

    def __str__(self) -> str:
        if self.member is not None:
            return f"{self.capability}={self.member}"
        return self.capability if self.minimum is None else f"{self.capability}>={self.minimum}"
