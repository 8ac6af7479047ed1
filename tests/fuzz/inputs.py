"""Inputs for the readers of archives: any of them is made again from its seed alone."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from kagent_render.artifacts.archive.compression import Compression
from kagent_render.artifacts.archive.layers import FileLayer, Layer
from tests.artifacts.archive.archives import (
    END,
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
    zip_of,
    zstd_module,
    zstd_of,
)
from tests.artifacts.archive.hostile import CASES
from tests.artifacts.archive.hostile_layers import LAYERS, AnyLayer
from tests.fuzz.mutations import mutated, with_checksums

_LARGEST = 1 << 15
_NAMES = [
    b"a", b"b", b"c", b"d", b"d/a", b"d/b", b"d/e/a", b"d/e/b", b"l", b"l/a", b"./a", b"m/n/o",
    "\u00e9".encode(), b".wh.l", b".wh.a", b".wh.d", b"d/.wh.a", b"d/.wh.e",
    b"d/.wh..wh..opq", b".wh..wh..opq",
]  # fmt: skip
_ODD_NAMES = [
    b"A", b"d/", b".", b"./", b"/", b"..", b"../a", b"d/../a", b"/a", b"a\\b", b"C:a", b".git/x", b"git~1",
    b"a\0b", b"a\nb", b"\xff", b"", b"a" * 99, b".wh...", b".wh.", b".wh.x/y", "e\u0301".encode(),
]  # fmt: skip
_TARGETS = [b"a", b"d", b"d/a", b"d/e", b"../a", b"../d", b"b", b"l"]
_ODD_TARGETS = [b"..", b"../../a", b"d/..", b".", b"", b"/a", b"d/../d/a", b"nothing", b"m/../../.."]
_KINDS = [b"0", b"0", b"0", b"0", b"0", b"5", b"2", b"2", b"1"]
_ODD_KINDS = [b"\0", b"3", b"4", b"6", b"7", b"S", b"L", b"K", b"x", b"g"]


@dataclass(frozen=True)
class Archive:
    """An archive under a name that promises its format."""

    name: str
    data: bytes


Input = Archive | tuple[AnyLayer, ...]


def _seeds() -> tuple[Archive, ...]:
    files = {"plugin.json": b"{}", "skills/a/SKILL.md": b"---\n" * 50, f"n/{'long' * 30}": b"x"}
    tree = tar_of(tar_entry(b"d/a", b"1"), tar_entry(b"l", kind=b"2", link=b"d"))
    frames = zstd_of(tree[:600]) + skippable(b"notes") + zstd_of(tree[600:])
    ordinary = [
        Archive("a.zip", ordinary_zip(files)),
        Archive("a.zip", zip64_of(ZipEntry())),
        Archive("a.zip", zip_of(ZipEntry(b"l", b"a", mode=0o120777), streamed(ZipEntry(b"a")))),
        Archive("a.tar", ordinary_tar(files, "w:")),
        Archive("a.tar", tree),
        Archive("a.tgz", gzip_of(tree[:600]) + gzip_of(tree[600:])),
        Archive("a.tar.zst", frames),
    ]
    hostile = [Archive(name, data) for _, data, name, _ in CASES if len(data) < _LARGEST]
    return (*ordinary * 20, *hostile)


ARCHIVES = _seeds()
BYTES = [archive.data for archive in ARCHIVES]
STACKS = [case[1] for case in LAYERS if sum(len(layer.data) for layer in case[1]) < _LARGEST]


def input_of(seed: str) -> Input:
    """The input that belongs to a seed."""
    random = Random(seed)
    return random.choice([_mutated_archive, _mutated_archive, _made_zip, _made_tar, _made_layers, _stack])(
        random
    )


def _mutated_archive(random: Random) -> Input:
    archive = random.choice(ARCHIVES)
    if random.random() < 0.5 and not archive.name.endswith(".zip"):
        return _repacked(random, archive)
    return Archive(archive.name, mutated(random, archive.data, BYTES))


def _repacked(random: Random, archive: Archive) -> Archive:
    """The archive with its tar stream changed below compression, checksums made right again."""
    try:
        stream = _UNPACK.get(archive.name.rpartition(".")[2], bytes)(archive.data)
    except (OSError, EOFError, zlib.error, zstd_module().ZstdError):
        stream = archive.data
    stream = mutated(random, stream[: 1 << 20], BYTES)
    if random.random() < 0.8:
        stream = with_checksums(stream)
    return _packed(random, stream)


_PACK: dict[Compression, Callable[[bytes], bytes]] = {
    Compression.NONE: bytes,
    Compression.GZIP: gzip_of,
    Compression.ZSTD: zstd_of,
}
_UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "tar": bytes,
    "tgz": gzip.decompress,
    "zst": lambda data: bytes(zstd_module().decompress(data)),
}


def _packed(random: Random, stream: bytes) -> Archive:
    name, compression = random.choice(
        [("a.tar", Compression.NONE), ("a.tgz", Compression.GZIP), ("a.tar.zst", Compression.ZSTD)]
    )
    return Archive(name, _PACK[compression](stream))


def _pick(random: Random, usual: Sequence[bytes], odd: Sequence[bytes]) -> bytes:
    return random.choice(usual if random.random() < 0.95 else odd)


def _made_zip(random: Random) -> Input:
    archive = zip_of(*(_zip_entry(random) for _ in range(random.randrange(5))))
    return Archive("a.zip", archive if random.random() < 0.5 else mutated(random, archive, BYTES))


def _zip_entry(random: Random) -> ZipEntry:
    name, method = _pick(random, _NAMES, _ODD_NAMES), random.choice([0, 8])
    if random.random() < 0.3:
        return ZipEntry(name, _pick(random, _TARGETS, _ODD_TARGETS), method, mode=0o120777)
    entry = ZipEntry(name, _content(random), method, mode=0o100755)
    return streamed(entry) if random.random() < 0.3 else entry


def _content(random: Random) -> bytes:
    return random.randbytes(random.randrange(40)) * random.choice([1, 1, 99])


def _made_tar(random: Random) -> Input:
    return _packed(random, _tar(random))


def _tar(random: Random) -> bytes:
    members = []
    for _ in range(random.randrange(8)):
        kind = _pick(random, _KINDS, _ODD_KINDS)
        name = _pick(random, _NAMES, _ODD_NAMES)
        data = b""
        if kind in b"xg":
            data = pax(path=random.choice(["a", "d/b", "../a", "l/a"]))
        elif kind in b"LK":
            data = _pick(random, _NAMES, _ODD_NAMES) + b"\0"
        elif kind not in b"125" and not name.rpartition(b"/")[2].startswith(b".wh."):
            data = _content(random)
        members.append(tar_entry(name, data, kind, link=_pick(random, _TARGETS, _ODD_TARGETS)))
    return tar_of(*members)


def _made_layers(random: Random) -> Input:
    layers: list[AnyLayer] = []
    for _ in range(random.randrange(1, 5)):
        compression = random.choice(list(Compression))
        layers.append(Layer(_PACK[compression](_tar(random)), compression))
    if random.random() < 0.2:
        path = _pick(random, _NAMES, _ODD_NAMES).decode(errors="surrogateescape")
        layers.insert(random.randrange(len(layers) + 1), FileLayer(path, b"text"))
    return tuple(layers)


def _stack(random: Random) -> Input:
    layers = list(random.choice(STACKS)) or [Layer(END, Compression.NONE)]
    at = random.randrange(len(layers))
    changed = layers[at]
    if isinstance(changed, Layer):
        data = mutated(random, changed.data, BYTES)
        if changed.compression is Compression.NONE:
            data = with_checksums(data)
        layers[at] = Layer(data, changed.compression)
    random.shuffle(layers)
    return tuple(layers)
