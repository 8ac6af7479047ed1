"""Finds the roots that a path on the command line means."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from kagent_render.source.config import CONFIG_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kagent_render.source.reader import Reader


def find_roots(reader: Reader, folder: str = "") -> tuple[str, ...]:
    """The nearest root at or above `folder`, else every root below it; folders relative to the reader's own.

    The reader starts at the top of the Git repository, or at the file system's root where there is none.
    """
    for candidate in _upwards(folder):
        if reader.exists(config_path(candidate)):
            return (candidate,)
    return tuple(roots_among(reader.files(folder).paths))


def roots_among(paths: Iterable[str]) -> list[str]:
    """The folders that hold a `kagent-render.yaml`, in the order of `paths`."""
    return [folder for folder, _, name in (path.rpartition("/") for path in paths) if name == CONFIG_FILE]


def is_nested(reader: Reader, path: str) -> bool:
    """Whether a file of the root at which the reader starts is that of another root below it."""
    folders = _upwards(path.rpartition("/")[0])
    return any(reader.exists(config_path(folder)) for folder in folders if folder)


def config_path(root: str) -> str:
    """The path of a root's configuration."""
    return f"{root}/{CONFIG_FILE}" if root else CONFIG_FILE


def folder_of(root: str, output: str) -> str:
    """The output folder of a root as a path of the repository."""
    return f"{root}/{output}" if root else output


def likely_origins(root: str, gone: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Output folders that may be an earlier one of `root`, likeliest first.

    `gone` are roots with output folders that are no longer theirs. The root's own come before all; of others,
    those whose paths end alike, since a folder that moves most often keeps its name.
    """
    known = sorted(gone)
    own = [folder_of(*each) for each in known if each[0] == root]
    alike = sorted(known, key=lambda each: -_common_end(root.split("/"), each[0].split("/")))
    return tuple(own or (folder_of(*each) for each in alike))


def _common_end(one: Sequence[str], other: Sequence[str]) -> int:
    """How many names at the end two paths share."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _upwards(folder: str) -> Iterator[str]:
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""
