"""What a change does to what an agent may do or reach."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Effect(StrEnum):
    """The three effects; what cannot be judged widens."""

    WIDENS = "widens"
    NARROWS = "narrows"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One cell of the table of rules: in words, and as a function of the values before and after."""

    text: str
    effect: Callable[[str, str], Effect]


def _always(effect: Effect) -> Judgement:
    return Judgement(effect.value, lambda _before, _after: effect)


def _turned(value: str, effect: Effect, text: str) -> Judgement:
    """One effect when a value becomes `value`, the other when it was; two other values cannot be judged."""
    other = Effect.NARROWS if effect is Effect.WIDENS else Effect.WIDENS

    def judge(before: str, after: str) -> Effect:
        if after == value:
            return effect
        return other if before == value else Effect.WIDENS

    return Judgement(text, judge)


def _left(before: str, after: str) -> Effect:
    """The same credential may leave the environment; any other change of one gives an agent another one."""
    return Effect.NARROWS if after == f"{before}{INERT}" else Effect.WIDENS


def _raised(before: str, after: str) -> Effect:
    """Many programs take nought, and less, for no limit."""
    old, new = _number(before), _number(after)
    return Effect.NARROWS if old is not None and new is not None and 0 < new < old else Effect.WIDENS


def _number(text: str) -> float | None:
    found = re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?", text)
    return float(text) if found else None


WIDENS: Final = _always(Effect.WIDENS)
NARROWS: Final = _always(Effect.NARROWS)
NEUTRAL: Final = _always(Effect.NEUTRAL)

DEDICATED: Final = "Dedicated"
"""How the isolation of an agent with a runtime of its own is written."""

MOUNTED: Final = "mounted"
"""How image volumes that the cluster mounts are written."""

INERT: Final = ", behind a placeholder"
"""What is added to a credential that a runtime has no value of: the egress gateway puts it in."""

HELD: Final = "held to by a policy"
"""How egress that something enforces is written."""

READY: Final = "Ready"
"""How the status of a plugin that works is written."""

PROTECTED: Final = "true"
"""How a retention that GitOps tools must not prune is written."""

RAISED: Final = Judgement("widens, or narrows when lowered and above 0", _raised)
INJECTED: Final = Judgement("widens, or narrows when it leaves the environment", _left)
ENFORCED: Final = _turned(HELD, Effect.NARROWS, "widens, or narrows when a policy holds to it")
SHARED: Final = _turned(DEDICATED, Effect.NARROWS, "widens, or narrows when it becomes Dedicated")
STARTED: Final = _turned(MOUNTED, Effect.WIDENS, "widens when mounted, or narrows")
WORKING: Final = _turned(READY, Effect.WIDENS, "widens, or narrows when it is Ready no longer")
KEPT: Final = _turned(PROTECTED, Effect.WIDENS, "widens when turned on, or narrows")
