"""Two sides measured in turn, so that what else the machine does meets both."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Side = Callable[[], float]
    """Does the work once and gives what it took in seconds."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """The median of the ratios of neighbouring measurements, and the other side's median in seconds."""

    value: float
    other_seconds: float


def alternate(ours: Side, other: Side, rounds: int) -> Ratio:
    """Measure A B A B ..., after one round that only warms up what the system caches."""
    ours(), other()
    pairs = [(ours(), other()) for _ in range(rounds)]
    return Ratio(
        statistics.median(mine / theirs for mine, theirs in pairs),
        statistics.median(theirs for _, theirs in pairs),
    )
