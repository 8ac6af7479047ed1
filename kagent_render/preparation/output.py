"""From compiled pairs to the files that should exist, retained revisions included."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from kagent_render.api.names import is_dns_subdomain
from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import lock_path, manifest_path, place_of
from kagent_render.emit.plan import OutputPlan, PairOutput, plan_output
from kagent_render.preparation import carrying
from kagent_render.preparation.memo import (
    Memo,
    RememberedPair,
    common_key,
    decode_pair,
    digest_key,
    encode_pair,
    pair_key,
)
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock_history import read_history

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.emit.layout import Owner
    from kagent_render.emit.plan import AgentOutput
    from kagent_render.preparation.flow import Preparation
    from kagent_render.preparation.pair import PairOutcome
    from kagent_render.revision.compiled_pair import CompiledPair
    from kagent_render.revision.lock import Lock
    from kagent_render.revision.lock_history import LockHistory
    from kagent_render.source.config import RenderConfig


class History(Protocol):
    """What was committed before: at HEAD, or on disk where there is no Git."""

    def lock(self, path: str) -> LockHistory | None:
        """The history in the lock at a path below the output folder."""
        ...

    def present(self, path: str) -> bytes | None:
        """The lock at a path as it is now; None where that is the history itself."""
        ...

    def manifest(self, path: str) -> bytes | None:
        """The bytes of a manifest at a path below the output folder."""
        ...


@dataclass(frozen=True, slots=True)
class LockedPair:
    """A pair with its revision and the files that it consists of; `make` gives the lock as values."""

    outcome: PairOutcome
    revision: str
    output: PairOutput
    make: Callable[[], Lock]

    @property
    def lock(self) -> Lock:
        """The lock as values, made only where somebody has to look into it."""
        return self.make()


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
    in_use: Mapping[str, frozenset[str]],
    kept: Iterable[Owner],
    memo: Memo,
    program: str,
    outliving: Mapping[PairRef, Sequence[str]],
    agents: Iterable[AgentOutput] = (),
) -> PlannedOutput:
    """Lock every prepared pair; `kept` are failed pairs and agents whose files stay as they are.

    `in_use` names, by namespace, the ActorTemplates that instances still need, `outliving` by pair those of
    pairs that are gone. `agents` have their files already. `memo` knows what earlier runs of this very
    `program` wrote.
    """
    locker = _Locker(preparation, config, history, in_use, memo, program)
    locked = {pair.outcome.pair: pair for pair in locker.lock(preparation.pairs)}
    gone = [locker.outlive(pair, names) for pair, names in outliving.items()]
    outputs = [*(pair.output for pair in locked.values()), *gone]
    plan = plan_output(outputs, kept, agents, carried=carrying.is_carried(config.target))
    return PlannedOutput(locked, plan, tuple(locker.faults))


@dataclass(frozen=True, slots=True)
class _Pending:
    """A pair that has its key, but not its files yet; `make` gives its lock and the lock's text."""

    outcome: PairOutcome
    compiled: CompiledPair
    key: str
    make: Callable[[], tuple[Lock, bytes]]


class _Locker:
    """Locks the pairs of one root; `faults` collects what is lost or too large."""

    def __init__(
        self,
        preparation: Preparation,
        config: RenderConfig,
        history: History,
        in_use: Mapping[str, frozenset[str]],
        memo: Memo,
        program: str,
    ) -> None:
        self.faults: list[Diagnostic] = []
        self._digests = preparation.digested.digests
        self._policy = preparation.policy
        self._config = config
        self._history = history
        self._in_use = in_use
        self._memo = memo
        self._common = common_key(program, preparation.policy, config)

    def lock(self, outcomes: Iterable[PairOutcome]) -> Iterator[LockedPair]:
        """The files of the pairs that compiled: those of an earlier run for the same inputs, or made now."""
        pending = [
            self._prepare(outcome, outcome.compiled) for outcome in outcomes if outcome.compiled is not None
        ]
        known = self._memo.recall(pair.key for pair in pending)
        for pair in pending:
            yield self._lock(pair, known.get(pair.key))

    def _prepare(self, outcome: PairOutcome, compiled: CompiledPair) -> _Pending:
        needed = self._in_use.get(outcome.pair.namespace, frozenset())
        revisions = self._config.retention.revisions
        remembers = revisions > 1 or needed
        path = lock_path(outcome.pair)
        history = remembered_history(self._history, path, revisions, needed) if remembers else None
        key = pair_key(self._common, compiled, self._digests.of, history, needed)
        return _Pending(outcome, compiled, key, partial(self._make, compiled, history, needed))

    def _lock(self, pending: _Pending, known: bytes | None) -> LockedPair:
        files = decode_pair(known) if known is not None else self._write(pending)
        pair = pending.outcome.pair
        needed = self._in_use.get(pair.namespace, frozenset())
        listed = {*files.manifests, *files.retained}
        retained = [*files.retained, *self._returning(pair, needed, listed)]
        output = self._output(pair, files.lock, files.manifests, retained)
        self.faults += carrying.carried_size_problem(output, pending.compiled.nodes[0].template.document)
        return LockedPair(pending.outcome, files.revision, output, lambda: pending.make()[0])

    def _write(self, pending: _Pending) -> RememberedPair:
        lock, text = pending.make()
        boundaries = pending.compiled.boundaries
        manifests = {manifest.name: manifest.built.content for _, manifest in boundaries}
        names = tuple(name for earlier in lock.retained for name in earlier.actor_templates)
        written = RememberedPair(lock.revision, text, manifests, names)
        self._memo.remember(pending.key, encode_pair(written))
        return written

    def _make(
        self, compiled: CompiledPair, history: LockHistory | None, needed: frozenset[str]
    ) -> tuple[Lock, bytes]:
        from kagent_render.revision.lock_document import seal_with_document, set_retained
        from kagent_render.revision.pinning import pin_pair
        from kagent_render.revision.retention import retain

        lock, document = seal_with_document(pin_pair(compiled, self._digests, self._policy))
        retained = retain(lock, history, self._config.retention.revisions, needed)
        set_retained(document, retained)
        return dataclasses.replace(lock, retained=retained), dump(document).encode()

    def outlive(self, pair: PairRef, names: Iterable[str]) -> PairOutput:
        """The files of a pair that is gone: no lock, and only manifests that instances need."""
        return self._output(pair, None, {}, names)

    def _output(
        self, pair: PairRef, lock: bytes | None, manifests: Mapping[str, bytes], names: Iterable[str]
    ) -> PairOutput:
        retained, carried = self._retained(pair, names), carrying.is_carried(self._config.target)
        foreign = carrying.foreign_names(retained, self._config.target)
        return PairOutput(pair, lock, manifests, retained, carried, foreign)

    def _retained(self, pair: PairRef, names: Iterable[str]) -> dict[str, bytes]:
        """The manifests of earlier revisions as they are; a fault for each that is gone or was edited."""
        found = {name: self._history.manifest(manifest_path(pair, name)) for name in names}
        for name, content in found.items():
            if content is None:
                self.faults.append(_lost(self._config, pair, name, "is gone"))
            elif not self._is_intact(pair, name, content):
                self.faults.append(_lost(self._config, pair, name, "was edited by hand"))
        return {name: content for name, content in found.items() if content is not None}

    def _is_intact(self, pair: PairRef, name: str, content: bytes) -> bool:
        """Whether a manifest was written for the pair under its name; looked at once for each content."""
        from kagent_render.source.failure import YAMLInvalidError
        from kagent_render.source.yaml import read_yaml
        from kagent_render.target.generations import generation_of_manifest

        key = digest_key(["intact", self._common, str(pair), name, hashlib.sha256(content).hexdigest()])
        if self._memo.recall([key]):
            return True
        try:
            documents = read_yaml(content)
        except YAMLInvalidError:
            return False
        value = documents[0].value if len(documents) == 1 else None
        if not isinstance(value, dict):
            return False
        generation = generation_of_manifest(value)
        intact = generation.is_intact(content, value, name, pair.namespace, pair.harness, pair.template)
        if intact:
            self._memo.remember(key, b"intact")
        return intact

    def _returning(self, pair: PairRef, needed: frozenset[str], listed: Collection[str]) -> list[str]:
        """ActorTemplates in use that stand in the pair's folder although no lock lists them (any more)."""
        return sorted(
            name
            for name in needed.difference(listed)
            if is_dns_subdomain(name)
            and place_of(manifest_path(pair, name)) is not None
            and self._history.manifest(manifest_path(pair, name)) is not None
        )


def remembered_history(
    history: History, path: str, revisions: int, in_use: Collection[str]
) -> LockHistory | None:
    """What was committed of a lock, without what the lock that is there now has let go (decision 42)."""
    committed = history.lock(path)
    if committed is None or not committed.retained:
        return committed
    # Most roots retain nothing, and need not load what reads a whole lock.
    from kagent_render.revision.lock_file import LockProblem
    from kagent_render.revision.lock_reading import read_lock
    from kagent_render.revision.retention import without_let_go

    text = history.present(path)
    present = read_history(text) if text is not None else None
    if text is None or present is None:
        return committed
    remaining = without_let_go(committed, present, revisions, in_use)
    # Only a whole lock is taken at its word: not one with conflict markers, nor one that was edited.
    if remaining == committed or isinstance(read_lock(text, path), LockProblem):
        return committed
    return remaining


def _lost(config: RenderConfig, pair: PairRef, name: str, problem: str) -> Diagnostic:
    path = f"{config.output}/{manifest_path(pair, name)}"
    return Diagnostic(
        Reason.OUTPUT_DRIFT,
        f"the manifest of the retained ActorTemplate `{name}` {problem}",
        hint=f"restore `{path}` from Git; instances of the earlier revision need it",
        source=SourcePosition(path, 1, 1),
        pair=pair,
    )
