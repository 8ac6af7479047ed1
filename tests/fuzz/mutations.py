"""Changes of an archive's bytes: flips, lying length fields, pieces moved, cut off or put together."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from random import Random

from tests.artifacts.archive.archives import BLOCK

_NUMBERS = [
    0,
    1,
    2,
    7,
    8,
    255,
    256,
    511,
    512,
    513,
    0x7FFF,
    0xFFFF,
    0x10000,
    0x7FFFFFFF,
    0xFFFFFFFE,
    0xFFFFFFFF,
]


def mutated(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """`data` after one to four changes of any kind, with pieces of `others`."""
    for _ in range(random.randrange(1, 5)):
        if random.random() < 0.2:
            data = random.choice([_concatenate, _splice])(random, data, random.choice([data, *others]))
        else:
            data = random.choice(_MUTATIONS)(random, data)
    return data


def with_checksums(stream: bytes) -> bytes:
    """A tar stream whose header checksums are right, wherever a block may be a header."""
    blocks = []
    for start in range(0, len(stream), BLOCK):
        block = stream[start : start + BLOCK]
        if len(block) == BLOCK and block[257:262] == b"ustar":
            total = sum(block[:148]) + 8 * ord(" ") + sum(block[156:])
            block = block[:148] + b"%06o\0 " % total + block[156:]
        blocks.append(block)
    return b"".join(blocks)


def _place(random: Random, data: bytes) -> int:
    """A place in `data`, mostly one in or near a header."""
    marks = [at for at in (data.find(b"PK", random.randrange(len(data) + 1)), 0) if at >= 0]
    near = random.choice([*marks, BLOCK * random.randrange(len(data) // BLOCK + 1)]) + random.randrange(BLOCK)
    return random.choice([random.randrange(len(data) + 1), min(near, len(data))])


def _flip(random: Random, data: bytes) -> bytes:
    at = _place(random, data)
    value = random.choice([random.randrange(256), 0, 0x7F, 0x80, 0xFF, ord("/"), ord("."), ord("\\")])
    return data[:at] + bytes([value]) + data[at + 1 :]


def _edit_number(random: Random, data: bytes) -> bytes:
    value = random.choice([*_NUMBERS, len(data), len(data) - 22, random.getrandbits(32)]) & 0xFFFFFFFF
    form = random.choice(["<H", "<L", "<Q", ">L"])
    field = struct.pack(form, value & 0xFFFF if form == "<H" else value)
    at = _place(random, data)
    return data[:at] + field + data[at + len(field) :]


def _edit_octal(random: Random, data: bytes) -> bytes:
    at = BLOCK * random.randrange(len(data) // BLOCK + 1) + random.choice([100, 124, 124, 148, 156, 345])
    field = random.choice(
        [b"%011o\0" % random.choice(_NUMBERS), b"\x80" + random.randbytes(11), b"8", b"\xff"]
    )
    return data[:at] + field + data[at + len(field) :]


def _truncate(random: Random, data: bytes) -> bytes:
    return data[: _place(random, data)]


def _concatenate(random: Random, data: bytes, other: bytes) -> bytes:
    return data + other


def _splice(random: Random, data: bytes, other: bytes) -> bytes:
    """A piece of the other in place of a piece of this one, either of which may be empty."""
    first, last = sorted(_place(random, other) for _ in range(2))
    at = _place(random, data)
    dropped = random.choice([0, last - first, random.randrange(BLOCK)])
    return data[:at] + other[first:last] + data[at + dropped :]


def _rename(random: Random, data: bytes) -> bytes:
    at = BLOCK * random.randrange(len(data) // BLOCK + 1) + random.choice([0, 0, 157])
    name = random.choice([b"a", b"d", b"d/a", b"l", b"../a", b".git", b"", b"A", b".wh.a", b"a" * 90])
    return data[:at] + name + b"\0" + data[at + len(name) + 1 :]


_MUTATIONS: Sequence[Callable[[Random, bytes], bytes]] = (
    _flip,
    _flip,
    _flip,
    _edit_number,
    _edit_number,
    _edit_octal,
    _truncate,
    _rename,
)
