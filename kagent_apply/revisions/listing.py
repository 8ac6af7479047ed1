"""Which pairs a commit has: those that the kustomizations below its RenderConfigs list."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.kustomization import listed_folders, output_folder
from kagent_apply.revisions.memo import Memo
from kagent_apply.revisions.repository import ObjectError
from kagent_render.artifacts.failure import printable
from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.layout import AGENT_PLUGINS, KUSTOMIZATION, LOCK, is_representable
from kagent_render.source.config import CONFIG_FILE
from kagent_render.source.roots import folder_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_apply.revisions.repository import Commit
    from kagent_apply.revisions.trees import Trees

MOST_FOLDERS: Final = 200_000
"""How many folders of a commit are looked through: a tree that holds itself again and again has no end."""

MOST_PAIRS: Final = 50_000
"""How many pairs one commit may list."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a commit lists a pair: the folder of the root, and the pair's own; `tree` is None without one."""

    agent: AgentName
    root: str
    folder: str
    tree: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of a commit whose list cannot be read: of a root, all or one namespace.

    With `below`, of every root in that folder and below it.
    """

    root: str
    namespace: str = ""
    below: bool = False

    def covers(self, agent: AgentName, root: str) -> bool:
        """Whether a pair of a root is, or would be, listed there."""
        if self.namespace not in ("", agent.namespace):
            return False
        return root == self.root or (self.below and (not self.root or root.startswith(f"{self.root}/")))


@dataclass(slots=True)
class Listing:
    """Every place of every pair, and why some part of the list cannot be read.

    `faulty` where that was an object of the repository, which may be there the next time.
    """

    places: dict[AgentName, list[Place]] = field(default_factory=lambda: defaultdict(list))
    broken: dict[Scope, str] = field(default_factory=dict)
    faulty: bool = False

    def problem(self, agent: AgentName, root: str) -> str | None:
        """Why it cannot be said whether a root lists a pair; None where it can."""
        return next((text for scope, text in self.broken.items() if scope.covers(agent, root)), None)


@dataclass(frozen=True, slots=True)
class _Output:
    """The output folder of one root."""

    root: str
    path: str
    tree: str


class Lister:
    """Lists commits; files that two of them share are parsed once."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._outputs: Memo[str, str] = Memo()
        self._lists: Memo[str, tuple[str, ...]] = Memo()

    def turn(self) -> None:
        """Forget the files that no reading needed since the last turn."""
        self._outputs.turn()
        self._lists.turn()

    def list_pairs(self, commit: Commit) -> Listing:
        """The list of one commit; raises RefError."""
        listing = Listing()
        outputs = list(self._find_outputs(commit, listing))
        self._gather((output.tree, KUSTOMIZATION) for output in outputs)
        namespaces = [found for output in outputs for found in self._namespaces(output, listing)]
        self._gather((tree, KUSTOMIZATION) for _, _, tree in namespaces)
        count = 0
        for output, namespace, tree in namespaces:
            with _noting(listing, Scope(output.root, namespace)):
                for place in self._pairs(output, namespace, tree):
                    count += 1
                    if count > MOST_PAIRS:
                        raise ValueError(f"the commit lists more than {MOST_PAIRS:,} pairs")
                    listing.places[place.agent].append(place)
        return listing

    def _find_outputs(self, commit: Commit, listing: Listing) -> Iterator[_Output]:
        """The output folder of every root, one level of folders after another."""
        level, left, hidden = [("", commit.tree)], MOST_FOLDERS, set[str]()
        while level:
            self._gather((tree, CONFIG_FILE) for _, tree in level)
            for path, tree in level:
                with _noting(listing, Scope(path)):
                    if output := self._output_of(path, tree):
                        hidden.add(folder_of(path, output))
                        if found := self._trees.folder(tree, output):
                            yield _Output(path, folder_of(path, output), found)
            below = (child for parent in level for child in self._folders(*parent, hidden, listing))
            level = list(itertools.islice(below, left + 1))
            left -= len(level)
            if left < 0:
                listing.broken[Scope("", below=True)] = f"the commit has more than {MOST_FOLDERS:,} folders"
                return

    def _folders(self, path: str, tree: str, hidden: set[str], listing: Listing) -> Iterator[tuple[str, str]]:
        with _noting(listing, Scope(path, below=True)):
            for name, entry in self._trees.entries(tree).items():
                below = f"{path}/{name}" if path else name
                if entry.is_folder and not name.startswith(".") and below not in hidden:
                    yield below, entry.id

    def _output_of(self, path: str, tree: str) -> str | None:
        """What the RenderConfig of a folder says; None where it has none."""
        blob = self._trees.file(tree, CONFIG_FILE)
        if blob is None:
            return None
        place = printable(f"{path}/{CONFIG_FILE}" if path else CONFIG_FILE)
        return self._outputs.get(blob, lambda: output_folder(place, self._trees.blob(blob)))

    def _namespaces(self, output: _Output, listing: Listing) -> Iterator[tuple[_Output, str, str]]:
        with _noting(listing, Scope(output.root)):
            names = self._listed(output.path, output.tree)
            if names is None and self._has_lock(output.tree):
                raise ValueError(f"`{printable(output.path)}` has locks and no `{KUSTOMIZATION}`")
            for name in names or ():
                if "/" not in name and name not in (AGENT_PLUGINS, ".", ".."):
                    tree = self._trees.folder(output.tree, name)
                    if tree is None:
                        listing.broken[Scope(output.root, name)] = _no_folder(f"{output.path}/{name}")
                    else:
                        yield output, name, tree

    def _pairs(self, output: _Output, namespace: str, tree: str) -> Iterator[Place]:
        path = f"{output.path}/{namespace}"
        names = self._listed(path, tree)
        if names is None:
            raise ValueError(f"`{printable(path)}` is listed and has no `{KUSTOMIZATION}`")
        for name in dict.fromkeys(names):
            harness, _, template = name.partition("/")
            if is_representable(PairRef(namespace, harness, template)):
                agent = AgentName(namespace, harness, template)
                yield Place(agent, output.root, f"{path}/{name}", self._trees.folder(tree, name))

    def _listed(self, path: str, tree: str) -> tuple[str, ...] | None:
        """What the kustomization of a folder lists; None where it has none."""
        blob = self._trees.file(tree, KUSTOMIZATION)
        if blob is None:
            return None
        place = printable(f"{path}/{KUSTOMIZATION}")
        return self._lists.get(blob, lambda: listed_folders(place, self._trees.blob(blob)))

    def _has_lock(self, tree: str) -> bool:
        """Whether any folder is that of a pair; below `_agentplugins` are those of PlatformAgents."""
        level = [tree]
        for depth in range(3):
            below = [self._trees.entries(name) for name in level]
            level = [
                entry.id
                for entries in below
                for name, entry in entries.items()
                if entry.is_folder and not (depth == 1 and name == AGENT_PLUGINS)
            ][:MOST_PAIRS]
        return any(self._trees.file(name, LOCK) for name in level)

    def _gather(self, files: Iterable[tuple[str, str]]) -> None:
        """Have those files at hand that were not parsed before; a tree that cannot be read has none."""
        wanted = set()
        for tree, name in files:
            try:
                blob = self._trees.file(tree, name)
            except (ObjectError, ValueError):
                continue
            if blob is not None and blob not in self._outputs and blob not in self._lists:
                wanted.add(blob)
        self._trees.gather(wanted)


class _noting:  # noqa: N801  (reads as the statement that it is)
    """Notes what keeps a part of the list from being read, and goes on with the next part."""

    def __init__(self, listing: Listing, scope: Scope) -> None:
        self._listing = listing
        self._scope = scope

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, ObjectError | ValueError):
            return False
        self._listing.broken.setdefault(self._scope, str(error))
        self._listing.faulty |= isinstance(error, ObjectError)
        return True


def _no_folder(path: str) -> str:
    return f"`{printable(path)}` is listed and is no folder"
