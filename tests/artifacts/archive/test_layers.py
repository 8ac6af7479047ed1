"""Layers applied in order: what is replaced, removed and kept, as the OCI image specification says."""

from __future__ import annotations

import pytest

from kagent_render.artifacts.archive.compression import Compression
from kagent_render.artifacts.archive.layers import FileLayer, Layer, read_layers
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from tests.artifacts.archive.archives import gzip_of, tar_entry, tar_of, zstd_of
from tests.artifacts.archive.hostile_layers import AnyLayer, changes, directory, hard_link, link, removed

BASE = changes(
    tar_entry(b"a", b"1"),
    tar_entry(b"d/x", b"2"),
    tar_entry(b"d/y", b"3"),
    tar_entry(b"d/e/z", b"4"),
)
OPAQUE = tar_entry(b"d/.wh..wh..opq")
KEPT = {"a": "1", "d/e/z": "4", "d/x": "2", "d/y": "3"}

CHANGES: dict[str, tuple[list[bytes], dict[str, str]]] = {
    "nothing": ([], KEPT),
    "root": ([directory(b"/"), directory(b"./"), tar_entry(b"./b", b"5")], {**KEPT, "b": "5"}),
    "addition": ([tar_entry(b"d/n", b"5")], {**KEPT, "d/n": "5"}),
    "file-over-file": ([tar_entry(b"a", b"5")], {**KEPT, "a": "5"}),
    "directory-over-directory": ([directory(b"d/"), tar_entry(b"d/x", b"5")], {**KEPT, "d/x": "5"}),
    "file-over-directory": ([tar_entry(b"d", b"5")], {"a": "1", "d": "5"}),
    "link-over-directory": ([link(b"d", b"a")], {"a": "1", "d": "1"}),
    "link-over-file": ([link(b"a", b"d/x")], {**KEPT, "a": "2"}),
    "directory-over-file": ([directory(b"a"), tar_entry(b"a/n", b"5")],
     {"a/n": "5", "d/e/z": "4", "d/x": "2", "d/y": "3"}),
    "directory-listed-after-its-file": ([tar_entry(b"a/n", b"5"), directory(b"a")],
     {"a/n": "5", "d/e/z": "4", "d/x": "2", "d/y": "3"}),
    "empty-directory-over-file": ([directory(b"a")], {"d/e/z": "4", "d/x": "2", "d/y": "3"}),
    "whiteout-of-a-file": ([removed(b"d/x")], {"a": "1", "d/e/z": "4", "d/y": "3"}),
    "whiteout-of-a-directory": ([removed(b"d")], {"a": "1"}),
    "whiteout-of-what-is-not-there": ([removed(b"b"), removed(b"n/o/t"), removed(b"d/q")], KEPT),
    "whiteout-spares-its-own-layer": ([tar_entry(b"d/n", b"5"), removed(b"d"), tar_entry(b"d/x", b"6")],
     {"a": "1", "d/n": "5", "d/x": "6"}),
    "whiteout-of-a-name-in-another-case": ([removed(b"A")], KEPT),
    "whiteout-in-another-spelling": ([tar_entry(b".WH.a", b"5")], {**KEPT, ".WH.a": "5"}),
    "whiteout-of-a-whiteout": ([removed(b".wh.a")], KEPT),
    "whiteout-and-file-of-one-name": ([tar_entry(b"a", b"5"), removed(b"a")], {**KEPT, "a": "5"}),
    "whiteout-of-a-file-that-becomes-a-directory": ([removed(b"a"), tar_entry(b"a/n", b"5")],
     {"a/n": "5", "d/e/z": "4", "d/x": "2", "d/y": "3"}),
    "opaque": ([OPAQUE], {"a": "1"}),
    "opaque-first": ([OPAQUE, tar_entry(b"d/n", b"5")], {"a": "1", "d/n": "5"}),
    "opaque-last": ([tar_entry(b"d/n", b"5"), tar_entry(b"d/e/m", b"6"), OPAQUE],
     {"a": "1", "d/e/m": "6", "d/n": "5"}),
    "opaque-root": ([tar_entry(b".wh..wh..opq"), tar_entry(b"b", b"5")], {"b": "5"}),
    "opaque-where-nothing-is": ([tar_entry(b"n/.wh..wh..opq")], KEPT),
    "hard-link-to-a-lower-file": ([hard_link(b"h", b"d/x")], {**KEPT, "h": "2"}),
    "hard-link-to-an-own-file": ([tar_entry(b"a", b"5"), hard_link(b"h", b"a")],
     {**KEPT, "a": "5", "h": "5"}),
    "link-to-a-lower-directory": ([link(b"l", b"d/e")], {**KEPT, "l/z": "4"}),
}  # fmt: skip


def contents(*layers: AnyLayer) -> dict[str, str]:
    return {path: file.data.decode() for path, file in read_layers(layers, Limits()).files.items()}


@pytest.mark.parametrize(("members", "files"), CHANGES.values(), ids=CHANGES.keys())
def test_a_layer_changes_the_ones_below(members: list[bytes], files: dict[str, str]) -> None:
    assert contents(BASE, changes(*members)) == files


def test_a_hard_link_outlives_the_file_that_it_names() -> None:
    assert contents(BASE, changes(hard_link(b"h", b"a")), changes(removed(b"a"), removed(b"d"))) == {"h": "1"}


def test_links_are_resolved_over_all_layers() -> None:
    lower, upper = changes(link(b"l", b"later/x")), changes(tar_entry(b"later/x", b"1"))
    assert contents(lower, upper) == {"l": "1", "later/x": "1"}


def test_a_link_to_what_is_replaced_gives_the_replacement() -> None:
    assert contents(BASE, changes(link(b"l", b"d")), changes(OPAQUE, tar_entry(b"d/n", b"5"))) == {
        "a": "1",
        "d/n": "5",
        "l/n": "5",
    }


def test_what_is_refused_in_the_result_may_be_removed_before_it() -> None:
    lower = changes(link(b"l", b"gone"), tar_entry(b"A", b"1"))
    assert contents(lower, changes(removed(b"l"), removed(b"A"), tar_entry(b"a", b"2"))) == {"a": "2"}


@pytest.mark.parametrize(
    ("compression", "pack"),
    [(Compression.NONE, bytes), (Compression.GZIP, gzip_of), (Compression.ZSTD, zstd_of)],
    ids=["none", "gzip", "zstd"],
)
def test_a_layer_comes_in_any_compression(compression: Compression, pack: type[bytes]) -> None:
    upper = Layer(pack(tar_of(removed(b"d"), tar_entry(b"b", b"5"))), compression)
    assert contents(BASE, upper) == {"a": "1", "b": "5"}


def test_no_layer_is_an_empty_package() -> None:
    assert contents() == {}


def test_files_and_layers_mix_in_order() -> None:
    files: list[AnyLayer] = [
        FileLayer("./d/x", b"5"),
        BASE,
        FileLayer("a", b"6"),
        FileLayer("n/\u00e9", b"7"),
    ]
    assert contents(*files) == {**KEPT, "a": "6", "n/\u00e9": "7"}


def test_modes_are_those_of_the_topmost_entry() -> None:
    upper = changes(tar_entry(b"a", b"1", mode=0o755), hard_link(b"h", b"a"))
    files = read_layers([BASE, upper], Limits()).files
    assert {path for path, file in files.items() if file.executable} == {"a", "h"}


SMALL = Limits(entries=10, content=1_000, archive=4_096, ratio=5, ratio_from=100)


def test_content_counts_over_all_layers_even_when_it_is_replaced() -> None:
    layers: list[AnyLayer] = [changes(tar_entry(b"a", bytes(400))), FileLayer("a", bytes(600))]
    assert len(read_layers(layers, SMALL).files["a"].data) == 600
    with pytest.raises(ArchiveRefused) as refused:
        read_layers([*layers, FileLayer("a", b"x")], SMALL)
    assert refused.value.refusal is Refusal.TOO_LARGE


def test_the_sizes_of_all_layers_are_one_bound() -> None:
    with pytest.raises(ArchiveRefused) as refused:
        read_layers([changes()] * 4 + [FileLayer("a", b"x")], SMALL)
    assert refused.value.refusal is Refusal.ARCHIVE_TOO_LARGE
    assert "the artifact is itself larger" in refused.value.message
