"""An artifact's files in memory: what every fetcher gives and every reader of plugins takes."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class PackageFile:
    """One regular file: its bytes and whether its owner may execute it."""

    data: bytes
    executable: bool = False

    @property
    def mode(self) -> int:
        """The only two modes that content is pinned with: 0o644 or 0o755."""
        return 0o755 if self.executable else 0o644


@dataclass(frozen=True, slots=True)
class Package:
    """A tree of regular files by NFC POSIX path, in byte order; links are there as their targets' bytes.

    `links` maps each path that was reached through a link, file or directory, to where its bytes really are.
    `outside` names the paths of a subtree whose real place is not in that subtree: they are not in `files`.
    `place` says where the bytes were read, for messages.
    """

    files: Mapping[str, PackageFile]
    links: Mapping[str, str] = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    place: str = field(default="", compare=False, repr=False)
    _paths: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ordered = {path: self.files[path] for path in sorted(self.files)}
        object.__setattr__(self, "files", MappingProxyType(ordered))
        object.__setattr__(self, "_paths", tuple(ordered))

    def subtree(self, path: str) -> Package:
        """The package rooted at the directory `path`; empty where there is no such directory.

        A file whose bytes are really outside of that directory is left out and named in `outside`
        (Agent Plugins 1.0.0 §4.1: the plugin root bounds what may be read).
        """
        path = unicodedata.normalize("NFC", path).strip("/")
        if not path:
            return self
        root = self._real(path)
        inside = self._below(path)
        outside = {name for name in inside if not self._real(name).startswith(f"{root}/")}
        outside.update(name for name in self.outside if name.startswith(f"{path}/"))
        return Package(
            {name[len(path) + 1 :]: self.files[name] for name in inside if name not in outside},
            {
                name[len(path) + 1 :]: real[len(root) + 1 :]
                for name, real in self.links.items()
                if name.startswith(f"{path}/")
                and real.startswith(f"{root}/")
                and name[len(path) :] != real[len(root) :]
            },
            tuple(sorted(name[len(path) + 1 :] for name in outside)),
            self.place,
        )

    def selection(self, *paths: str) -> Package:
        """The files that are one of `paths` or below one of them, at their own paths."""
        chosen = [path for path in paths if path in self.files]
        for path in paths:
            chosen += self._below(path)
        return Package({path: self.files[path] for path in chosen})

    def has_directory(self, path: str) -> bool:
        """Whether any file lies below `path`."""
        return bool(self._below(path))

    def children(self, path: str) -> tuple[str, ...]:
        """The names of the directories immediately below `path`, in byte order."""
        below = [name[len(path) + 1 :] for name in self._below(path)] if path else self._paths
        return tuple(sorted({name.partition("/")[0] for name in below if "/" in name}))

    def _below(self, path: str) -> tuple[str, ...]:
        """The paths under the directory `path`: a run of the sorted paths, `0` being the successor of `/`."""
        start = bisect_left(self._paths, f"{path}/")
        return self._paths[start : bisect_left(self._paths, f"{path}0")]

    def _real(self, path: str) -> str:
        """Where `path` really is: the longest linked prefix decides, and nothing below it is a link."""
        prefix = path
        while prefix:
            if prefix in self.links:
                return self.links[prefix] + path[len(prefix) :]
            prefix = prefix.rpartition("/")[0]
        return path
