"""A process that is killed at a step: nothing that it does afterwards reaches anybody."""

from __future__ import annotations

from dataclasses import dataclass

from tests.apply.operations.memory_store import nothing
from tests.apply.operations.scene import Scene

_STEPS = {"reserve", "replace", "renew", "prepare", "create", "restrict", "resume", "suspend", "delete"}
"""Calls that leave something behind; a kill at another is one between two of these."""


class Killed(BaseException):
    """The process is no more."""


@dataclass
class Kill:
    """Kills at the step of a number, which counts those before and those after each call."""

    at: int
    steps: int = 0
    dead: bool = False

    def meet(self, moment: str, call: str) -> None:
        assert not self.dead, f"a killed process calls `{call}`"
        if call not in _STEPS and not (moment == "before" and call == "actor"):
            return
        self.steps += 1
        if self.steps > self.at:
            self.dead = True
            raise Killed


def arm(scene: Scene, kill: Kill) -> None:
    """From now on the process can be killed."""
    scene.store.meet = scene.compute.meet = kill.meet


def bury(scene: Scene) -> None:
    """The process is gone; others come."""
    scene.store.meet = scene.compute.meet = nothing
