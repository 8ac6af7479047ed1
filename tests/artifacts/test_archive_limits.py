"""The bounds of an archive: what is exactly at a bound is accepted, one more is refused."""

from __future__ import annotations

import io

import pytest

from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.archive.limits import MIB, Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from tests.artifacts.archives import ZipEntry, gzip_of, tar_entry, tar_of, zip_of

SMALL = Limits(entries=10, content=1_000, archive=20_000, ratio=5, ratio_from=2_000)


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
