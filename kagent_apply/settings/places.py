"""Where a server keeps its state when nobody says where."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.settings.model import Settings


def state_folder(settings: Settings, environment: Mapping[str, str], home: Path, cwd: Path) -> Path:
    """A folder of the user's for each repository and ref, never inside of the repository.

    It is below `XDG_STATE_HOME`, or `~/.local/state` (XDG Base Directory 0.8); the same for every working
    directory from which one repository is served, and for every folder of it.
    """
    if settings.state is not None:
        return cwd / settings.state
    base = environment.get("XDG_STATE_HOME", "")
    states = Path(base) if base.startswith("/") else home / ".local" / "state"
    place = settings.repo if "://" in settings.repo else str(_top((cwd / settings.repo).resolve()))
    digest = hashlib.sha256(f"{place}\0{settings.ref}".encode(errors="surrogateescape")).hexdigest()[:12]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(place).name).strip(".-")[:40] or "repository"
    return states / "kagent-apply" / f"{name}-{digest}"


def _top(folder: Path) -> Path:
    """The top of the repository that a folder is in, as Git finds it; where there is none, the folder."""
    for place in (folder, *folder.parents):
        is_bare = (place / "HEAD").is_file() and (place / "objects").is_dir()
        if is_bare or (place / ".git").exists():
            return place
    return folder


def store_url(settings: Settings, folder: Path) -> str:
    """The store that was asked for, or an SQLite file in the folder of the state."""
    return settings.store or f"sqlite:///{folder / 'store.sqlite'}"
