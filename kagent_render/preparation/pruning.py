"""Which retained ActorTemplates may go without rendering anew, and the output that is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import KUSTOMIZATION, Role, lock_path, manifest_path, pair_folder, place_of
from kagent_render.emit.plan import OutputPlan, PairOutput, pair_kustomization, plan_output
from kagent_render.preparation.carrying import foreign_names, is_carried
from kagent_render.preparation.kept import outliving_manifests
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock_document import set_retained
from kagent_render.revision.lock_file import LockProblem
from kagent_render.revision.lock_history import LockHistory, read_history
from kagent_render.revision.lock_reading import read_lock
from kagent_render.revision.retained import RetainedRevision
from kagent_render.revision.retention import continues, known_to, retain, without_let_go
from kagent_render.source.yaml import read_yaml
from kagent_render.target.generations import newest_target

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.emit.folder import OutputReader
    from kagent_render.emit.layout import Owner
    from kagent_render.preparation.output import History

_LARGEST = 64 * 1024 * 1024
"""Bytes up to which a file of the output is read."""


@dataclass(frozen=True, slots=True)
class PrunedPair:
    """What goes of one pair, and what only instances still hold; `gone` where nothing asks for the pair."""

    pair: PairRef
    removed: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Pruning:
    """The pairs of which something goes or is held, the output that is left, and what was left alone."""

    pairs: tuple[PrunedPair, ...]
    plan: OutputPlan
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Keeping:
    """What stays: so many revisions, of those that RenderConfig allows, and what is in use by namespace.

    With a `base`, a branch's own revisions go first: those that no lock there knows. `target` is that of
    the root, for pairs that are gone.
    """

    keep: int
    revisions: int
    in_use: Mapping[str, frozenset[str]]
    base: History | None = None
    target: str = ""


def plan_pruning(
    output: OutputReader, folder: str, asked: Collection[Owner], history: History, keeping: Keeping
) -> Pruning:
    """Plan the pruning of the output `folder`; whoever is not `asked` for any more is gone."""
    pruner = _Pruner(output, folder, asked, history, keeping)
    owners = sorted(pruner.owners(), key=str)
    outputs = [found for owner in owners if (found := pruner.prune(owner)) is not None]
    plan = plan_output([*outputs, *pruner.outliving()], pruner.untouched, carried=is_carried(keeping.target))
    return Pruning(tuple(pruner.pairs), plan, tuple(pruner.faults))


class _Pruner:
    """One output folder as it is pruned; `untouched` are pairs and agents that stay as they are."""

    def __init__(
        self,
        output: OutputReader,
        folder: str,
        asked: Collection[Owner],
        history: History,
        keeping: Keeping,
    ) -> None:
        self.pairs: list[PrunedPair] = []
        self.faults: list[Diagnostic] = []
        self.untouched: set[Owner] = set()
        self._output = output
        self._folder = folder
        self._named = asked
        self._history = history
        self._keeping = keeping
        self._paths = {entry.path for entry in output.entries()}
        self._standing = self._by_pair()
        # Manifests alone are what a killed run left, or what stayed of a pair that nobody asked for then.
        self._asked = self._written() & set(asked)

    def owners(self) -> set[Owner]:
        """Who is asked for and was written."""
        return self._asked

    def _by_pair(self) -> dict[PairRef, list[str]]:
        """The ActorTemplates that have a manifest, of every pair that has any file."""
        found: dict[PairRef, list[str]] = {}
        for path in sorted(self._paths):
            place = place_of(path)
            if place is not None and place.pair is not None:
                names = found.setdefault(place.pair, [])
                names += (
                    [path.rpartition("/")[2].removesuffix(".yaml")] if place.role is Role.MANIFEST else []
                )
        return found

    def _written(self) -> set[Owner]:
        places = [place for path in self._paths if (place := place_of(path)) is not None]
        return {place.owner for place in places if place.owner and place.role is not Role.MANIFEST}

    def prune(self, owner: Owner) -> PairOutput | None:
        """The files that are left of a pair; None, with the owner untouched, where nothing changes."""
        from kagent_render.diagnostics.diagnostic import PairRef

        path = lock_path(owner)
        outcome = self._prune(owner, path) if isinstance(owner, PairRef) and path in self._paths else None
        if outcome is None:
            self.untouched.add(owner)
        return outcome

    def outliving(self) -> list[PairOutput]:
        """The files that are left of pairs that are gone."""
        held = outliving_manifests(self._output, self._asked, self._keeping.in_use)
        written: dict[PairRef, list[str]] = {}
        for path in sorted(self._paths):
            place = place_of(path)
            if place is not None and place.pair is not None and place.pair not in self._asked:
                names = written.setdefault(place.pair, [])
                names += (
                    [path.rpartition("/")[2].removesuffix(".yaml")] if place.role is Role.MANIFEST else []
                )
        for pair, names in written.items():
            kept = tuple(held.get(pair, ()))
            removed = tuple(name for name in names if name not in kept)
            self.pairs.append(PrunedPair(pair, removed, kept, gone=pair not in self._named))
        return [self._gone(pair, names) for pair, names in held.items()]

    def _gone(self, pair: PairRef, names: Iterable[str]) -> PairOutput:
        retained, target = self._read_all(pair, names), self._keeping.target
        carried = is_carried(target)
        foreign = foreign_names(retained, target)
        return PairOutput(pair, None, {}, retained, carried=carried, foreign=foreign)

    def _prune(self, pair: PairRef, path: str) -> PairOutput | None:
        text = self._output.read(path, _LARGEST)
        own = read_history(text)
        if own is None:
            self._is_valid(text, pair, path)
            return None
        base = self._base(own, pair, path)
        if base is None:
            self.faults.append(self._stale(pair, path))
            return None
        in_use, current = self._in_use(pair), own.current
        if self._keeping.base is not None:
            base = known_to(base, self._keeping.base.lock(path), in_use)
        kept = _still_listed(own, retain(current, base, self._count(own, base), in_use))
        # What stands there without a lock that lists it stays too while it is in use, as `render` has it.
        present = self._manifests(pair)
        listed = {*_names(kept), *(name for name in present if name in in_use)} - {*current.actor_templates}
        needed = {*current.actor_templates, *listed}
        removed = [name for name in _names(own.retained) if name not in needed]
        recent = {*current.actor_templates, *_names(retain(current, base, self._count(own, base)))}
        # Newest first, as `render` has them: what does not fit into a ConfigMap is the last of them.
        earlier = [name for name in _names(kept) if name in listed]
        earlier += sorted(listed.difference(earlier))
        settled = kept == own.retained and self._is_settled(pair, text, current.actor_templates, earlier)
        # Reading the whole of a lock takes long, and is needed only where something is to go.
        if not settled and not (
            self._is_valid(text, pair, path) and self._is_whole(pair, needed, told=kept != own.retained)
        ):
            return None
        self._tell(pair, removed, listed - recent)
        if settled:
            return None
        text = text if kept == own.retained else _with_retained(text, kept)
        return self._standing_output(pair, text, current.actor_templates, earlier)

    def _standing_output(
        self, pair: PairRef, lock: bytes, current: Iterable[str], earlier: Iterable[str]
    ) -> PairOutput:
        """A pair of the files that are there, which say themselves how they reach a cluster."""
        manifests, retained = self._read_all(pair, current), self._read_all(pair, earlier)
        target = newest_target(manifests.values())
        carried, foreign = is_carried(target), foreign_names(retained, target)
        return PairOutput(pair, lock, manifests, retained, carried=carried, foreign=foreign)

    def _is_valid(self, text: bytes, pair: PairRef, path: str) -> bool:
        """Whether a lock can be relied on; tells what is wrong with it."""
        lock = read_lock(text, f"{self._folder}/{path}")
        if isinstance(lock, LockProblem):
            self.faults.append(lock.diagnostic.of(pair))
            return False
        return True

    def _is_settled(
        self, pair: PairRef, lock: bytes, current: Collection[str], earlier: Collection[str]
    ) -> bool:
        """Whether a pair's folder has just these manifests, and its kustomization is theirs."""
        path = f"{pair_folder(pair)}/{KUSTOMIZATION}"
        if path not in self._paths or set(self._manifests(pair)) != {*current, *earlier}:
            return False
        wanted = pair_kustomization(self._standing_output(pair, lock, current, earlier)).encode()
        return self._output.read(path, len(wanted) + 1) == wanted

    def _manifests(self, pair: PairRef) -> list[str]:
        """The ActorTemplates that have a manifest in the pair's folder."""
        return self._standing.get(pair, [])

    def _base(self, own: LockHistory, pair: PairRef, path: str) -> LockHistory | None:
        """What the next render would retain from; None where the lock does not go on from HEAD's."""
        committed = self._history.lock(path)
        if committed is None or not own.retained or self._history.present(path) is None:
            return own
        if not continues(own, committed):
            return None
        return without_let_go(committed, own, self._keeping.revisions, self._in_use(pair))

    def _in_use(self, pair: PairRef) -> frozenset[str]:
        return self._keeping.in_use.get(pair.namespace, frozenset())

    def _count(self, own: LockHistory, base: LockHistory) -> int:
        """How many revisions count as recent: what HEAD holds is deployed, and stays beside its successor."""
        if own.current.revision == base.current.revision:
            return self._keeping.keep
        return max(self._keeping.keep, min(self._keeping.revisions, 2))

    def _tell(self, pair: PairRef, removed: Sequence[str], held: Collection[str]) -> None:
        if removed or held:
            self.pairs.append(PrunedPair(pair, tuple(removed), tuple(sorted(held))))

    def _is_whole(self, pair: PairRef, names: Iterable[str], *, told: bool) -> bool:
        """Whether every manifest that stays is there; a pair without one is left to `render`."""
        missing = [name for name in sorted(names) if manifest_path(pair, name) not in self._paths]
        for name in missing if told else ():
            path = f"{self._folder}/{manifest_path(pair, name)}"
            self.faults.append(
                Diagnostic(
                    Reason.OUTPUT_DRIFT,
                    f"`{path}` is missing, so that the pair is left as it is",
                    hint="run `kagent-render render`",
                    source=SourcePosition(path, 1, 1),
                    pair=pair,
                )
            )
        return not missing

    def _stale(self, pair: PairRef, path: str) -> Diagnostic:
        return Diagnostic(
            Reason.LOCK_STALE,
            f"the lock of `{pair}` does not go on from the one at HEAD, so that the pair is left as it is",
            hint="run `kagent-render render`, which retains what HEAD's lock does",
            source=SourcePosition(f"{self._folder}/{path}", 1, 1),
            pair=pair,
        )

    def _read_all(self, pair: PairRef, names: Iterable[str]) -> dict[str, bytes]:
        return {name: self._output.read(manifest_path(pair, name), _LARGEST) for name in names}


def _still_listed(own: LockHistory, kept: Iterable[RetainedRevision]) -> tuple[RetainedRevision, ...]:
    """What is kept of what the lock lists: pruning brings nothing back."""
    listed = {(earlier.revision, name) for earlier in own.retained for name in earlier.actor_templates}
    found = (
        RetainedRevision(
            earlier.revision,
            tuple(name for name in earlier.actor_templates if (earlier.revision, name) in listed),
        )
        for earlier in kept
    )
    return tuple(earlier for earlier in found if earlier.actor_templates)


def _with_retained(text: bytes, retained: tuple[RetainedRevision, ...]) -> bytes:
    document = read_yaml(text)[0].value
    set_retained(document, retained)
    return dump(document).encode()


def _names(retained: Iterable[RetainedRevision]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for earlier in retained for name in earlier.actor_templates))
