"""How long the steps of operations may take, and how many there may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, and numbers; ValueError where a call could outlive its lease.

    `lease` is how long an operation stays with a process that does not answer. A call of Substrate's has
    `call` seconds; one that takes all of them is made again until `patience` seconds are over. `workers`
    carry out at most `open` operations, of which `recovering` may be those that nobody asks for. Every
    `interval` there is a search for these, and after trouble one waits up to `backoff`.
    """

    lease: float = 15.0
    call: float = 10.0
    patience: float = 120.0
    workers: int = 32
    open: int = 1000
    recovering: int = 8
    interval: float = 5.0
    backoff: float = 60.0

    def __post_init__(self) -> None:
        if not 0 < self.call <= self.lease * 0.7:
            raise ValueError("`call` has to be positive, and at most seven tenths of `lease`")
        if min(self.workers, self.open, self.recovering) < 1:
            raise ValueError("`workers`, `open` and `recovering` have to be 1 at least")

    @property
    def margin(self) -> float:
        """What of a lease has to be left when a call ends."""
        return self.lease / 15
