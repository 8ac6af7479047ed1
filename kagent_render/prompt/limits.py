"""How much a render may do, and the account of what it has done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kagent_render.prompt.faults import Refusal

_BYTES_PER_STEP: Final = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one render: template calls deep, steps, and bytes of output or of any one value."""

    depth: int = 1_000
    steps: int = 10_000_000
    output: int = 1 << 20


DEFAULT: Final = Limits()
"""The bounds that prompts are rendered with."""


class Budget:
    """What is left of the steps of one render."""

    __slots__ = ("left", "limits")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.left = limits.steps

    def spend(self, steps: int) -> None:
        """Take `steps` off, or raise Refusal when there are no more."""
        self.left -= steps
        if self.left < 0:
            raise Refusal(f"the template takes more than {self.limits.steps} steps")

    def charge(self, size: int) -> None:
        """Take off the steps that reading or making `size` bytes costs."""
        self.spend(size // _BYTES_PER_STEP)

    def admit(self, size: int) -> None:
        """Raise Refusal when a value or the output of `size` bytes is too long."""
        if size > self.limits.output:
            raise Refusal(f"the template makes more than {self.limits.output} bytes")
