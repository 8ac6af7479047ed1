"""The user's cache folder, and the artifact cache in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_render.artifacts.port import Cache

ARTIFACTS = "artifacts"
"""The folder of the artifact cache, in the user's cache folder."""


def cache_folder() -> Path:
    """Where the cache folder is, or would be (XDG base directories); raises RuntimeError without a home."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():
        base = Path.home() / ".cache"
    if not base.is_absolute():
        raise RuntimeError("the home folder is a relative path")
    return base / "kagent-render"


def own_cache_folder() -> Path | None:
    """The cache folder, made if need be; None where others may write to it, or where there can be none."""
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if is_own(folder) else None
    except (OSError, RuntimeError):
        return None


def is_own(folder: Path) -> bool:
    """Whether this is a real folder of this user, to which nobody else may write; raises OSError."""
    found = folder.lstat()
    own = found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return own and stat.S_ISDIR(found.st_mode)


def open_artifact_cache(*, wanted: bool) -> Cache:
    """The user's artifact cache; one that holds nothing where there is none, or where it is not wanted."""
    from kagent_render.artifacts.cache.disk import DiskCache, NoCache

    folder = own_cache_folder() if wanted else None
    return DiskCache(folder / ARTIFACTS) if folder is not None else NoCache()
