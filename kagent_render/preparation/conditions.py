"""The four conditions of a pair or a PlatformAgent, out of its diagnostics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.diagnostics.reasons import SUCCESS, Condition, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class PairCondition:
    """One condition with its status; the message is empty where there is nothing to say."""

    type: Condition
    status: bool
    reason: str
    message: str = ""


def pair_conditions(diagnostics: Iterable[Diagnostic], *, blocked: bool) -> tuple[PairCondition, ...]:
    """True up to the first failing stage, then `Blocked`; all `Blocked` where a document is invalid."""
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.is_error]
    if blocked or any(error.condition is None for error in errors):
        return tuple(_blocked(condition, "a document that it needs is not valid") for condition in Condition)
    conditions: list[PairCondition] = []
    failed: Condition | None = None
    for condition in Condition:
        own = next((error for error in errors if error.condition is condition), None)
        if failed is not None:
            conditions.append(_blocked(condition, f"blocked by {failed}"))
        elif own is not None:
            failed = condition
            conditions.append(PairCondition(condition, False, own.reason, own.message))
        else:
            conditions.append(PairCondition(condition, True, SUCCESS[condition]))
    return tuple(conditions)


def _blocked(condition: Condition, message: str) -> PairCondition:
    return PairCondition(condition, False, Reason.BLOCKED, message)
