"""Which archive format a name promises, and reading it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.compression import Compression
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.archive.tar import read_tar
from kagent_render.artifacts.archive.zip import read_zip

if TYPE_CHECKING:
    from typing import BinaryIO

    from kagent_render.artifacts.package import Package


class Format(Enum):
    """The archive formats that are read, by the extensions that promise them."""

    ZIP = (".zip",)
    TAR = (".tar",)
    TAR_GZIP = (".tar.gz", ".tgz")
    TAR_ZSTD = (".tar.zst", ".tzst")


_COMPRESSIONS: Final = {
    Format.TAR: Compression.NONE,
    Format.TAR_GZIP: Compression.GZIP,
    Format.TAR_ZSTD: Compression.ZSTD,
}


def format_of(name: str) -> Format:
    """The format that an object's name promises; raises ArchiveRefused where it promises none."""
    for candidate in Format:
        if name.lower().endswith(candidate.value):
            return candidate
    raise ArchiveRefused(Refusal.UNKNOWN_FORMAT)


def read_archive(source: bytes | BinaryIO, name: str, limits: Limits | None = None) -> Package:
    """The package in an archive of the format that `name` promises; raises ArchiveRefused."""
    limits = limits or Limits()
    promised = format_of(name)
    archive = source if isinstance(source, bytes) else source.read(limits.archive + 1)
    if len(archive) > limits.archive:
        raise ArchiveRefused(Refusal.ARCHIVE_TOO_LARGE)
    if promised is Format.ZIP:
        return read_zip(archive, limits)
    return read_tar(archive, limits, _COMPRESSIONS[promised])
