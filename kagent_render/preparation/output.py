"""From compiled pairs to the files that should exist, retained revisions included."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import lock_path, manifest_path
from kagent_render.emit.plan import OutputPlan, PairOutput, plan_output
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock_document import seal_with_document, set_retained
from kagent_render.revision.pinning import pin_pair
from kagent_render.revision.retention import retain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.preparation.flow import Preparation
    from kagent_render.preparation.pair import PairOutcome
    from kagent_render.revision.lock import Lock
    from kagent_render.revision.lock_history import LockHistory
    from kagent_render.source.config import RenderConfig
    from kagent_render.source.document import Document


class History(Protocol):
    """What was committed before: at HEAD, or on disk where there is no Git."""

    def lock(self, path: str) -> LockHistory | None:
        """The history in the lock at a path below the output folder."""
        ...

    def manifest(self, path: str) -> bytes | None:
        """The bytes of a manifest at a path below the output folder."""
        ...


@dataclass(frozen=True, slots=True)
class LockedPair:
    """A pair with its lock and the files that it consists of."""

    outcome: PairOutcome
    lock: Lock
    output: PairOutput


@dataclass(frozen=True, slots=True)
class PlannedOutput:
    """Every prepared pair's files, and the plan that holds them all."""

    pairs: Mapping[PairRef, LockedPair]
    plan: OutputPlan
    diagnostics: tuple[Diagnostic, ...]


def plan_pairs(
    preparation: Preparation,
    config: RenderConfig,
    history: History,
    in_use: Mapping[str, Collection[str]],
    kept: Iterable[PairRef],
) -> PlannedOutput:
    """Lock every prepared pair; `kept` are failed pairs whose files stay as they are.

    `in_use` names, by namespace, the ActorTemplates that instances still need.
    """
    locked: dict[PairRef, LockedPair] = {}
    faults: list[Diagnostic] = []
    for outcome in preparation.pairs:
        if outcome.compiled is not None:
            pair, missing = _lock_pair(outcome, preparation, config, history, in_use)
            locked[outcome.pair] = pair
            faults += missing
    plan = plan_output([pair.output for pair in locked.values()], kept)
    return PlannedOutput(locked, plan, tuple(faults))


def _lock_pair(
    outcome: PairOutcome,
    preparation: Preparation,
    config: RenderConfig,
    history: History,
    in_use: Mapping[str, Collection[str]],
) -> tuple[LockedPair, list[Diagnostic]]:
    compiled, pair = outcome.compiled, outcome.pair
    assert compiled is not None
    needed = in_use.get(pair.namespace, frozenset())
    lock, document = seal_with_document(pin_pair(compiled, preparation.digested.digests, preparation.policy))
    if config.retention.revisions > 1 or needed:
        retained = retain(lock, history.lock(lock_path(pair)), config.retention.revisions, needed)
        lock = dataclasses.replace(lock, retained=retained)
        set_retained(document, retained)
    earlier = {
        name: history.manifest(manifest_path(pair, name))
        for revision in lock.retained
        for name in revision.actor_templates
    }
    output = PairOutput(
        pair,
        dump(document).encode(),
        {manifest.name: dump(manifest.value).encode() for _, manifest in compiled.boundaries},
        {name: content for name, content in earlier.items() if content is not None},
    )
    lost = [_lost(config, pair, name) for name, content in earlier.items() if content is None]
    return LockedPair(outcome, lock, output), lost


def _lost(config: RenderConfig, pair: PairRef, name: str) -> Diagnostic:
    path = f"{config.output}/{manifest_path(pair, name)}"
    return Diagnostic(
        Reason.OUTPUT_DRIFT,
        f"the manifest of the retained ActorTemplate `{name}` is gone",
        hint=f"restore `{path}` from Git; instances of the earlier revision need it",
        source=SourcePosition(path, 1, 1),
        pair=pair,
    )


def names_in_use(documents: Sequence[Document]) -> dict[str, frozenset[str]]:
    """The ActorTemplates that InUse documents name, by namespace."""
    found: dict[str, frozenset[str]] = {}
    for document in documents:
        if document.ref.kind == "InUse" and document.ref.namespace:
            spec = document.value.get("spec")
            names = spec.get("actorTemplates") if isinstance(spec, dict) else None
            texts = frozenset(name for name in names or () if isinstance(name, str))
            found[document.ref.namespace] = found.get(document.ref.namespace, frozenset()) | texts
    return found
