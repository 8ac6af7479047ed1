"""The commit that HEAD names, read from Git's own small files: opening the repository costs far more."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_REFERENCE: Final = re.compile(r"refs/[^\0\s]+")


def head_commit(repository: Path) -> str | None:
    """The full id of the commit at HEAD of a work tree or bare repository.

    None where nothing was committed, or where references are kept in a way that this does not know.
    """
    try:
        folder = git_folder(repository)
        head = _line(folder / "HEAD")
        name = head.removeprefix("ref: ")
        if name == head:
            return head if _COMMIT.fullmatch(head) else None
        return _resolve(folder, name)
    except (OSError, ValueError):
        return None


def commits_named(repository: Path, file: str) -> tuple[str, ...]:
    """The commits in one of Git's own small files, such as `MERGE_HEAD`; none where there is no such file."""
    try:
        lines = (git_folder(repository) / file).read_text().split()
    except (OSError, ValueError):
        return ()
    return tuple(line for line in lines if _COMMIT.fullmatch(line))


def git_folder(repository: Path) -> Path:
    """`.git` itself, what its file names in a linked work tree, or the bare repository."""
    git = repository / ".git"
    if git.is_file():
        return repository / _line(git).removeprefix("gitdir: ")
    return git if git.is_dir() else repository


def _resolve(folder: Path, name: str) -> str | None:
    if not _REFERENCE.fullmatch(name) or ".." in name:
        return None
    shared = folder / "commondir"
    common = folder / _line(shared) if shared.is_file() else folder
    for place in (folder, common):
        if (place / name).is_file():
            found = _line(place / name)
            return found if _COMMIT.fullmatch(found) else None
    packed = common / "packed-refs"
    lines = packed.read_text().splitlines() if packed.is_file() else []
    found = next((line[: -len(name) - 1] for line in lines if line.endswith(f" {name}")), "")
    return found if _COMMIT.fullmatch(found) else None


def _line(path: Path) -> str:
    return path.read_text().strip()
