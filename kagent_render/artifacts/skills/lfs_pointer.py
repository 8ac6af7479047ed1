"""Git LFS pointers: small files that stand in a repository for content that is kept elsewhere."""

from __future__ import annotations

from typing import Final

POINTER_HINT: Final = "commit the file itself: `git lfs migrate export` takes it out of Git LFS"
_FIRST_LINE: Final = b"version https://git-lfs.github.com/spec/v1\n"
_POINTER_BYTES: Final = 1_024


def is_lfs_pointer(data: bytes) -> bool:
    """Whether `data` is a pointer and not content (Git LFS specification: its first line, and its size)."""
    return len(data) < _POINTER_BYTES and data.startswith(_FIRST_LINE)
