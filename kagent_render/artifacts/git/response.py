"""The answer of `git-upload-pack`: a pack, and whether history goes on beyond it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.artifacts.git.failure import ServerRefused, not_git
from kagent_render.artifacts.git.packets import said

if TYPE_CHECKING:
    from collections.abc import Collection

    from kagent_render.artifacts.git.packets import Packets


@dataclass(frozen=True, slots=True)
class Answer:
    """The bytes of a pack; `shallow` where the history of what was asked for was cut off."""

    pack: bytes | bytearray
    shallow: bool


def read_version_2(packets: Packets) -> Answer:
    """The answer to a request that ended all negotiation, in protocol version 2."""
    shallow = False
    header = packets.next()
    if header == b"shallow-info\n":
        shallow = _shallow_lines(packets)
        header = packets.next()
    if header != b"packfile\n":
        raise not_git()
    return Answer(_pack(packets), shallow)


def read_version_0(packets: Packets, *, deepened: bool) -> Answer:
    """The same in protocol version 0, where shallow lines come when a depth was asked for."""
    shallow = _shallow_lines(packets) if deepened else False
    # With `multi_ack_detailed`, each commit that both have is told by a line of its own.
    while (line := packets.next()) is not None and line.rstrip(b"\n").endswith((b" common", b" ready")):
        pass
    if line is None or not line.startswith((b"NAK", b"ACK ")):
        raise not_git()
    return Answer(_pack(packets), shallow)


def read_refs(packets: Packets, names: Collection[str]) -> dict[str, str]:
    """The refs of some names in an answer: ids by name, what a tag leads to by its name and `^{}`.

    A server may tell of more than it was asked for, and of so many that they would not fit.
    """
    refs = {}
    for line in packets.section():
        target, _, rest = line.decode(errors="replace").rstrip("\n").partition(" ")
        name, *attributes = rest.split(" ")
        if not name:
            raise not_git()
        if name not in names:
            continue
        refs[name] = target
        peeled = next((word[7:] for word in attributes if word.startswith("peeled:")), None)
        if peeled is not None:
            refs[f"{name}^{{}}"] = peeled
    return refs


def _shallow_lines(packets: Packets) -> bool:
    shallow = False
    for line in packets.section():
        shallow = shallow or line.startswith(b"shallow ")
    return shallow


def _pack(packets: Packets) -> bytearray:
    """What comes on the first band; the second is progress, the third an error that ends it all."""
    pack = bytearray()
    for line in packets.section():
        band = line[:1]
        if band == b"\1":
            pack += line[1:]
        elif band == b"\3":
            raise ServerRefused(said(line[1:]))
        elif band != b"\2":
            raise not_git()
    return pack
