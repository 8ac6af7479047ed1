"""The one grammar of names: what an entry may be called, on every file system at once."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal

_SEGMENT_BYTES: Final = 255
_PATH_BYTES: Final = 1_024
_DRIVE: Final = re.compile(r"[A-Za-z]:")
# Characters that HFS+ drops when it compares names, so that `.g<U+200C>it` is `.git` there.
_IGNORED_BY_HFS: Final = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
_GIT_ON_NTFS: Final = re.compile(r"(?:\.git|git~[0-9]+)[ .]*(?::.*)?", re.IGNORECASE)


def entry_path(raw: bytes) -> str:
    """The NFC path of an archive entry without a trailing slash; empty for the archive's root.

    Raises ArchiveRefused for a name that any system would place elsewhere than it seems.
    """
    text = decoded(raw)
    _check_characters(text)
    if text.startswith("/"):
        raise ArchiveRefused(Refusal.ABSOLUTE, text)
    if text in {".", "./"}:
        return ""
    trimmed = text.removeprefix("./").removesuffix("/")
    for segment in trimmed.split("/"):
        _check_segment(segment, text)
    path = unicodedata.normalize("NFC", trimmed)
    if len(path.encode()) > _PATH_BYTES:
        raise ArchiveRefused(Refusal.OVERLONG, text)
    return path


def decoded(raw: bytes) -> str:
    """A name or link target as text; names without an encoding mark are taken as UTF-8 too."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise ArchiveRefused(Refusal.NOT_UTF8, raw.decode(errors="replace")) from None


def link_segments(raw: bytes, link: str) -> list[str]:
    """The segments of a symbolic link's target, `..` included; refuses what is not a relative path."""
    text = decoded(raw)
    if not text:
        raise ArchiveRefused(Refusal.LINK_DANGLING, link)
    if text.startswith("/") or "\\" in text or _DRIVE.match(text):
        raise ArchiveRefused(Refusal.LINK_OUT, link)
    if len(raw) > _PATH_BYTES:
        raise ArchiveRefused(Refusal.OVERLONG, link)
    normalized = unicodedata.normalize("NFC", text)
    return [segment for segment in normalized.split("/") if segment not in {"", "."}]


def folded(path: str) -> str:
    """A key that is equal for paths that some file system takes for one: case and normalization apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def _check_characters(text: str) -> None:
    if not text:
        raise ArchiveRefused(Refusal.EMPTY_NAME, text)
    if any(unicodedata.category(char) in {"Cc", "Zl", "Zp"} for char in text):
        raise ArchiveRefused(Refusal.CONTROL_CHARACTER, text)
    if "\\" in text:
        raise ArchiveRefused(Refusal.BACKSLASH, text)


def _check_segment(segment: str, name: str) -> None:
    if not segment:
        raise ArchiveRefused(Refusal.EMPTY_NAME, name)
    if segment in {".", ".."}:
        raise ArchiveRefused(Refusal.DOT_SEGMENT, name)
    if _DRIVE.match(segment):
        raise ArchiveRefused(Refusal.DRIVE, name)
    if len(segment.encode()) > _SEGMENT_BYTES:
        raise ArchiveRefused(Refusal.OVERLONG, name)
    if is_git_directory(segment):
        raise ArchiveRefused(Refusal.GIT_DIRECTORY, name)


def is_git_directory(segment: str) -> bool:
    """Whether some file system takes `segment` for `.git`: NTFS short names and streams, HFS+, case."""
    plain = folded(segment.translate(_IGNORED_BY_HFS))
    return plain == ".git" or _GIT_ON_NTFS.fullmatch(segment) is not None
