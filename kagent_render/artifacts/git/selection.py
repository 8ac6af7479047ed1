"""The part of a commit's tree that is wanted: what lies below some paths, and what links there lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.names import entry_path, link_segments
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.git.failure import GitFailure
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.artifacts.archive.limits import Limits
    from kagent_render.artifacts.git.objects import Objects
    from kagent_render.artifacts.git.tree_entries import TreeEntry

_LINK_STEPS: Final = 40  # as Linux, and as the tree that resolves the links in the end
_STEPS: Final = 1_000_000  # directories that are looked into, on the way to another one too

Place = tuple[str, ...]


def select(objects: Objects, paths: Sequence[str], limits: Limits) -> dict[str, TreeEntry]:
    """Every wanted entry by its NFC path; a link whose target did not come yet leads nowhere so far."""
    return _Selection(objects, limits).below(paths)


class _Selection:
    def __init__(self, objects: Objects, limits: Limits) -> None:
        self._objects = objects
        self._limits = limits
        self._root = objects.root()
        self._entries: dict[str, TreeEntry] = {}
        self._taken: set[Place] = set()
        self._steps = 0

    def below(self, paths: Sequence[str]) -> dict[str, TreeEntry]:
        pending: list[tuple[Place, Sequence[str]]] = [((), path.split("/")) for path in paths]
        while pending:
            place = self._resolved(*pending.pop())
            if place is not None and not any(place[:end] in self._taken for end in range(len(place) + 1)):
                self._taken.add(place)
                pending.extend(self._links_below(place))
        return self._entries

    def _resolved(self, start: Place, segments: Sequence[str]) -> Place | None:
        """Where a path really is, as a kernel resolves it; None where it leads nowhere."""
        place, links = list(start), 0
        todo = [segment for segment in reversed(segments) if segment]
        while todo:
            segment = todo.pop()
            if segment == "..":
                self._count(1)
                if not place:
                    return None
                place.pop()
                continue
            entry = self._entry((*place, segment))
            if entry is None:
                return None
            self._keep((*place, segment), entry)
            if entry.is_link:
                links += 1
                target = self._target(entry, "/".join((*place, segment)))
                if target is None or links > _LINK_STEPS:
                    return None
                todo.extend(reversed(target))
            else:
                place.append(segment)
        return tuple(place)

    def _links_below(self, place: Place) -> Iterator[tuple[Place, Sequence[str]]]:
        """Keep all that lies below a place; gives each link there as where it is and its target."""
        pending = [place]
        while pending:
            at = pending.pop()
            entry = self._entry(at) if at else None
            if entry is None or entry.is_directory:
                name = self._root if entry is None else entry.target
                for child, below in self._objects.tree(name).items():
                    self._count(1)
                    self._keep((*at, child), below)
                    if below.is_directory or below.is_link:
                        pending.append((*at, child))
            elif entry.is_link:
                target = self._target(entry, "/".join(at))
                if target is not None:
                    yield at[:-1], target

    def _entry(self, place: Place) -> TreeEntry | None:
        """What is at a place that no link is on the way to."""
        self._count(len(place) + 1)
        entry = None
        name = self._root
        for depth, segment in enumerate(place):
            if depth and (entry is None or not entry.is_directory):
                return None
            entry = self._objects.tree(name).get(segment)
            if entry is not None:
                name = entry.target
        return entry

    def _target(self, link: TreeEntry, path: str) -> list[str] | None:
        if link.target not in self._objects:
            return None
        return link_segments(self._objects.blob(link.target), path)

    def _keep(self, place: Place, entry: TreeEntry) -> None:
        if "/".join(place) in self._entries:
            return
        if place[0] == ".":  # at the start of an archive's name it is no directory
            raise ArchiveRefused(Refusal.DOT_SEGMENT, "/".join(place))
        path = entry_path("/".join(place).encode(errors="surrogateescape"))
        if entry.is_submodule:
            raise GitFailure(
                Reason.ARTIFACT_UNSAFE,
                f"`{printable(path)}` is a submodule, and submodules are not followed",
                "use the submodule's own repository and commit as a source, or a `source.path` without it",
            )
        if not (entry.is_file or entry.is_directory or entry.is_link):
            raise ArchiveRefused(Refusal.UNSUPPORTED_KIND, path)
        self._entries[path] = entry
        if len(self._entries) > self._limits.entries:
            raise ArchiveRefused(Refusal.TOO_MANY_ENTRIES)

    def _count(self, steps: int) -> None:
        self._steps += steps
        if self._steps > _STEPS:
            raise ArchiveRefused(Refusal.TOO_MANY_ENTRIES)
