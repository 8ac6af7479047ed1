"""The cache's file of one content: a line of JSON that lists what follows, then the bytes of all files.

The file's name is the sha256 of all its bytes. What it lists obeys the rules of archives: whoever can write a
file can give it the right name.
"""

from __future__ import annotations

import hashlib
import json
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from kagent_render.artifacts.archive.limits import MIB, Limits, Meter
from kagent_render.artifacts.archive.names import entry_path
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.archive.tree import Tree
from kagent_render.artifacts.cache.entry import (
    EntryDamagedError,
    Subject,
    encode_json,
    read_subject,
    subject_document,
)
from kagent_render.artifacts.package import Package, PackageFile

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER_BYTES: Final = 4 * MIB
"""The longest list of files, links and what is outside; content with a longer one is not kept."""


def encode_content(subject: Subject, package: Package, limits: Limits) -> bytes:
    """The one spelling of a content; raises ValueError for what could not be decoded within `limits`."""
    header = _header(subject, package)
    if len(header) > HEADER_BYTES:
        raise ValueError("the list of files is too long")
    try:
        _check_package(package, limits)
    except ArchiveRefused as refused:
        raise ValueError(refused.message) from None
    return b"".join([header, *(file.data for file in package.files.values())])


def decode_content(data: bytes, digest: str, limits: Limits) -> tuple[Subject, Package]:
    """The content whose bytes have the sha256 `digest`, and what it was fetched for.

    Raises EntryDamagedError.
    """
    found = hashlib.sha256(data).hexdigest()
    if found != digest:
        raise EntryDamagedError(f"sha256 `{digest}`", f"`{found}`")
    end = data.find(b"\n", 0, HEADER_BYTES) + 1
    try:
        document = json.loads(data[:end])
        package = Package(
            dict(_files(document["files"], memoryview(data)[end:])),
            document["links"],
            tuple(document["outside"]),
        )
        subject = read_subject(document)
        _check_package(package, limits)
        if _header(subject, package) == data[:end]:
            return subject, package
    except ArchiveRefused as refused:
        raise EntryDamagedError("what an archive may hold", refused.refusal.text) from None
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        pass
    raise EntryDamagedError("the content of an artifact", "something else")


def content_bytes(limits: Limits) -> int:
    """The size of the largest file of a content within `limits`."""
    return HEADER_BYTES + limits.content


def _header(subject: Subject, package: Package) -> bytes:
    document = {
        **subject_document(subject),
        "files": [[path, f"{file.mode:o}", len(file.data)] for path, file in package.files.items()],
        "links": dict(package.links),
        "outside": package.outside,
    }
    return encode_json(document) + b"\n"


def _files(listed: Any, content: memoryview) -> Iterator[tuple[str, PackageFile]]:
    """Every listed file with its part of `content`; raises ValueError unless the parts are all of it."""
    sizes = [size for _, _, size in listed]
    if min(sizes, default=0) < 0 or sum(sizes) != len(content):
        raise ValueError("the sizes do not add up")
    start = 0
    for path, mode, size in listed:
        yield path, PackageFile(bytes(content[start : start + size]), executable=mode == "755")
        start += size


def _check_package(package: Package, limits: Limits) -> None:
    """Raise ArchiveRefused or ValueError for what no archive within `limits` can give."""
    tree, meter = Tree(limits), Meter(limits, limits.archive)
    for path, file in package.files.items():
        meter.count_content(len(file.data))
        tree.add_file(_plain(path), file)
    if max(len(package.links), len(package.outside)) > limits.entries:
        raise ArchiveRefused(Refusal.TOO_MANY_ENTRIES)
    for path in chain(package.links, package.links.values(), package.outside):
        _plain(path)


def _plain(path: str) -> str:
    if entry_path(path.encode()) != path:
        raise ValueError("a path is not in its one spelling")
    return path
