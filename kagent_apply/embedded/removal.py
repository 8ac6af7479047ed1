"""Removes a folder whatever an agent made of it: modes without access, links, and folders of any depth."""

from __future__ import annotations

import os
import uuid
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Remove a folder, if there is one, with all in it; of a link only the link. Raises OSError.

    What is below is brought up first: neither a path nor a recursion grows with the depth.
    """
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
    elif folder.exists():
        while below := _folders_of(folder):
            for child in below:
                _bring_up(child, folder)
        folder.rmdir()


def _bring_up(folder: Path, root: Path) -> None:
    for child in _folders_of(folder):
        child.chmod(0o700)  # moving a folder writes to it
        child.rename(root / uuid.uuid4().hex)
    folder.rmdir()


def _folders_of(folder: Path) -> list[Path]:
    """The folders in a folder, once everything else in it is removed."""
    folder.chmod(0o700)
    found = []
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                found.append(Path(entry.path))
            else:
                Path(entry.path).unlink()
    return found
