"""Which changed paths can change what is rendered, or what `check` says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from kagent_render.source.config import CONFIG_FILE
from kagent_render.source.kustomization import is_kustomization

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

OWN_FOLDER: Final = ".kagent"
"""The one hidden folder that holds input."""

_OF_EDITORS: Final = re.compile(r".*~|\.#.*|#.*#|.*\.sw[a-p]|\.?[0-9]{4,5}|.*___jb_(?:tmp|old)___|\.DS_Store")
"""Names of files that editors make beside the one that is edited."""


class Kind(Enum):
    """What is at a path now."""

    FILE = "file"
    FOLDER = "folder"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class RootInterest:
    """One root: its absolute `folder`, which files are sources, and the `folders` that hold some.

    Paths below `output` are passed over, unless it is None.
    """

    folder: str
    output: str | None
    admits: Callable[[str], bool]
    folders: frozenset[str] = frozenset()

    def wants(self, path: str, kind: Kind) -> bool:
        """Whether a change at a path below the root can matter."""
        if self.output is not None and is_below(path, self.output):
            return False
        parts = path.split("/")
        if parts[0] == OWN_FOLDER or parts[-1] == CONFIG_FILE or path == "":
            return True
        if any(part.startswith(".") for part in parts):
            return False
        if self.admits(path) or is_kustomization(path):
            return True
        # A folder that was moved here or away comes without a word about its files.
        return kind is Kind.FOLDER or (kind is Kind.NOTHING and path in self.folders)


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder or something in it."""
    return path == folder or path.startswith(f"{folder}/")


def is_interesting(path: str, roots: Iterable[RootInterest], kind: Callable[[str], Kind]) -> bool:
    """Whether a change at an absolute path can matter to the innermost root that it is in, or to none yet."""
    name = path.rpartition("/")[2]
    if "/.git/" in f"{path}/" or (name != CONFIG_FILE and _OF_EDITORS.fullmatch(name)):
        return False
    holding = [root for root in roots if is_below(path, root.folder)]
    if not holding:
        # A root that is about to appear: its file, or a folder that may have it.
        return name == CONFIG_FILE or (not _is_hidden(path) and kind(path) is not Kind.FILE)
    root = max(holding, key=lambda found: len(found.folder))
    return root.wants(path[len(root.folder) :].strip("/"), kind(path))


def _is_hidden(path: str) -> bool:
    return path.rpartition("/")[2].startswith(".")
