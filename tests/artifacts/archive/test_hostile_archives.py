"""Every shape of the catalogue is refused, under its own reason and with a message that is safe to print."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.archive.layers import read_layers
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.archive.archives import (
    ZipEntry,
    gzip_of,
    skippable,
    streamed,
    tar_entry,
    tar_of,
    zip64_of,
    zip_of,
    zstd_of,
)
from tests.artifacts.archive.hostile import CASES
from tests.artifacts.archive.hostile_layers import LAYERS, AnyLayer


@pytest.mark.parametrize(
    ("archive", "name", "refusal"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_hostile_archive_is_refused(archive: bytes, name: str, refusal: Refusal) -> None:
    with pytest.raises(ArchiveRefused) as refused:
        read_archive(archive, name)
    assert refused.value.refusal is refusal
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 300
    assert refused.value.hint


# Long runs of zeros would be refused for their ratio before they are read.
PACKED = [case for case in CASES if case[2] == "a.tar" and 0 < len(case[1]) < 1 << 16]


@pytest.mark.parametrize(("name", "pack"), [("a.tar.gz", gzip_of), ("a.tar.zst", zstd_of)], ids=["gz", "zst"])
@pytest.mark.parametrize(
    ("archive", "refusal"), [(case[1], case[3]) for case in PACKED], ids=[case[0] for case in PACKED]
)
def test_compression_hides_nothing(
    name: str, pack: Callable[[bytes], bytes], archive: bytes, refusal: Refusal
) -> None:
    with pytest.raises(ArchiveRefused) as refused:
        read_archive(pack(archive), name)
    assert refused.value.refusal is refusal


TARRED = tar_of(tar_entry(b"a", b"text"), tar_entry(b"d/b", b"more"), end=bytes(512))
WHOLE = [
    ("a.zip", zip_of(ZipEntry(b"a"), streamed(ZipEntry(b"d/b")), ZipEntry(b"c", method=0))),
    ("a.zip", zip64_of(ZipEntry())),
    ("a.tar", TARRED),
    ("a.tar.gz", gzip_of(TARRED[:600]) + gzip_of(TARRED[600:])),
    ("a.tar.zst", zstd_of(TARRED[:600]) + skippable(b"notes") + zstd_of(TARRED[600:])),
]
whole_archives = pytest.mark.parametrize(
    ("name", "archive"), WHOLE, ids=["zip", "zip64", "tar", "tar.gz", "tar.zst"]
)


@whole_archives
def test_an_archive_cut_off_anywhere_is_refused(name: str, archive: bytes) -> None:
    assert read_archive(archive, name).files
    for length in range(len(archive)):
        with pytest.raises(ArchiveRefused):
            read_archive(archive[:length], name)


@whole_archives
@pytest.mark.parametrize("second", [case[1] for case in WHOLE], ids=["zip", "zip64", "tar", "gz", "zst"])
def test_two_archives_in_one_file_are_refused(name: str, archive: bytes, second: bytes) -> None:
    with pytest.raises(ArchiveRefused):
        read_archive(archive + second, name)


@whole_archives
def test_an_archive_inside_of_one_is_a_plain_file(name: str, archive: bytes) -> None:
    inner = zip_of(ZipEntry(b"../escape"))
    for second in (inner, archive):
        tarred = tar_of(tar_entry(b"inner", second))
        outer = {
            "a.zip": zip_of(ZipEntry(b"inner", second)),
            "a.tar": tarred,
            "a.tar.gz": gzip_of(tarred),
            "a.tar.zst": zstd_of(tarred),
        }
        assert read_archive(outer[name], name).files["inner"].data == second


@pytest.mark.parametrize(
    "name", [".gitignore", ".github/x", "git/x", "git~a", "a.git/x", ".git-x", "x.git~1", ".gi", "gitgit~1"]
)
def test_names_that_only_resemble_a_git_directory_are_accepted(name: str) -> None:
    assert list(read_archive(zip_of(ZipEntry(name.encode())), "a.zip").files) == [name]


@pytest.mark.parametrize(
    ("layers", "refusal", "place"), [case[1:] for case in LAYERS], ids=[case[0] for case in LAYERS]
)
def test_hostile_layers_are_refused_and_named(
    layers: Sequence[AnyLayer], refusal: Refusal, place: str
) -> None:
    with pytest.raises(ArchiveRefused) as refused:
        read_layers(layers, Limits())
    assert (refused.value.refusal, place in refused.value.message) == (refusal, True), refused.value.message
    assert refused.value.message.isprintable()


def test_every_refusal_of_the_catalogue_has_a_case() -> None:
    # An archive over 128 MiB is made in `test_archive_limits`, not held for the whole run.
    elsewhere = {Refusal.ARCHIVE_TOO_LARGE, *(case[2] for case in LAYERS)}
    assert {case[3] for case in CASES} | elsewhere == set(Refusal)


@pytest.mark.parametrize("refusal", Refusal)
def test_size_limits_are_too_large_and_all_else_is_unsafe(refusal: Refusal) -> None:
    sizes = {
        Refusal.TOO_MANY_ENTRIES,
        Refusal.TOO_MANY_FRAMES,
        Refusal.TOO_LARGE,
        Refusal.ARCHIVE_TOO_LARGE,
        Refusal.RATIO,
        Refusal.WINDOW,
    }
    expected = Reason.ARTIFACT_TOO_LARGE if refusal in sizes else Reason.ARTIFACT_UNSAFE
    assert refusal.reason is expected
    assert not refusal.text.endswith(".")
