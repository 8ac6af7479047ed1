"""One side of one root for a review: prepared in memory, and held against the output that is there."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from kagent_render.cli.diff.committed_locks import CommittedLock, CommittedLocks
from kagent_render.cli.output import CommittedFolder, naming_folders_of, open_output
from kagent_render.cli.run import hold_against_output, prepare_root
from kagent_render.diagnostics.diagnostic import distinct
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import Role, place_of
from kagent_render.review.config_facts import config_facts
from kagent_render.review.coverage import agent_fields, lock_fields
from kagent_render.review.lock_facts import lock_facts
from kagent_render.review.pair_facts import pair_facts
from kagent_render.review.side import State, SubjectSide, standing
from kagent_render.revision.lock import Lock
from kagent_render.revision.staleness import is_of_another_release

if TYPE_CHECKING:
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.cli.run import RootRun
    from kagent_render.diagnostics.diagnostic import Diagnostic, PairRef
    from kagent_render.emit.folder import OutputReader
    from kagent_render.emit.layout import Owner
    from kagent_render.preparation.flow import Preparation
    from kagent_render.preparation.output import LockedPair
    from kagent_render.preparation.pair import PairOutcome
    from kagent_render.preparation.platform_agents import AgentOutcome
    from kagent_render.source.reader import Reader

_UNREADABLE = "its configuration is not valid, so nothing of it can be compared"
_INCOMPLETE = "not all of it can be read or prepared"
_BLOCKED = "a document that it needs is not valid"
_FOREIGN = "its output folder is not as kagent-render wrote it"


@dataclass(frozen=True, slots=True)
class ReviewedRoot:
    """One root on one side; `preparation` is None where its configuration is not valid.

    `own` is the root itself as a subject, `subjects` its pairs and PlatformAgents.
    """

    root: Root
    own: SubjectSide
    subjects: Mapping[Owner, SubjectSide] = field(default_factory=dict)
    diagnostics: Sequence[Diagnostic] = ()
    preparation: Preparation | None = None


def read_side(root: Root, settings: Settings, progress: Progress) -> ReviewedRoot:
    """Prepare a root from what its locks pin; the network is asked only for what none of them does."""
    if root.config is None:
        own = SubjectSide(State.FAILED, _messages(root.faults), meaning=_UNREADABLE)
        return ReviewedRoot(root, own, diagnostics=root.faults)
    with naming_folders_of(root), open_output(root, root.config.output) as output:
        preparation = prepare_root(root, root.config, dataclasses.replace(settings, offline=True), progress)
        if not settings.offline and _lacks_content(preparation):
            preparation = prepare_root(root, root.config, settings, progress)
        run = hold_against_output(root, root.config, settings, preparation, output)
        reading = _Reading(run, output)
        subjects = reading.subjects()
    told = distinct([*root.faults, *run.diagnostics])
    return ReviewedRoot(root, _own(root, run), subjects, told, preparation)


def left_behind(side: ReviewedRoot, files: Reader) -> dict[Owner, SubjectSide]:
    """What is left of a root's subjects among `files`, which are no root any more: locks that still run."""
    if side.root.config is None:
        return {}
    locks = CommittedLocks(CommittedFolder(files, side.root.config.output))
    found = {owner: locks.of(owner) for owner in side.subjects}
    return {
        owner: SubjectSide(State.LEFT, committed=lock.facts, revision=lock.revision)
        for owner, lock in found.items()
        if lock.is_there
    }


def _lacks_content(preparation: Preparation) -> bool:
    return any(found.reason is Reason.ARTIFACT_UNAVAILABLE_OFFLINE for found in preparation.told)


def _own(root: Root, run: RootRun) -> SubjectSide:
    """The root itself: its configuration, and what is wrong with no pair and no agent of its own."""
    facts = tuple(config_facts(run.config))
    if run.config.target is not None and run.preparation.inventory.harnesses:
        from kagent_render.review.shape_facts import shape_facts

        facts += tuple(shape_facts(run.preparation.policy))
    files = {"": repr([(fact.key, fact.value, fact.seal) for fact in facts]).encode()}
    told = (*root.faults, *run.preparation.diagnostics, *run.planned.diagnostics)
    errors = [found for found in told if found.is_error and found.pair is None]
    foreign = [found for found in run.currency.general if found.is_error and found.pair is None]
    state, meaning = State.CURRENT, ""
    if foreign:
        state, meaning = State.DAMAGED, _FOREIGN
    if errors:
        state, meaning = State.FAILED, _INCOMPLETE
    messages = _messages([*errors, *foreign])
    return SubjectSide(state, messages, files, lambda: facts, meaning=meaning)


def _messages(findings: Iterable[Diagnostic]) -> tuple[str, ...]:
    """What is told of each error."""
    return tuple(dict.fromkeys(found.message for found in findings if found.is_error))


class _Reading:
    """Takes the subjects of one run apart while its output can be read."""

    def __init__(self, run: RootRun, output: OutputReader) -> None:
        self._run = run
        self._locks = CommittedLocks(output)

    def subjects(self) -> dict[Owner, SubjectSide]:
        """Every pair and PlatformAgent of the root, and those of which only a lock is left."""
        run = self._run
        asked: dict[Owner, SubjectSide] = {
            outcome.pair: self._pair(outcome) for outcome in run.preparation.pairs
        }
        asked.update({outcome.ref: self._agent(outcome) for outcome in run.preparation.agents.outcomes})
        kept = {owner: self._failed(owner) for owner in run.planned.plan.kept if owner not in asked}
        return {**asked, **kept, **{owner: self._left(owner) for owner in self._orphans()}}

    def _orphans(self) -> Iterator[Owner]:
        for path in self._run.currency.comparison.orphaned:
            place = place_of(path)
            if place is not None and place.role is Role.LOCK and place.owner is not None:
                yield place.owner

    def _pair(self, outcome: PairOutcome) -> SubjectSide:
        run, pair, compiled = self._run, outcome.pair, outcome.compiled
        locked = run.planned.pairs.get(pair)
        if compiled is None or locked is None:
            return self._failed(pair, outcome.diagnostics, blocked=outcome.blocked)
        findings, policy = [*run.currency.by_pair[pair], *self._lost(pair)], run.preparation.policy
        output = locked.output
        side = SubjectSide(
            standing(findings),
            _messages(findings),
            {"lock": output.lock or b"", **output.manifests, **output.retained},
            lambda: (*lock_facts(locked.lock), *pair_facts(compiled, policy)),
            lambda: tuple(lock_facts(locked.lock)),
            locked.revision,
            fields=lambda: lock_fields(locked.lock),
            retained=output.retained,
        )
        return side if side.is_current else self._stale(side, pair, partial(self._explains, locked))

    def _lost(self, pair: PairRef) -> Iterator[Diagnostic]:
        """What is wrong with manifests of a pair's earlier revisions."""
        return (found for found in self._run.planned.diagnostics if found.pair == pair)

    def _explains(self, locked: LockedPair, known: CommittedLock) -> bool:
        """Whether another release alone made a lock what it is."""
        own = self._run.preparation.records.own
        return isinstance(known.lock, Lock) and is_of_another_release(known.lock, locked.lock, own)

    def _agent(self, outcome: AgentOutcome) -> SubjectSide:
        locked, compiled = self._run.agents.get(outcome.ref), outcome.compiled
        if compiled is None or locked is None:
            return self._failed(outcome.ref, outcome.faults, blocked=outcome.blocked)
        # A root of pairs alone loads none of it.
        from kagent_render.agentplugin import staleness
        from kagent_render.agentplugin.lock import AgentLock
        from kagent_render.review.agent_facts import agent_facts, agent_lock_facts

        lock, findings = locked.lock, self._run.agent_currency.by_agent[outcome.ref]
        side = SubjectSide(
            standing(findings),
            _messages(findings),
            locked.output.files,
            lambda: (*agent_lock_facts(lock), *agent_facts(compiled)),
            lambda: tuple(agent_lock_facts(lock)),
            lock.revision,
            fields=lambda: agent_fields(lock),
        )

        def explains(known: CommittedLock) -> bool:
            return isinstance(known.lock, AgentLock) and staleness.is_of_another_release(known.lock, lock)

        return side if side.is_current else self._stale(side, outcome.ref, explains)

    def _stale(
        self, side: SubjectSide, owner: Owner, explains: Callable[[CommittedLock], bool]
    ) -> SubjectSide:
        """A side whose lock is not what the manifests give, with what the lock says itself."""
        known = self._locks.of(owner)
        released = side.state is State.STALE and known.intact and explains(known)
        state = State.RELEASE if released else side.state
        return dataclasses.replace(side, state=state, committed=known.facts, revision=known.revision)

    def _failed(
        self, owner: Owner, faults: Iterable[Diagnostic] = (), *, blocked: bool = True
    ) -> SubjectSide:
        known = self._locks.of(owner)
        told = (*_messages(faults), *((_BLOCKED,) if blocked else ()))
        return SubjectSide(State.FAILED, told, committed=known.facts, revision=known.revision)

    def _left(self, owner: Owner) -> SubjectSide:
        known = self._locks.of(owner)
        return SubjectSide(State.LEFT, committed=known.facts, revision=known.revision)
