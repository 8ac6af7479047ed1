"""The tree that an archive describes: entries go in one by one, a package with resolved links comes out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.limits import Limits, Meter
from kagent_render.artifacts.archive.names import folded, link_segments
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.package import Package, PackageFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LINK_STEPS: Final = 40  # what Linux follows before it gives up with ELOOP
_RESOLUTION_STEPS: Final = 1_000_000  # path segments looked up for all links of one archive
_PATH_BYTES: Final = 1_024


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory, listed or only implied by what lies below it."""

    listed: bool = False


@dataclass(frozen=True, slots=True)
class SymbolicLink:
    """A symbolic link whose target is resolved once every entry is known."""

    target: tuple[str, ...]


Node = Directory | SymbolicLink | PackageFile


def _no_file(path: str) -> None:  # noqa: ARG001  (there is nothing below an archive)
    return None


class Tree:
    """Collects the entries of one archive; every conflict between them is refused as it appears.

    `lower` gives the files that hard links may name although they are not in this archive.
    """

    def __init__(self, limits: Limits, lower: Callable[[str], PackageFile | None] = _no_file) -> None:
        self._limits = limits
        self._lower = lower
        self._nodes: dict[str, Node] = {"": Directory()}
        self._children: dict[str, list[str]] = {"": []}
        self._spelling: dict[str, str] = {}
        self._looked_up = 0

    def add_directory(self, path: str) -> None:
        """Add a listed directory; listing one again changes nothing."""
        if path:
            self.add(path, Directory(listed=True))

    def add_file(self, path: str, file: PackageFile) -> None:
        """Add a regular file."""
        self.add(path, file)

    def add_symbolic_link(self, path: str, target: bytes) -> None:
        """Add a symbolic link; `target` is the text of the link."""
        self.add(path, SymbolicLink(tuple(link_segments(target, path))))

    def add_hard_link(self, path: str, target: str) -> None:
        """Add a second name of an earlier regular file."""
        file = self._nodes.get(target) or self._lower(target)
        if not isinstance(file, PackageFile):
            raise ArchiveRefused(Refusal.HARD_LINK, path)
        self.add(path, file)

    def add(self, path: str, node: Node) -> None:
        """Add an entry of any kind."""
        if not path:
            raise ArchiveRefused(Refusal.FILE_AND_DIRECTORY, ".")
        self._imply_parents(path)
        present = self._nodes.get(path)
        if present is None:
            self._place(path, node)
        elif isinstance(present, Directory) and isinstance(node, Directory):
            self._nodes[path] = Directory(present.listed or node.listed)
        else:
            one_directory = isinstance(present, Directory) or isinstance(node, Directory)
            raise ArchiveRefused(Refusal.FILE_AND_DIRECTORY if one_directory else Refusal.DUPLICATE, path)

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Every entry as it was added, directories before what lies in them; the root is left out."""
        return islice(self._nodes.items(), 1, None)

    def package(self) -> Package:
        """The files with every link replaced by its target's bytes, which count against the limits too."""
        files: dict[str, PackageFile] = {}
        links: dict[str, str] = {}
        meter = Meter(self._limits, self._limits.archive)
        for path, real, node in self._walk():
            meter.count_entry()
            if path != real:
                links[path] = real
            if isinstance(node, PackageFile):
                meter.count_content(len(node.data))
                files[path] = node
        return Package(files, links)

    def _imply_parents(self, path: str) -> None:
        missing = []
        parent = path.rpartition("/")[0]
        while parent not in self._nodes:
            missing.append(parent)
            parent = parent.rpartition("/")[0]
        if not isinstance(self._nodes[parent], Directory):
            raise ArchiveRefused(Refusal.FILE_AND_DIRECTORY, parent)
        for directory in reversed(missing):
            self._place(directory, Directory())

    def _place(self, path: str, node: Node) -> None:
        if self._spelling.setdefault(folded(path), path) != path:
            raise ArchiveRefused(Refusal.SAME_WHEN_FOLDED, path)
        if len(self._nodes) > self._limits.entries:
            raise ArchiveRefused(Refusal.TOO_MANY_ENTRIES)
        self._nodes[path] = node
        parent, _, name = path.rpartition("/")
        self._children[parent].append(name)
        if isinstance(node, Directory):
            self._children[path] = []

    def _walk(self) -> Iterator[tuple[str, str, Node]]:
        """Every path with where it really is, directories behind links unfolded; the root is left out."""
        pending: list[tuple[str, str, frozenset[str]]] = [("", "", frozenset({""}))]
        while pending:
            path, real, above = pending.pop()
            for name in self._children[real]:
                below, place = _joined(path, name), self._resolve(real, name)
                node = self._nodes[place]
                yield below, place, node
                if isinstance(node, Directory):
                    if place in above:
                        raise ArchiveRefused(Refusal.LINK_CYCLE, below)
                    if len(below.encode()) > _PATH_BYTES:
                        raise ArchiveRefused(Refusal.OVERLONG, below)
                    pending.append((below, place, above | {place}))

    def _resolve(self, directory: str, name: str) -> str:
        """The path without links on the way or at its end, as a kernel would resolve it."""
        link = _joined(directory, name)
        place, todo, steps = directory, [name], 0
        while todo:
            self._looked_up += 1
            segment = todo.pop()
            if segment == "..":
                if not place:
                    raise ArchiveRefused(Refusal.LINK_OUT, link)
                place = place.rpartition("/")[0]
                continue
            node = self._nodes.get(_joined(place, segment))
            if isinstance(node, SymbolicLink):
                steps += 1
                if steps > _LINK_STEPS or self._looked_up > _RESOLUTION_STEPS:
                    raise ArchiveRefused(Refusal.LINK_CYCLE, link)
                todo.extend(reversed(node.target))
            elif node is None or (todo and not isinstance(node, Directory)):
                raise ArchiveRefused(Refusal.LINK_DANGLING, link)
            else:
                place = _joined(place, segment)
        return place


def _joined(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name
