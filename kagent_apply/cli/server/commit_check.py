"""Holds the newest commit of a ref against itself, as `kagent-render check --frozen --rev` does.

That is the renderer's command without its arguments and its printing, so that a cluster is told what a review
was told. It reads Git objects alone: no work tree, no network, no cache of the user's.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_apply.cluster.capabilities import published_capabilities
from kagent_apply.cluster.committed import (
    Committed,
    CommittedHarness,
    CommittedPair,
    CommitUnreadableError,
    ObjectName,
    Verdict,
)
from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.local_repository import LocalRepository
from kagent_apply.revisions.repository import RefError
from kagent_render.cli.check import check_root
from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.options import Settings
from kagent_render.cli.output import CommittedFolder
from kagent_render.cli.progress import Progress
from kagent_render.cli.roots import nested_roots, roots_at
from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.capabilities.record import choose_record
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.folder import OutputError
from kagent_render.emit.layout import Role, place_of
from kagent_render.preparation.completeness import image_of, worker_pool_of
from kagent_render.preparation.in_use import knows_what_is_in_use, names_in_use
from kagent_render.revision.lock import Lock
from kagent_render.revision.lock_reading import read_lock
from kagent_render.source.reader import ReadError
from kagent_render.source.repository import RepositoryError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kagent_render.api.hub import Harness
    from kagent_render.cli.check import CheckedRoot
    from kagent_render.cli.report import PairReport
    from kagent_render.cli.run import RootRun
    from kagent_render.diagnostics.diagnostic import PairRef

_LONGEST_LOCK: Final = 64 * 1024 * 1024


class CommitCheck:
    """Reads the newest commit of a ref of a repository on this machine; one that was read is remembered."""

    def __init__(self, repository: Path, ref: str) -> None:
        self._repository = repository
        self._ref = ref
        self._known: Committed | None = None

    def __call__(self) -> Committed:
        """What the newest commit says; raises CommitUnreadableError."""
        commit = self._newest()
        if self._known is None or self._known.commit != commit:
            self._known = check_commit(self._repository, commit)
        return self._known

    def _newest(self) -> str:
        """The commit that what serves is read from: of a branch and a tag of one name, that of the branch."""
        try:
            with closing(LocalRepository(self._repository, self._ref)) as repository:
                return repository.tip().id
        except (RefError, ValueError) as error:
            raise CommitUnreadableError(str(error)) from None


def check_commit(repository: Path, commit: str) -> Committed:
    """Check every root of a commit; raises CommitUnreadableError."""
    try:
        return _checked(repository, commit)
    except (RepositoryError, ReadError, OutputError, EnvironmentFailure) as error:
        raise CommitUnreadableError(f"the commit `{commit}` cannot be read: {error}") from None


def _checked(repository: Path, commit: str) -> Committed:
    settings = Settings(repository, locked=True, offline=True, revision=commit, format="json", cached=False)
    reading = _Reading(commit)
    for root in roots_at(settings, nested_roots(settings)):
        reading.add(check_root(root, settings, Progress(colour=False)))
    return reading.committed()


@dataclass(slots=True)
class _Reading:
    """The roots of a commit as they are checked."""

    commit: str
    pairs: list[CommittedPair] = field(default_factory=list)
    harnesses: list[CommittedHarness] = field(default_factory=list)
    digests: dict[ObjectName, str] = field(default_factory=dict)
    names: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    known: set[AgentName] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)

    def add(self, checked: CheckedRoot) -> None:
        place = checked.report.root.place or "."
        if checked.run is None:
            self.problems.append(f"the configuration of `{place}` is not valid")
            return
        self.pairs += [_pair(report) for report in checked.report.pairs]
        self.harnesses += _harnesses(checked.run)
        self._add_digests(checked.run)
        if not knows_what_is_in_use(checked.report.diagnostics):
            self.problems.append(f"an InUse document of `{place}` cannot be read")
        for namespace, names in names_in_use(checked.run.preparation.documents).items():
            self.names[namespace] |= names
        self._add_output(CommittedFolder(checked.report.root.written, checked.run.config.output))

    def committed(self) -> Committed:
        return Committed(
            self.commit,
            tuple(self.pairs),
            tuple(self.harnesses),
            self.digests,
            {namespace: frozenset(names) for namespace, names in self.names.items()},
            frozenset(self.known),
            "; ".join(self.problems[:3]),
        )

    def _add_digests(self, run: RootRun) -> None:
        inventory, digests = run.preparation.inventory, run.preparation.digested.digests.of
        for resource in (*inventory.harnesses.values(), *inventory.templates.values()):
            self.digests[resource.ref.kind, resource.namespace, resource.name] = digests[resource.ref]
        self.digests.update(dict.fromkeys(inventory.broken, ""))
        if any(found.reason is Reason.YAML_INVALID for found in run.diagnostics):
            self.problems.append("a file cannot be read, which may hold anything")

    def _add_output(self, folder: CommittedFolder) -> None:
        """What manifests and locks name, those of pairs that are gone included."""
        for entry in folder.entries():
            place = place_of(entry.path)
            if place is None or place.pair is None:
                continue
            if place.role is Role.MANIFEST:
                self._name(place.pair, entry.path.rpartition("/")[2].removesuffix(".yaml"))
            elif place.role is Role.LOCK:
                self._add_lock(place.pair, entry.path, folder)

    def _add_lock(self, pair: PairRef, path: str, folder: CommittedFolder) -> None:
        lock = read_lock(folder.read(path, _LONGEST_LOCK), path)
        if not isinstance(lock, Lock):
            self.problems.append(f"the lock of `{pair}` cannot be read")
            return
        retained = [name for revision in lock.retained for name in revision.actor_templates]
        for name in (*lock.actor_templates, *retained):
            self._name(pair, name)

    def _name(self, pair: PairRef, actor_template: str) -> None:
        self.names[pair.namespace].add(actor_template)
        self.known.add(_agent(pair))


def _agent(pair: PairRef) -> AgentName:
    return AgentName(pair.namespace, pair.harness, pair.template)


def _pair(report: PairReport) -> CommittedPair:
    verdicts = tuple(
        Verdict(str(found.type), "True" if found.status else "False", str(found.reason), found.message)
        for found in report.conditions
    )
    return CommittedPair(_agent(report.pair), report.revision or "", verdicts)


def _harnesses(run: RootRun) -> Iterator[CommittedHarness]:
    for harness in run.preparation.inventory.harnesses.values():
        yield _harness(harness, run)


def _harness(harness: Harness, run: RootRun) -> CommittedHarness:
    """A Harness with the record of its runtime (DESIGN 11), and the first fault that is told at it."""
    policy = run.preparation.policy
    records = run.preparation.records.known
    record = choose_record(records, adapter_of(harness.variant).NAME, image_of(harness, policy))
    faults = (found for found in run.preparation.told if found.is_error and found.object == harness.ref)
    fault = next(((str(found.reason), found.message) for found in faults), None)
    return CommittedHarness(
        harness.namespace,
        harness.name,
        published_capabilities(record) if record is not None else {},
        worker_pool_of(harness, policy),
        fault,
    )
