"""The bounds of an archive: what is exactly at a bound is accepted, one more is refused."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Sequence

import pytest

from kagent_render.artifacts.archive.compression import Compression
from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.archive.layers import Layer, read_layers
from kagent_render.artifacts.archive.limits import MIB, Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.package import Package
from tests.artifacts.archive.archives import ZipEntry, gzip_of, tar_entry, tar_of, zip_of, zstd_of

SMALL = Limits(entries=10, content=1_000, archive=20_000, ratio=5, ratio_from=2_000)

Reader = Callable[[Sequence[tuple[bytes, bytes]], Limits], Package]


def _archive(name: str, pack: Callable[[bytes], bytes] = bytes) -> Reader:
    def read(files: Sequence[tuple[bytes, bytes]], limits: Limits) -> Package:
        return read_archive(pack(tar_of(*(tar_entry(*file) for file in files))), name, limits)

    return read


def _zip(method: int) -> Reader:
    def read(files: Sequence[tuple[bytes, bytes]], limits: Limits) -> Package:
        return read_archive(zip_of(*(ZipEntry(*file, method=method) for file in files)), "a.zip", limits)

    return read


def _one_layer_each(files: Sequence[tuple[bytes, bytes]], limits: Limits) -> Package:
    layers = [Layer(gzip_of(tar_of(tar_entry(*file))), Compression.GZIP) for file in files]
    return read_layers(layers, limits)


READERS: dict[str, Reader] = {
    "zip": _zip(8),
    "zip-stored": _zip(0),
    "tar": _archive("a.tar"),
    "tar.gz": _archive("a.tar.gz", gzip_of),
    "tar.zst": _archive("a.tar.zst", zstd_of),
    "layers": _one_layer_each,
}
every_format = pytest.mark.parametrize("read", READERS.values(), ids=READERS.keys())


def refusal_by(read: Reader, *files: tuple[bytes, bytes], limits: Limits = SMALL) -> Refusal | None:
    try:
        read(files, limits)
    except ArchiveRefused as refused:
        return refused.refusal
    return None


@every_format
def test_content_is_accepted_up_to_its_bound(read: Reader) -> None:
    noise = random.Random(2).randbytes(1_001)
    assert refusal_by(read, (b"a", noise[:400]), (b"b", noise[400:1_000])) is None
    assert refusal_by(read, (b"a", noise[:400]), (b"b", noise[400:])) is Refusal.TOO_LARGE


@every_format
def test_entries_are_accepted_up_to_their_bound(read: Reader) -> None:
    files = [(b"%d" % number, b"") for number in range(11)]
    limits = Limits(entries=10)
    assert refusal_by(read, *files[:10], limits=limits) is None
    assert refusal_by(read, *files, limits=limits) is Refusal.TOO_MANY_ENTRIES


@every_format
def test_content_that_expands_too_far_is_refused(read: Reader) -> None:
    bomb = (b"a", bytes(40_000)), (b"b", bytes(40_000))
    limits = Limits(ratio=20, ratio_from=60_000)
    expected = None if read in {READERS["tar"], READERS["zip-stored"]} else Refusal.RATIO
    assert refusal_by(read, *bomb, limits=limits) is expected


@every_format
def test_an_archive_over_its_own_bound_is_refused(read: Reader) -> None:
    noise = random.Random(3).randbytes(5_000)
    assert refusal_by(read, (b"a", noise), limits=Limits(archive=9_000)) is None
    assert refusal_by(read, (b"a", noise), limits=Limits(archive=4_000)) is Refusal.ARCHIVE_TOO_LARGE


def test_the_defaults_are_those_of_the_design() -> None:
    limits = Limits()
    assert (limits.entries, limits.content, limits.ratio, limits.ratio_from) == (10_000, 100 * MIB, 200, MIB)


def refusal_of(archive: bytes, name: str, limits: Limits | None = None) -> Refusal | None:
    try:
        read_archive(archive, name, limits)
    except ArchiveRefused as refused:
        return refused.refusal
    return None


@pytest.mark.parametrize(("extra", "refusal"), [(0, None), (1, Refusal.TOO_LARGE)])
def test_content_of_exactly_100_mib_is_accepted(extra: int, refusal: Refusal | None) -> None:
    archive = tar_of(tar_entry(b"a", bytes(60 * MIB)), tar_entry(b"b", bytes(40 * MIB + extra)))
    assert refusal_of(archive, "a.tar") is refusal


def test_the_bytes_behind_a_link_count() -> None:
    link = tar_entry(b"l", kind=b"2", link=b"a")
    assert refusal_of(tar_of(tar_entry(b"a", bytes(500)), link), "a.tar", SMALL) is None
    assert refusal_of(tar_of(tar_entry(b"a", bytes(501)), link), "a.tar", SMALL) is Refusal.TOO_LARGE


@pytest.mark.parametrize(("count", "refusal"), [(10_000, None), (10_001, Refusal.TOO_MANY_ENTRIES)])
def test_exactly_10_000_entries_are_accepted(count: int, refusal: Refusal | None) -> None:
    names = [b"%d" % number for number in range(count)]
    assert refusal_of(tar_of(*map(tar_entry, names)), "a.tar") is refusal
    assert refusal_of(zip_of(*map(ZipEntry, names)), "a.zip") is refusal


def test_directories_that_are_only_implied_count() -> None:
    entry = tar_entry(b"/".join([b"d"] * 9) + b"/a")
    assert refusal_of(tar_of(entry), "a.tar", SMALL) is None
    assert refusal_of(tar_of(entry, tar_entry(b"b")), "a.tar", SMALL) is Refusal.TOO_MANY_ENTRIES


def test_an_archive_over_128_mib_is_not_even_read() -> None:
    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            assert size == 128 * MIB + 1
            return bytes(size)

    with pytest.raises(ArchiveRefused) as refused:
        read_archive(Endless(), "a.tar")  # type: ignore[arg-type]
    assert refused.value.refusal is Refusal.ARCHIVE_TOO_LARGE


COMPRESSED = Limits(entries=10, content=10_000, archive=20_000, ratio=5, ratio_from=3_000)


def test_a_high_ratio_is_accepted_below_its_threshold() -> None:
    below, above = b"x" * 900, b"x" * 4_000
    assert refusal_of(gzip_of(tar_of(tar_entry(b"a", below))), "a.tgz", COMPRESSED) is None
    assert refusal_of(zip_of(ZipEntry(data=below)), "a.zip", COMPRESSED) is None
    assert refusal_of(gzip_of(tar_of(tar_entry(b"a", above))), "a.tgz", COMPRESSED) is Refusal.RATIO
    assert refusal_of(zip_of(ZipEntry(data=above)), "a.zip", COMPRESSED) is Refusal.RATIO


def test_the_ratio_is_that_of_the_whole_archive() -> None:
    ballast = ZipEntry(b"b", bytes(range(256)) * 4, method=0)
    assert refusal_of(zip_of(ZipEntry(data=b"x" * 4_000), ballast), "a.zip", COMPRESSED) is None
