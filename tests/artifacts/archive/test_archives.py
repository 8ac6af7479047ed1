"""Ordinary archives, as real writers make them, give the files that went in."""

from __future__ import annotations

import io
import random
import stat
import struct
import tarfile
import zipfile
from dataclasses import replace

import pytest

from kagent_render.artifacts.archive.formats import Format, format_of, read_archive
from kagent_render.artifacts.package import Package, PackageFile
from tests.artifacts.archive.archives import (
    ZipEntry,
    gzip_of,
    ordinary_tar,
    ordinary_zip,
    pax,
    skippable,
    streamed,
    tar_entry,
    tar_of,
    zip64_of,
    zip_end,
    zip_of,
    zstd_of,
)

FILES = {
    "plugin.json": b"{}",
    "skills/a/SKILL.md": b"---\n" * 1_000,
    "skills/a/empty": b"",
    f"skills/{'long' * 30}/{'name' * 30}": b"x",
    "skills/a/gr\u00fc\u00dfe \u2014 \U0001f600.md": b"y",
}


def contents(package: Package) -> dict[str, bytes]:
    return {path: file.data for path, file in package.files.items()}


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT], ids=["pax", "gnu"])
@pytest.mark.parametrize(("name", "mode"), [("a.tar", "w:"), ("a.tar.gz", "w:gz"), ("a.TGZ", "w:gz")])
def test_a_tar_archive_gives_its_files(name: str, mode: str, form: int) -> None:
    assert contents(read_archive(ordinary_tar(FILES, mode, form), name)) == FILES


def test_a_zip_archive_gives_its_files() -> None:
    assert contents(read_archive(ordinary_zip(FILES), "a.zip")) == FILES


def test_a_file_object_is_read_as_bytes_are() -> None:
    assert contents(read_archive(io.BytesIO(ordinary_zip(FILES)), "a.zip")) == FILES


def test_a_zip_written_to_a_pipe_gives_its_files() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"text")
        with archive.open("b", "w", force_zip64=True) as file:
            file.write(b"more")
    assert contents(read_archive(pipe.getvalue(), "a.zip")) == {"a": b"text", "b": b"more"}


@pytest.mark.parametrize(
    "archive",
    [
        zip_of(streamed(ZipEntry())),
        zip_of(streamed(ZipEntry(), "<3L", ())),
        zip_of(ZipEntry(), comment=b"built today"),
        zip_of(replace(ZipEntry(), extra=b"\0\0\0")),
        zip_of(replace(ZipEntry(), local_extra=struct.pack("<2HBL", 0x5455, 5, 3, 0))),
        zip64_of(ZipEntry()),
    ],
    ids=["descriptor", "descriptor-without-magic", "comment", "zipalign", "timestamp", "zip64-end"],
)
def test_zip_writers_have_their_ways(archive: bytes) -> None:
    assert contents(read_archive(archive, "a.zip")) == {"a": b"text"}


@pytest.mark.parametrize(
    "archive",
    [
        tar_of(tar_entry(b"g", pax(comment="0" * 40), b"g"), tar_entry(b"a", b"text")),
        tar_of(tar_entry(b"./", kind=b"5"), tar_entry(b"./a", b"text")),
        tar_of(tar_entry(b"a", b"text", b"\0", magic=b"")),
        tar_of(tar_entry(b"a", b"text", magic=bytes(72) + b"0000000\0" * 2)),
        tar_of(tar_entry(b"a", b"text", magic=b"ustar  \0")),
        tar_of(tar_entry(b"a", b"text", size=b"\x80" + bytes(10) + b"\4")),
        tar_of(tar_entry(b"a", b"text", patch=(136, b"\xff" * 12))),
        tar_of(tar_entry(b"a", b"text", patch=(108, b"\x80" + bytes(3) + b"\xff" * 4))),
        tar_of(tar_entry(b"a", b"text", patch=(108, b"  1750\0 "))),
        tar_of(tar_entry(b"x", pax(size="4", mtime="1.5"), b"x"), tar_entry(b"a", b"text")),
        tar_of(tar_entry(b"a", b"text"), end=bytes(10_240)),
        tar_of(tar_entry(b"a", b"text"), end=bytes(512)),
    ],
    ids=[
        "git-archive",
        "dot-slash",
        "version-7",
        "version-7-of-gnu-tar",
        "gnu",
        "base-256",
        "time-before-1970",
        "large-owner",
        "owner-in-spaces",
        "pax-size",
        "record",
        "one-end-block",
    ],
)
def test_tar_writers_have_their_ways(archive: bytes) -> None:
    assert contents(read_archive(archive, "a.tar")) == {"a": b"text"}


def test_gzip_members_are_one_stream() -> None:
    archive = tar_of(tar_entry(b"a", b"text"))
    assert contents(read_archive(gzip_of(archive[:700]) + gzip_of(archive[700:]), "a.tgz")) == {"a": b"text"}


@pytest.mark.parametrize("name", ["a.tar.zst", "a.TZST"])
def test_zstd_frames_are_one_stream(name: str) -> None:
    archive = tar_of(tar_entry(b"a", b"text"))
    parts = [skippable(b"notes"), zstd_of(archive[:700]), skippable(b"", 15), zstd_of(archive[700:])]
    assert contents(read_archive(b"".join(parts), name)) == {"a": b"text"}


@pytest.mark.parametrize("options", [{}, {"window_log": 27}, {"checksum_flag": 0}, {"content_size_flag": 0}])
def test_zstd_writers_have_their_ways(options: dict[str, int]) -> None:
    data = random.Random(1).randbytes(300_000)
    archive = zstd_of(tar_of(tar_entry(b"a", data)), **options)
    assert contents(read_archive(archive, "a.tar.zst")) == {"a": data}


def test_empty_archives_are_empty_packages() -> None:
    assert contents(read_archive(zip_end(0, 0, 0), "a.zip")) == {}
    assert contents(read_archive(bytes(1_024), "a.tar")) == {}


def test_listed_directories_leave_no_trace() -> None:
    directories = [
        tar_entry(b"d/", kind=b"5"),
        tar_entry(b"d", kind=b"5"),
        tar_entry(b"d/", kind=b"\0", magic=b""),
    ]
    assert contents(read_archive(tar_of(*directories, tar_entry(b"d/a")), "a.tar")) == {"d/a": b""}
    directory = ZipEntry(b"d/", b"", mode=stat.S_IFDIR | 0o755)
    assert contents(read_archive(zip_of(directory, ZipEntry(b"d/a")), "a.zip")) == {"d/a": b"text"}


@pytest.mark.parametrize(("mode", "kept"), [(0o755, 0o755), (0o700, 0o755), (0o644, 0o644), (0o2666, 0o644)])
def test_only_the_owners_executable_bit_is_kept(mode: int, kept: int) -> None:
    tar = read_archive(tar_of(tar_entry(b"a", mode=mode)), "a.tar")
    zipped = read_archive(zip_of(ZipEntry(mode=stat.S_IFREG | mode)), "a.zip")
    assert (tar.files["a"].mode, zipped.files["a"].mode) == (kept, kept)


def test_a_zip_without_unix_modes_has_plain_files() -> None:
    assert read_archive(zip_of(ZipEntry(mode=0)), "a.zip").files["a"] == PackageFile(b"text")


def test_the_modes_of_a_system_without_unix_modes_are_not_believed() -> None:
    for mode in (stat.S_IFREG | 0o755, stat.S_IFLNK | 0o777, stat.S_IFCHR | 0o644):
        archive = zip_of(ZipEntry(mode=mode, system=0))
        assert read_archive(archive, "a.zip").files["a"] == PackageFile(b"text")


def test_names_are_given_in_nfc() -> None:
    assert list(read_archive(zip_of(ZipEntry("e\u0301".encode())), "a.zip").files) == ["\u00e9"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plugins/a.zip", Format.ZIP),
        ("a.ZIP", Format.ZIP),
        ("a.tar", Format.TAR),
        ("a.tar.gz", Format.TAR_GZIP),
        ("a.v1.tgz", Format.TAR_GZIP),
        ("a.tar.zst", Format.TAR_ZSTD),
    ],
)
def test_the_extension_tells_the_format(name: str, expected: Format) -> None:
    assert format_of(name) is expected
