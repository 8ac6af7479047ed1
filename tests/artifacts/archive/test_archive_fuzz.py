"""Damaged and random archives: a package or a refusal, never anything else, and never out of bounds."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib

from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.artifacts.archive.compression import Compression
from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.archive.layers import Layer, read_layers
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused
from kagent_render.artifacts.package import Package
from tests.artifacts.archive.archives import (
    ZipEntry,
    gzip_of,
    ordinary_tar,
    ordinary_zip,
    streamed,
    tar_entry,
    tar_of,
    zip_of,
    zstd_of,
)

LIMITS = Limits(entries=50, content=100_000, archive=200_000)
SEEDS = [
    ("a.zip", ordinary_zip({"plugin.json": b"{}", "skills/a/SKILL.md": b"text" * 50})),
    ("a.zip", zip_of(ZipEntry(b"a"), streamed(ZipEntry(b"d/b")), ZipEntry(b"l", b"a", mode=0o120777))),
    ("a.tar", ordinary_tar({"plugin.json": b"{}", "n" * 120: b"text" * 50}, "w:")),
    ("a.tar", tar_of(tar_entry(b"d/a", b"1"), tar_entry(b"l", kind=b"2", link=b"d"))),
    ("a.tgz", ordinary_tar({"plugin.json": b"{}", "skills/a/SKILL.md": b"text" * 50})),
    ("a.tar.zst", zstd_of(tar_of(tar_entry(b"d/a", b"1"), tar_entry(b"l", kind=b"2", link=b"d")))),
    (
        "layer.tar",
        tar_of(tar_entry(b"d/.wh.x"), tar_entry(b"d/.wh..wh..opq"), tar_entry(b"h", kind=b"1", link=b"a")),
    ),
]
LOWER = Layer(tar_of(tar_entry(b"a", b"1"), tar_entry(b"d/x", b"2")), Compression.NONE)
SEGMENT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)
PATH = st.lists(SEGMENT | st.sampled_from(["a", "..", ".", ".git", "A"]), min_size=1, max_size=4).map(
    "/".join
)


def read(archive: bytes, name: str) -> Package | None:
    try:
        if name == "layer.tar":
            package = read_layers([LOWER, Layer(archive, Compression.NONE)], LIMITS)
        else:
            package = read_archive(archive, name, LIMITS)
    except ArchiveRefused:
        return None
    assert len(package.files) <= LIMITS.entries
    assert sum(len(file.data) for file in package.files.values()) <= LIMITS.content
    for path in package.files:
        segments = path.split("/")
        assert not {"", ".", "..", ".git"} & {segment.lower() for segment in segments}
    return package


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(SEEDS), st.lists(st.tuples(st.integers(0), st.integers(0, 255)), max_size=4), st.data()
)
def test_a_damaged_archive_is_read_or_refused(
    seed: tuple[str, bytes], damage: list[tuple[int, int]], data: st.DataObject
) -> None:
    name, archive = seed
    damaged = bytearray(archive)
    for place, value in damage:
        damaged[place % len(damaged)] = value
    start = data.draw(st.integers(0, len(damaged)))
    cut = data.draw(
        st.sampled_from([bytes(damaged), bytes(damaged[:start]), bytes(damaged[:start] + damaged)])
    )
    read(cut, name)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["a.zip", "a.tar", "a.tgz", "a.tar.zst"]), st.binary(max_size=2_000))
def test_random_bytes_are_read_or_refused(name: str, noise: bytes) -> None:
    read(noise, name)
    read(b"PK\x05\x06" + noise, "a.zip")
    read(zip_of(ZipEntry()) + noise, "a.zip")
    read(gzip_of(noise), "a.tgz")
    read(zstd_of(noise), "a.tar.zst")
    read(zstd_of(b"")[:4] + noise, "a.tar.zst")
    read(b"\x1f\x8b\x08\0\0\0\0\0\0\3" + zlib.compress(noise)[2:], "a.tgz")


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(PATH, st.binary(max_size=300), max_size=6))
def test_what_zip_and_tar_accept_they_accept_alike(files: dict[str, bytes]) -> None:
    members = [(name.encode(), data) for name, data in files.items()]
    zipped = read(zip_of(*(ZipEntry(name, data) for name, data in members)), "a.zip")
    tarred = read(ordinary_tar(files, "w:"), "a.tar")
    assert (zipped and zipped.files) == (tarred and tarred.files)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        SEGMENT.filter(lambda name: name.strip(". ") == name), st.binary(max_size=300), max_size=5
    )
)
def test_what_is_accepted_is_what_pythons_readers_see(files: dict[str, bytes]) -> None:
    zipped, tarred = ordinary_zip(files), ordinary_tar(files, "w:")
    if package := read(zipped, "a.zip"):
        with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
            seen = sorted(archive.read(info) for info in archive.infolist() if not info.is_dir())
        assert sorted(file.data for file in package.files.values()) == seen
    if package := read(tarred, "a.tar"):
        with tarfile.open(fileobj=io.BytesIO(tarred)) as tar:
            found = [tar.extractfile(member) for member in tar]
            seen = sorted(file.read() for file in found if file)
        assert sorted(file.data for file in package.files.values()) == seen


@settings(max_examples=100, deadline=None)
@given(st.permutations(["a", "d/b", "d/c", "e/f/g", "z"]))
def test_the_order_of_entries_does_not_matter(names: list[str]) -> None:
    package = read(zip_of(*(ZipEntry(name.encode(), name.encode()) for name in names)), "a.zip")
    assert package
    assert list(package.files) == ["a", "d/b", "d/c", "e/f/g", "z"]
