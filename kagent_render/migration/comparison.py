"""Whether a migrated root prepares to what it prepared to before: the same pairs, the same ActorTemplates."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from kagent_render.diagnostics.reasons import Reason
from kagent_render.migration.objects import NEW

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import Diagnostic, PairRef
    from kagent_render.preparation.flow import Preparation
    from kagent_render.preparation.pair import PairOutcome

    Outcomes = Mapping[PairRef, PairOutcome]


def differences(
    before: Preparation, after: Preparation, *, allow_new_pairs: bool = False
) -> Iterator[Diagnostic]:
    """Every pair that would be new, lost or another one, at its template as it is now."""
    old = {outcome.pair: outcome for outcome in before.pairs}
    new = {outcome.pair: outcome for outcome in after.pairs}
    for pair in sorted({*old, *new}):
        found = _difference(pair, old, new, allow_new=allow_new_pairs)
        if found is not None:
            yield _told(before, pair, *found)
    told = {fault for outcome in after.pairs for fault in outcome.diagnostics}
    for fault in after.diagnostics:
        if fault.is_error and fault not in told:
            yield _unprepared(fault)


def new_pairs(before: Preparation, after: Preparation) -> int:
    """How many pairs there are that were none before."""
    return len({outcome.pair for outcome in after.pairs} - {outcome.pair for outcome in before.pairs})


def _difference(
    pair: PairRef, old: Outcomes, new: Outcomes, *, allow_new: bool
) -> tuple[tuple[str | int, ...], str, str] | None:
    """Field, message and hint of what would be different of a pair."""
    if pair not in new:
        hint = "migrate by hand, and report this"
        return ("spec", "harnesses", "include"), f"the pair `{pair}` would be lost", hint
    if pair not in old and not allow_new:
        message = (
            f"AgentTemplate `{pair.template}` would become a pair with Harness `{pair.harness}`, which admits"
            f" it: `{NEW}` has no `spec.harnesses` to leave it out"
        )
        hint = (
            "change the template's labels or the Harness's selector so that it is not admitted,"
            " or pass `--allow-new-pairs`"
        )
        return ("spec", "harnesses"), message, hint
    compiled = new[pair].compiled
    if compiled is None:
        first = next((fault.message for fault in new[pair].diagnostics if fault.is_error), "it is blocked")
        hint = "correct that first, or migrate by hand"
        return ("spec",), f"the pair `{pair}` would not be prepared: {first}", hint
    place = _first_difference(old[pair], new[pair]) if pair in old else None
    if place is None:
        return None
    message = f"the pair `{pair}` would be prepared differently: {place} is another one"
    return ("spec",), message, "migrate by hand, and report this"


def _first_difference(old: PairOutcome, new: PairOutcome) -> str | None:
    """The first field of an ActorTemplate that differs, by the binding path of its boundary."""
    before, after = _manifests(old), _manifests(new)
    for path in sorted({*before, *after}):
        where = f" of `{path}`" if path else ""
        if path not in before or path not in after:
            return f"the boundary{where}"
        field = _differing(before[path], after[path])
        if field is not None:
            return f"`{field}`{where}"
    return None


def _manifests(outcome: PairOutcome) -> dict[str, Any]:
    boundaries = outcome.compiled.boundaries if outcome.compiled is not None else ()
    return {compiled.bundle.path: manifest.built.value for compiled, manifest in boundaries}


def _differing(one: Any, other: Any, path: str = "") -> str | None:
    """The first field in which plain data differ; names come after what they are made of."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}, key=lambda key: (key == "metadata", key)):
            below = f"{path}.{key}" if path else key
            if (key in one) != (key in other):
                return below
            if (found := _differing(one[key], other[key], below)) is not None:
                return found
        return None
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        places = (_differing(ours, theirs, f"{path}[{at}]") for at, (ours, theirs) in pairs)
        return next((field for field in places if field is not None), None)
    return None if one == other and type(one) is type(other) else path


def _told(
    before: Preparation, pair: PairRef, field: tuple[str | int, ...], message: str, hint: str
) -> Diagnostic:
    template = before.inventory.templates[pair.namespace, pair.template]
    return template.document.fault(Reason.NOT_MIGRATABLE, field, message, hint=hint).of(pair)


def _unprepared(fault: Diagnostic) -> Diagnostic:
    """A fault that only the migrated text has; its place is in a text that nobody has yet."""
    message = f"the migrated root would not be prepared: {fault.message}"
    return dataclasses.replace(fault, reason=Reason.NOT_MIGRATABLE, message=message, source=None)
