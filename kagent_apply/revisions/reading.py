"""What a commit says of every pair, and where it cannot be used, what the commits before it said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.revisions.listing import Lister, Place
from kagent_apply.revisions.memo import Memo
from kagent_apply.revisions.pair_reading import CommittedRevision, UnusableError, read_pair
from kagent_apply.revisions.repository import HISTORY, ObjectError
from kagent_apply.revisions.trees import Trees
from kagent_render.artifacts.failure import printable
from kagent_render.emit.layout import LOCK
from kagent_render.target.actor_template import manifest_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_apply.instances.requests import AgentName
    from kagent_apply.revisions.listing import Listing, Scope
    from kagent_apply.revisions.repository import Commit, Repository

MOST_BYTES: Final = 512 << 20
"""How many bytes the locks and manifests of one reading may have together, since all are held in memory."""

_MANIFESTS: Final = "actortemplates"


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a commit's files of a pair cannot be used; `faulty` where an object of the repository is why."""

    problem: str
    faulty: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One pair at a commit; `root` is the folder of its RenderConfig.

    `candidate` is the newest revision that can be used, whose id is `committed` where it is the commit's own;
    else `problem` says why that is not. `withdrawn` where it was not listed after the last one that could be
    used: what served before does not go on.
    """

    agent: AgentName
    root: str
    committed: str
    candidate: CommittedRevision | None
    problem: str = ""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """Every pair of one commit; `whole` unless some object could not be read, which may come later.

    `parts` says why some parts of the commit do not tell their pairs.
    """

    commit: str
    pairs: Mapping[AgentName, Found]
    whole: bool = True
    parts: tuple[str, ...] = ()


class CommitReader:
    """Reads commits of one repository; what did not change since the last one is not parsed again."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._trees = Trees(repository)
        self._lister = Lister(self._trees)
        self._pairs: Memo[tuple[AgentName, str], CommittedRevision | Unusable | None] = Memo()
        self._known: Mapping[AgentName, Found] = {}
        self._taken = 0

    def read(self, tip: Commit, before: Reading | None) -> Reading:
        """The pairs of a commit, given what was read before it; raises RefError."""
        self._known = before.pairs if before is not None else {}
        self._taken = 0
        listing = self._lister.list_pairs(tip)
        states = dict(self._states(listing, listing.places))
        states |= self._unlisted(listing, before)
        found = {
            agent: Found(agent, root, state.revision.revision, state)
            for agent, (root, state) in states.items()
            if isinstance(state, CommittedRevision)
        }
        unusable = {agent: (r, state) for agent, (r, state) in states.items() if isinstance(state, Unusable)}
        if unusable or listing.broken:
            found |= _Search(self, tip, before).look(unusable, listing.broken)
        self._turn()
        faulty = listing.faulty or any(state.faulty for _, state in unusable.values())
        return Reading(tip.id, found, not faulty, tuple(listing.broken.values()))

    def list_pairs(self, commit: Commit) -> Listing:
        """The list of a commit; raises RefError."""
        return self._lister.list_pairs(commit)

    def ancestor(self, commit: str) -> Commit:
        """A commit before the tip; raises ObjectError where history was cut off."""
        return self._repository.ancestor(commit)

    def states(
        self, listing: Listing, agents: Iterable[AgentName]
    ) -> Mapping[AgentName, CommittedRevision | Unusable | None]:
        """What a commit has of some pairs; None of those that it does not list. Raises RefError."""
        listed = dict(self._states(listing, [agent for agent in agents if agent in listing.places]))
        return {agent: listed[agent][1] if agent in listed else None for agent in agents}

    def _states(
        self, listing: Listing, agents: Iterable[AgentName]
    ) -> Iterator[tuple[AgentName, tuple[str, CommittedRevision | Unusable | None]]]:
        single = []
        for agent in agents:
            places = listing.places[agent]
            if len(places) == 1:
                single.append(places[0])
            else:
                yield agent, (places[0].root, Unusable(_twice(places)))
        self._gather(single)
        for place in single:
            yield place.agent, (place.root, self._state(place))

    def _state(self, place: Place) -> CommittedRevision | Unusable | None:
        tree = place.tree
        if tree is None:
            return Unusable(f"`{printable(place.folder)}` is listed and is no folder")
        if self._taken > MOST_BYTES:
            return Unusable(f"the revisions of the commit together take more than {MOST_BYTES >> 20} MiB")
        try:
            state = self._pairs.get((place.agent, tree), lambda: self._read(place, tree))
        except ObjectError as error:
            return Unusable(str(error), faulty=True)
        self._taken += state.size if isinstance(state, CommittedRevision) else 0
        return state

    def _read(self, place: Place, tree: str) -> CommittedRevision | Unusable | None:
        """What a pair's folder holds; None where it has no lock, but what retention keeps of a pair gone."""
        try:
            lock = self._trees.file(tree, LOCK)
            if lock is None:
                return None
            data = self._trees.blob(lock)
            return self._same(place.agent, data, tree) or read_pair(
                place.agent, data, lambda path: self._file(tree, path)
            )
        except (UnusableError, ValueError) as error:
            return Unusable(f"{error} in `{printable(place.folder)}`")
        except RecursionError:
            return Unusable(f"`{printable(place.folder)}` has a file that is nested too deeply")

    def _same(self, agent: AgentName, lock: bytes, tree: str) -> CommittedRevision | None:
        """What was verified before, by a process that is gone perhaps, where it is the same byte for byte."""
        known = self._known[agent].candidate if agent in self._known else None
        if known is None or known.lock != lock:
            return None
        members = known.revision.members
        same = all(self._file(tree, manifest_path(it.actor_template)) == it.manifest for it in members)
        return known if same else None

    def _file(self, tree: str, path: str) -> bytes | None:
        blob = self._trees.file(tree, path)
        return None if blob is None else self._trees.blob(blob)

    def _gather(self, places: Iterable[Place]) -> None:
        """Have the files of those pairs at hand that were not read before."""
        wanted: set[str] = set()
        for place in places:
            if place.tree is not None and (place.agent, place.tree) not in self._pairs:
                wanted.update(self._files(place.tree))
        self._trees.gather(wanted)

    def _files(self, tree: str) -> Iterator[str]:
        try:
            entries = [self._trees.entry(tree, LOCK)]
            if manifests := self._trees.folder(tree, _MANIFESTS):
                entries += self._trees.entries(manifests).values()
        except ObjectError:
            return
        yield from (entry.id for entry in entries if entry is not None and entry.is_file)

    def _unlisted(
        self, listing: Listing, before: Reading | None
    ) -> Iterator[tuple[AgentName, tuple[str, Unusable]]]:
        """Pairs that were there before, and of which this commit does not say whether they still are."""
        for agent, found in before.pairs.items() if before else ():
            if agent not in listing.places and (problem := listing.problem(agent, found.root)):
                yield agent, (found.root, Unusable(problem))

    def _turn(self) -> None:
        for memo in (self._trees, self._lister, self._pairs):
            memo.turn()


class _Search:
    """Looks through the history for what the tip does not tell."""

    def __init__(self, reader: CommitReader, tip: Commit, before: Reading | None) -> None:
        self._reader = reader
        self._tip = tip
        self._before = before
        self._reached = False
        self._found: dict[AgentName, Found] = {}
        self._open: dict[AgentName, tuple[str, str]] = {}

    def look(
        self, unusable: Mapping[AgentName, tuple[str, Unusable]], broken: Mapping[Scope, str]
    ) -> Mapping[AgentName, Found]:
        """The pairs that the tip has and that cannot be used, each with its newest revision that can.

        A pair of a part that cannot be listed is one of the newest commit where that can.
        """
        self._open = {agent: (root, state.problem) for agent, (root, state) in unusable.items()}
        unlisted = dict(broken)
        for commit in self._commits():
            listing = self._reader.list_pairs(commit)
            self._add_pairs(listing, unlisted)
            self._settle(listing)
            if not self._open and not unlisted:
                break
        else:
            self._inherit()
        return self._found

    def _commits(self) -> Iterator[Commit]:
        """Those after what was read before, or the last ones where that is not among them."""
        parent = self._tip.parent
        for _ in range(HISTORY):
            if not parent:
                return
            self._reached = self._before is not None and parent == self._before.commit
            if self._reached:
                return
            try:
                commit = self._reader.ancestor(parent)
            except ObjectError:
                return
            yield commit
            parent = commit.parent

    def _add_pairs(self, listing: Listing, unlisted: dict[Scope, str]) -> None:
        for scope, problem in list(unlisted.items()):
            if any(_overlaps(scope, other) for other in listing.broken):
                continue
            del unlisted[scope]
            for agent, places in listing.places.items():
                if scope.covers(agent, places[0].root) and agent not in self._found:
                    self._open.setdefault(agent, (places[0].root, problem))

    def _settle(self, listing: Listing) -> None:
        """Close each pair of which a commit says something."""
        for agent, state in self._reader.states(listing, list(self._open)).items():
            root, problem = self._open[agent]
            if isinstance(state, CommittedRevision):
                self._close(Found(agent, root, "", state, problem))
            elif state is None and listing.problem(agent, root) is None:
                self._close(Found(agent, root, "", None, problem, withdrawn=True))

    def _close(self, found: Found) -> None:
        del self._open[found.agent]
        self._found[found.agent] = found

    def _inherit(self) -> None:
        """For all that no commit since has told, what was read before holds on."""
        before = self._before.pairs if self._before and self._reached else {}
        for agent, (root, problem) in list(self._open.items()):
            known = before.get(agent)
            candidate = known.candidate if known else None
            # A pair that was not there before can have served earlier only.
            withdrawn = known.withdrawn if known else self._reached
            self._close(Found(agent, root, "", candidate, problem, withdrawn))


def _overlaps(one: Scope, other: Scope) -> bool:
    """Whether something of one part is in the other."""
    if one.namespace and other.namespace and one.namespace != other.namespace:
        return False
    return _within(one.root, other) or _within(other.root, one)


def _within(root: str, scope: Scope) -> bool:
    return root == scope.root or (scope.below and (not scope.root or root.startswith(f"{scope.root}/")))


def _twice(places: Iterable[Place]) -> str:
    roots = " and ".join(f"`{printable(place.root or '.')}`" for place in places)
    return f"the pair is in the output of several roots: {roots}"
