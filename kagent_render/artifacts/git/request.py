"""The requests that are made of `git-upload-pack`: objects by id, in either version, and refs by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.artifacts.git.advertisement import Advertisement

_DELIMITER: Final = b"0001"
# Some servers talk to nobody without `multi_ack_detailed`; to a request without haves it makes no difference.
_OURS: Final = ("side-band-64k", "ofs-delta", "no-progress", "multi_ack_detailed")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Objects by id; commits with as many generations as `depth` says, with all blobs or without any.

    `haves` are commits that are here already, and with a `depth` not those before them.
    """

    ids: Sequence[str]
    depth: int | None = None
    blobless: bool = False
    haves: Sequence[str] = ()


def encoded(wanted: Wanted, advertisement: Advertisement) -> bytes:
    """The request for what is `wanted` as the server that sent `advertisement` reads it."""
    if advertisement.version == 2:
        return _version_2(wanted, advertisement)
    return _version_0(wanted, advertisement)


def _version_2(wanted: Wanted, advertisement: Advertisement) -> bytes:
    from dulwich.protocol import pkt_line, pkt_seq

    command = [b"command=fetch\n", *(f"{word}\n".encode() for word in _object_format(advertisement))]
    arguments = [
        "ofs-delta",
        "no-progress",
        *_extent(wanted),
        *(f"want {name}" for name in wanted.ids),
        *(f"have {name}" for name in wanted.haves),
        "done",
    ]
    return b"".join((*map(pkt_line, command), _DELIMITER, pkt_seq(*_lines(arguments))))


def _version_0(wanted: Wanted, advertisement: Advertisement) -> bytes:
    from dulwich.protocol import pkt_line, pkt_seq

    known = [word for word in _OURS if word in advertisement.capabilities]
    if "shallow" in advertisement.capabilities:
        known.append("shallow")
    first, *others = wanted.ids
    capabilities = " ".join((*known, *_object_format(advertisement)))
    wants = [f"want {first} {capabilities}", *(f"want {name}" for name in others)]
    haves = b"".join(map(pkt_line, _lines([f"have {name}" for name in wanted.haves])))
    return pkt_seq(*_lines([*wants, *_extent(wanted)])) + haves + pkt_line(b"done\n")


def encoded_refs(names: Sequence[str], advertisement: Advertisement) -> bytes:
    """The request of protocol version 2 for refs by their full names, with what tags lead to."""
    from dulwich.protocol import pkt_line, pkt_seq

    command = [b"command=ls-refs\n", *(f"{word}\n".encode() for word in _object_format(advertisement))]
    arguments = ["peel", *(f"ref-prefix {name}" for name in names)]
    return b"".join((*map(pkt_line, command), _DELIMITER, pkt_seq(*_lines(arguments))))


def _extent(wanted: Wanted) -> list[str]:
    shallow = [f"shallow {name}" for name in wanted.haves]
    depth = [] if wanted.depth is None else [*shallow, f"deepen {wanted.depth}"]
    return [*depth, "filter blob:none"] if wanted.blobless else depth


def _object_format(advertisement: Advertisement) -> list[str]:
    told = advertisement.capabilities.get("object-format")
    return [f"object-format={told}"] if told else []


def _lines(words: Sequence[str]) -> list[bytes]:
    return [f"{word}\n".encode() for word in words]
