"""Git's protocol byte by byte: what is asked, and that no answer is anything but understood or refused."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.artifacts.archive.refusal import ArchiveRefused
from kagent_render.artifacts.archive.stream import ByteStream
from kagent_render.artifacts.git.advertisement import Advertisement, read_advertisement
from kagent_render.artifacts.git.failure import GitFailure
from kagent_render.artifacts.git.object_format import SHA1, SHA256, format_of_id
from kagent_render.artifacts.git.packets import Packets
from kagent_render.artifacts.git.request import Wanted, encoded
from kagent_render.artifacts.git.response import read_version_0, read_version_2
from kagent_render.artifacts.git.tree_entries import read_tree
from tests.artifacts.git.packs import banded, capabilities, pkt

A, B = "a" * 40, "b" * 40
NEWEST = Advertisement(2, {"fetch": "shallow filter", "object-format": "sha256"}, {})
OLDEST = Advertisement(0, {"side-band-64k": "", "shallow": "", "agent": "git/1"}, {"HEAD": A})


@pytest.mark.parametrize(
    ("wanted", "told", "request_bytes"),
    [
        (
            Wanted([A], 1, blobless=True),
            NEWEST,
            pkt(b"command=fetch\n", b"object-format=sha256\n")
            + b"0001"
            + pkt(b"ofs-delta\n", b"no-progress\n", b"deepen 1\n", b"filter blob:none\n")
            + pkt(f"want {A}\n".encode(), b"done\n")
            + b"0000",
        ),
        (
            Wanted([A, B], 16),
            OLDEST,
            pkt(f"want {A} side-band-64k shallow\n".encode(), f"want {B}\n".encode(), b"deepen 16\n")
            + b"0000"
            + pkt(b"done\n"),
        ),
        (
            Wanted([A]),
            Advertisement(0, {"object-format": "sha1", "no-progress": ""}, {}),
            pkt(f"want {A} no-progress object-format=sha1\n".encode()) + b"0000" + pkt(b"done\n"),
        ),
    ],
    ids=["version-2", "version-0", "without-shallow"],
)
def test_a_request_is_these_bytes(wanted: Wanted, told: Advertisement, request_bytes: bytes) -> None:
    assert encoded(wanted, told) == request_bytes


def packets(data: bytes) -> Packets:
    return Packets(ByteStream(iter([data] if data else [])))


def test_an_advertisement_of_version_2_is_read() -> None:
    told = read_advertisement(packets(capabilities(b"filter")), SHA1)
    assert (told.version, told.filters, told.shallow, told.any_commit) == (2, True, True, True)
    assert not told.refs


@pytest.mark.parametrize(
    ("granted", "any_commit"),
    [(b"", False), (b" allow-tip-sha1-in-want", True), (b" allow-reachable-sha1-in-want", True)],
)
def test_an_advertisement_of_version_0_is_read(granted: bytes, any_commit: bool) -> None:
    first = f"{A} HEAD".encode() + b"\0shallow filter agent=git/2" + granted + b"\n"
    others = pkt(
        f"{A} refs/heads/main\n".encode(), f"{B} refs/tags/v1^{{}}\n".encode(), f"shallow {B}".encode()
    )
    told = read_advertisement(packets(pkt(first) + others + b"0000"), SHA1)
    assert told.refs == {"HEAD": A, "refs/heads/main": A, "refs/tags/v1^{}": B}
    assert (told.version, told.filters, told.shallow, told.any_commit) == (0, False, True, any_commit)


def test_the_format_is_told_by_the_length_of_an_id() -> None:
    assert (format_of_id("1" * 40), format_of_id("1" * 64)) == (SHA1, SHA256)


LINES = st.one_of(
    st.sampled_from([b"0000", b"0001", b"0002", b"0003", b"0004", b"fff0", b"zzzz", b"-001"]),
    st.sampled_from([
        pkt(b"version 2\n"), pkt(b"# service=git-upload-pack\n"), pkt(b"packfile\n"), pkt(b"shallow-info\n"),
        pkt(b"NAK\n"), pkt(b"ERR no\n"), pkt(b"fetch=shallow filter\n"), banded(b"PACK"),
        banded(b"no", b"\3"),
        pkt(f"{A} HEAD\0shallow\n".encode()), pkt(f"{A} refs/heads/main\n".encode()),
    ]),
    st.binary(max_size=20).map(lambda data: pkt(data)),
    st.binary(max_size=6),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(LINES, max_size=8).map(b"".join))
def test_no_answer_is_anything_but_understood_or_refused(data: bytes) -> None:
    with contextlib.suppress(GitFailure):
        assert read_version_2(packets(data)).pack is not None
    with contextlib.suppress(GitFailure):
        assert read_version_0(packets(data), deepened=True).pack is not None
    with contextlib.suppress(GitFailure):
        told = read_advertisement(packets(data), SHA1)
        assert all(SHA1.is_id(target) for target in told.refs.values())


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.sampled_from([b"100644", b"40000", b"120000", b"0", b"-1", b"9"]), st.binary(max_size=9)
            ),
            st.one_of(st.sampled_from([b"a", b"b", b"..", b"a/b", b"\xff"]), st.binary(max_size=4)),
            st.one_of(st.binary(min_size=20, max_size=20), st.binary(max_size=22)),
        ),
        max_size=4,
    )
)
def test_no_directory_is_anything_but_read_or_refused(entries: list[tuple[bytes, bytes, bytes]]) -> None:
    data = b"".join(b"%b %b\0%b" % entry for entry in entries)
    with contextlib.suppress(GitFailure, ArchiveRefused):
        for name, entry in read_tree(data, SHA1).items():
            assert "/" not in name
            assert SHA1.is_id(entry.target)
