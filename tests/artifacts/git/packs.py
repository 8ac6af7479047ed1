"""Packs built byte by byte, so that a test can make any part of them lie."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tests.artifacts.git.repositories import Files, Node
from tests.servers import Answer, Request

COMMIT, TREE, BLOB, TAG, OFFSET_DELTA, ID_DELTA = 1, 2, 3, 4, 6, 7
_NAMES = {COMMIT: "commit", TREE: "tree", BLOB: "blob", TAG: "tag"}
_MODES = {"file": b"100644", "program": b"100755", "link": b"120000", "submodule": b"160000"}


def object_id(kind: int, data: bytes, algorithm: str = "sha1") -> str:
    return hashlib.new(algorithm, b"%b %d\0%b" % (_NAMES[kind].encode(), len(data), data)).hexdigest()


def entry(kind: int, data: bytes, *, base: bytes = b"", size: int | None = None) -> bytes:
    """One entry; `base` as it is written before the zlib stream, `size` lies about the data's."""
    left = len(data) if size is None else size
    head = bytearray([kind << 4 | left & 0x0F])
    left >>= 4
    while left:
        head[-1] |= 0x80
        head.append(left & 0x7F)
        left >>= 7
    return bytes(head) + base + zlib.compress(data)


def number(value: int) -> bytes:
    """7 bits a byte, the least significant first, as at the start of a delta."""
    output = bytearray()
    while value > 0x7F:
        output.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*output, value))


def distance(value: int) -> bytes:
    """How far back the base of a delta is, as it is written before its zlib stream."""
    output = [value & 0x7F]
    while value := value >> 7:
        value -= 1
        output.insert(0, value & 0x7F | 0x80)
    return bytes(output)


def delta(base: bytes, added: bytes, *, base_size: int | None = None, size: int | None = None) -> bytes:
    """All of a base of less than 64 KiB, and up to 127 bytes after it."""
    sizes = number(len(base) if base_size is None else base_size)
    sizes += number(len(base) + len(added) if size is None else size)
    return sizes + b"\xb0" + len(base).to_bytes(2, "little") + bytes([len(added)]) + added


def pack_of(
    *entries: bytes, count: int | None = None, trailer: bytes | None = None, algorithm: str = "sha1"
) -> bytes:
    """A pack of entries; `count` and `trailer` lie about their number and the checksum."""
    number_of = len(entries) if count is None else count
    body = b"PACK" + (2).to_bytes(4, "big") + number_of.to_bytes(4, "big") + b"".join(entries)
    return body + (hashlib.new(algorithm, body).digest() if trailer is None else trailer)


@dataclass
class Objects:
    """Objects by id, in the order in which they were added; gives the entries of a pack."""

    algorithm: str = "sha1"
    held: dict[str, tuple[int, bytes]] = field(default_factory=dict)

    def add(self, kind: int, data: bytes) -> str:
        name = object_id(kind, data, self.algorithm)
        self.held[name] = kind, data
        return name

    def add_tree(self, entries: Iterable[tuple[bytes, bytes, str]]) -> str:
        """A tree of modes, names and ids, in whatever order and of whatever sort they are."""
        return self.add(TREE, b"".join(b"%b %b\0%b" % (m, n, bytes.fromhex(i)) for m, n, i in entries))

    def add_commit(self, tree: str) -> str:
        return self.add(COMMIT, f"tree {tree}\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\nx\n".encode())

    def add_files(self, files: Files) -> str:
        """A commit of files by path."""
        return self.add_commit(self._directory({path.encode(): content for path, content in files.items()}))

    def _directory(self, files: Mapping[bytes, bytes | Node]) -> str:
        entries, below = [], dict[bytes, dict[bytes, bytes | Node]]()
        for path, content in files.items():
            name, _, rest = path.partition(b"/")
            if rest:
                below.setdefault(name, {})[rest] = content
                continue
            node = content if isinstance(content, Node) else Node(content)
            target = node.data.decode() if node.kind == "submodule" else self.add(BLOB, node.data)
            entries.append((_MODES[node.kind], name, target))
        entries += [(b"40000", name, self._directory(inside)) for name, inside in below.items()]
        return self.add_tree(sorted(entries, key=lambda found: found[1]))

    @property
    def entries(self) -> list[bytes]:
        return [entry(kind, data) for kind, data in self.held.values()]

    @property
    def pack(self) -> bytes:
        return pack_of(*self.entries, algorithm=self.algorithm)


def pkt(*lines: bytes) -> bytes:
    return b"".join(b"%04x%b" % (len(line) + 4, line) for line in lines)


def banded(pack: bytes, band: bytes = b"\1", size: int = 60_000) -> bytes:
    """Bytes in lines of one band."""
    return pkt(*(band + pack[at : at + size] for at in range(0, len(pack), size)))


def capabilities(*features: bytes, algorithm: str = "sha1") -> bytes:
    """The advertisement of a server of protocol version 2."""
    return (
        pkt(b"# service=git-upload-pack\n")
        + b"0000"
        + pkt(b"version 2\n", b"fetch=shallow %b\n" % b" ".join(features))
        + pkt(f"object-format={algorithm}\n".encode())
        + b"0000"
    )


def packfile(pack: bytes) -> bytes:
    """The answer of protocol version 2 that brings a pack."""
    return pkt(b"packfile\n") + banded(pack) + b"0000"


def speaking(
    answer: bytes | Callable[[bytes], bytes], advertisement: bytes | None = None, algorithm: str = "sha1"
) -> Answer:
    """A server that answers every request for objects with the same, or with what `answer` makes of it."""
    told = capabilities(algorithm=algorithm) if advertisement is None else advertisement

    def speak(request: Request) -> None:
        if request.command == "GET":
            request.reply(told, Content_Type="application/x-git-upload-pack-advertisement")
        else:
            body = answer if isinstance(answer, bytes) else answer(request.body)
            request.reply(body, Content_Type="application/x-git-upload-pack-result")

    return speak
