"""How much is measured, and one line of what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.alternation import Ratio


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured; the budgets hold for the defaults."""

    templates: int = 1000
    factor: int = 10
    rounds: int = 7
    plugins: int = 50


@dataclass(frozen=True, slots=True)
class Measured:
    """One line of the result; `other` says what the ratio is to."""

    what: str
    ratio: float
    budget: float
    other: str


def against(what: str, ratio: Ratio, budget: float, other: str) -> Measured:
    """The line of two sides that were measured in turn."""
    return Measured(what, ratio.value, budget, f"{other}, {ratio.other_seconds:.3f} s")
