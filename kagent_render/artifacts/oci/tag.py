"""Names under which a registry has content, and which vouch for none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Tag:
    """A manifest or index by a name that may come to mean another one."""

    name: str
    kind: ClassVar[str] = "tag"
    size: ClassVar[None] = None

    @property
    def title(self) -> str:
        """What a registry is asked for, in a sentence."""
        return f"the tag `{self.name}`"

    def check(self, data: bytes, host: str) -> None:
        """Take any content: a tag does not vouch for one."""
