"""Hostile layers: as (id, layers, refusal, what the message calls the part at fault)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kagent_render.artifacts.archive.compression import Compression
from kagent_render.artifacts.archive.layers import FileLayer, Layer
from kagent_render.artifacts.archive.refusal import Refusal
from tests.artifacts.archive.archives import END, ZipEntry, gzip_of, pax, tar_entry, tar_of, zip_of, zstd_of
from tests.artifacts.archive.hostile import CASES

AnyLayer = Layer | FileLayer
_LARGE = 1 << 17  # what is refused for its size or count: the limits of layers have cases of their own
Case = tuple[str, Sequence[AnyLayer], Refusal, str]


def changes(*members: bytes) -> Layer:
    return Layer(tar_of(*members), Compression.NONE)


def directory(name: bytes) -> bytes:
    return tar_entry(name, kind=b"5")


def link(name: bytes, target: bytes) -> bytes:
    return tar_entry(name, kind=b"2", link=target)


def hard_link(name: bytes, target: bytes) -> bytes:
    return tar_entry(name, kind=b"1", link=target)


def removed(name: bytes) -> bytes:
    """A whiteout of `name`."""
    parent, slash, last = name.rpartition(b"/")
    return tar_entry(parent + slash + b".wh." + last)


BASE = changes(tar_entry(b"d/x", b"1"), link(b"l", b"d"), tar_entry(b"f", b"2"))


def _every_hostile_tar() -> Iterator[Case]:
    """Whatever is refused as an archive is refused as a layer, the lowest and a later one."""
    compressions = {"a.tar": Compression.NONE, "a.tgz": Compression.GZIP, "a.tar.zst": Compression.ZSTD}
    for label, archive, name, refusal in CASES:
        if name in compressions and len(archive) < _LARGE:
            layer = Layer(archive, compressions[name])
            yield f"layer-{label}", [layer], refusal, ""
            yield f"second-{label}", [BASE, layer], refusal, ""


def _whiteouts() -> Iterator[Case]:
    cases = [
        ("with-content", tar_entry(b"d/.wh.x", b"?")),
        ("directory", directory(b"d/.wh.x/")),
        ("implied-directory", tar_entry(b"d/.wh.x/y")),
        ("link", link(b"d/.wh.x", b"../f")),
        ("of-nothing", tar_entry(b"d/.wh.")),
        ("of-the-directory", tar_entry(b"d/.wh..")),
        ("of-the-parent", tar_entry(b"d/.wh...")),
        ("opaque-with-content", tar_entry(b"d/.wh..wh..opq", b"?")),
        ("aufs-directory", tar_entry(b".wh..wh.plnk/1.2")),
    ]
    for label, member in cases:
        yield f"whiteout-{label}", [BASE, changes(member)], Refusal.WHITEOUT, "of layer 2"
    yield "whiteout-lowest", [changes(directory(b".wh.x/"))], Refusal.WHITEOUT, "of layer 1"
    twice = changes(removed(b"f"), removed(b"f"))
    yield "whiteout-twice", [BASE, twice], Refusal.DUPLICATE, "entry `.wh.f` of layer 2"


def _between_layers() -> Iterator[Case]:
    cases: list[tuple[str, bytes, Refusal]] = [
        ("through-a-link", tar_entry(b"l/x", b"3"), Refusal.BELOW_FILE),
        ("whiteout-through-a-link", removed(b"l/x"), Refusal.BELOW_FILE),
        ("opaque-through-a-link", tar_entry(b"l/.wh..wh..opq"), Refusal.BELOW_FILE),
        ("below-a-file", tar_entry(b"f/x", b"3"), Refusal.BELOW_FILE),
        ("hard-link-to-a-link", hard_link(b"h", b"l"), Refusal.HARD_LINK),
        ("hard-link-through-a-link", hard_link(b"h", b"l/x"), Refusal.HARD_LINK),
        ("hard-link-to-a-directory", hard_link(b"h", b"d"), Refusal.HARD_LINK),
        ("hard-link-to-nothing", hard_link(b"h", b"gone"), Refusal.HARD_LINK),
    ]
    for label, member, refusal in cases:
        yield label, [BASE, changes(member)], refusal, "of layer 2"
    merged: list[tuple[str, bytes, Refusal]] = [
        ("case", tar_entry(b"D/y"), Refusal.SAME_WHEN_FOLDED),
        ("dangling-after-a-removal", removed(b"d"), Refusal.LINK_DANGLING),
        ("cycle", link(b"d/up", b"../l"), Refusal.LINK_CYCLE),
    ]
    for label, member, refusal in merged:
        yield f"merged-{label}", [BASE, changes(member)], refusal, "of the artifact"


def _together() -> Iterator[Case]:
    """What no single layer crosses, all of them do."""
    half = [[tar_entry(b"%d/%d" % (part, number)) for number in range(5_000)] for part in (1, 2)]
    together = "the artifact holds more than 10,000 entries"
    yield "entries", [changes(*part) for part in half], Refusal.TOO_MANY_ENTRIES, together
    gone = [changes(*half[0]), changes(removed(b"1")), changes(*half[1])]
    yield "entries-removed-again", gone, Refusal.TOO_MANY_ENTRIES, together
    deep = [
        changes(tar_entry(b"L", b"/".join([b"%c" % (ord("A") + number)] * 400), b"L"), tar_entry(b"a"))
        for number in range(30)
    ]
    yield "implied-directories", deep, Refusal.TOO_MANY_ENTRIES, together
    bomb = [
        Layer(gzip_of(tar_of(tar_entry(b"%d" % number, bytes(300_000)))), Compression.GZIP)
        for number in range(5)
    ]
    yield "ratio", bomb, Refusal.RATIO, "the artifact expands"
    frames = Layer(gzip_of(b"") * 11_000 + gzip_of(END), Compression.GZIP)
    yield "frames", [frames, frames], Refusal.TOO_MANY_FRAMES, "the artifact"


def _files() -> Iterator[Case]:
    cases = [
        ("parent", "../x", Refusal.DOT_SEGMENT),
        ("absolute", "/x", Refusal.ABSOLUTE),
        ("root", "./", Refusal.FILE_AND_DIRECTORY),
        ("slash", "x/", Refusal.FILE_AND_DIRECTORY),
        ("empty", "", Refusal.EMPTY_NAME),
        ("git", ".git/config", Refusal.GIT_DIRECTORY),
        ("surrogate", "\ud800", Refusal.NOT_UTF8),
        ("whiteout", "d/.wh.x", Refusal.WHITEOUT),
        ("below-a-file", "f/x", Refusal.BELOW_FILE),
    ]
    for label, path, refusal in cases:
        yield f"file-{label}", [BASE, FileLayer(path, b"")], refusal, "of layer 2"
    yield "file-case", [FileLayer("a", b""), FileLayer("A", b"")], Refusal.SAME_WHEN_FOLDED, "`A`"


def _formats() -> Iterator[Case]:
    tarred = tar_of(tar_entry(b"a"))
    packed = {
        "tar": tarred,
        "gzip": gzip_of(tarred),
        "zstd": zstd_of(tarred),
        "zip": zip_of(ZipEntry()),
        "page": b"<html>" * 200,
    }
    for compression, own in zip(Compression, ("tar", "gzip", "zstd"), strict=True):
        for label, data in packed.items():
            if label != own:
                layers = [Layer(data, compression)]
                yield f"{label}-as-{own}", layers, Refusal.FORMAT_MISMATCH, "layer 1 is not of the format"
    sparse = changes(tar_entry(b"x", pax(GNU__sparse__major="1"), b"x"), tar_entry(b"a"))
    yield "sparse", [BASE, sparse], Refusal.SPARSE, "layer 2"


LAYERS: list[Case] = [
    *_every_hostile_tar(),
    *_whiteouts(),
    *_between_layers(),
    *_together(),
    *_files(),
    *_formats(),
]
