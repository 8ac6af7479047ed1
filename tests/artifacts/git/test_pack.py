"""Packs: every object is hashed here, and whatever no Git program writes is refused in bounded time."""

from __future__ import annotations

import contextlib
import hashlib
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.artifacts.archive.limits import MIB, Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused
from kagent_render.artifacts.git.failure import GitFailure
from kagent_render.artifacts.git.inflation import Expansion
from kagent_render.artifacts.git.object_format import SHA1, SHA256
from kagent_render.artifacts.git.pack import Pack
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.git.packs import (
    BLOB,
    COMMIT,
    ID_DELTA,
    OFFSET_DELTA,
    TAG,
    TREE,
    delta,
    distance,
    entry,
    number,
    object_id,
    pack_of,
)

BASE = b"a base that others build upon"
BASE_ID = object_id(BLOB, BASE)
BASE_ENTRY = entry(BLOB, BASE)


def read(data: bytes, limits: Limits | None = None) -> Pack:
    return Pack(data, SHA1, Expansion(limits or Limits()))


@pytest.mark.parametrize(("kind", "name"), [(COMMIT, "commit"), (TREE, "tree"), (BLOB, "blob"), (TAG, "tag")])
@pytest.mark.parametrize("data", [b"", b"x", bytes(100_000)], ids=["empty", "small", "large"])
def test_an_object_is_found_by_its_hash(kind: int, name: str, data: bytes) -> None:
    found = read(pack_of(entry(kind, data))).read(object_id(kind, data))
    assert (found.kind, found.data) == (name, data)


def test_ids_of_sha256_are_found_too() -> None:
    base = hashlib.sha256(b"blob %d\0%b" % (len(BASE), BASE)).digest()
    pack = Pack(
        pack_of(BASE_ENTRY, entry(ID_DELTA, delta(BASE, b"!"), base=base), algorithm="sha256"),
        SHA256,
        Expansion(Limits()),
    )
    assert pack.read(object_id(BLOB, BASE + b"!", "sha256")).data == BASE + b"!"


def test_a_delta_is_found_whether_its_base_comes_before_or_after() -> None:
    name = bytes.fromhex(object_id(BLOB, BASE + b"1"))
    second = entry(ID_DELTA, delta(BASE + b"1", b"2"), base=name)
    first = entry(ID_DELTA, delta(BASE, b"1"), base=bytes.fromhex(BASE_ID))
    third = entry(OFFSET_DELTA, delta(BASE, b"3"), base=distance(len(BASE_ENTRY)))
    pack = read(pack_of(second, first, BASE_ENTRY, third))
    for added in (b"", b"1", b"12", b"3"):
        assert pack.read(object_id(BLOB, BASE + added)).data == BASE + added


def test_contents_that_are_not_held_are_expanded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kagent_render.artifacts.git.pack._HELD", 10)
    entries, content = [BASE_ENTRY], BASE
    for added in (b"1", b"2", b"3"):
        entries.append(entry(OFFSET_DELTA, delta(content, added), base=distance(len(entries[-1]))))
        content += added
    assert read(pack_of(*entries)).read(object_id(BLOB, content)).data == content


def on_base(data: bytes) -> bytes:
    """A pack with a base and a delta upon it."""
    return pack_of(BASE_ENTRY, entry(OFFSET_DELTA, data, base=distance(len(BASE_ENTRY))))


LOOP = entry(ID_DELTA, delta(BASE, b"1"), base=bytes.fromhex(object_id(BLOB, BASE + b"1")))
MALFORMED: dict[str, bytes] = {
    "empty": b"",
    "header-only": b"PACK\0\0\0\2\0\0\0\0",
    "magic": b"JUNK" + pack_of(BASE_ENTRY)[4:],
    "version": b"PACK\0\0\0\x09" + pack_of(BASE_ENTRY)[8:],
    "fewer-than-counted": pack_of(BASE_ENTRY, count=2),
    "more-than-counted": pack_of(BASE_ENTRY, BASE_ENTRY, count=1),
    "kind-0": pack_of(entry(0, BASE)),
    "kind-5": pack_of(entry(5, BASE)),
    "endless-size": pack_of(b"\xb0" + b"\xff" * 40),
    "size-too-small": pack_of(entry(BLOB, BASE, size=3)),
    "size-too-large": pack_of(entry(BLOB, BASE, size=3_000)),
    "no-zlib": pack_of(b"\x35notzlib"),
    "zlib-cut-off": pack_of(BASE_ENTRY[:-6]),
    "zlib-checksum": pack_of(BASE_ENTRY[:-1] + b"\0"),
    "delta-upon-itself": pack_of(entry(OFFSET_DELTA, delta(BASE, b"1"), base=distance(0))),
    "delta-before-the-pack": pack_of(entry(OFFSET_DELTA, delta(BASE, b"1"), base=distance(400))),
    "delta-inside-another": pack_of(BASE_ENTRY, entry(OFFSET_DELTA, delta(BASE, b"1"), base=distance(3))),
    "endless-distance": pack_of(BASE_ENTRY, b"\x65" + b"\xff" * 40),
    "delta-loop": pack_of(LOOP, BASE_ENTRY),
    "delta-upon-nothing": pack_of(entry(ID_DELTA, delta(BASE, b"1"), base=bytes(20))),
    "delta-without-an-id": pack_of(b"\x75" + bytes(5)),
    "delta-empty": on_base(b""),
    "delta-of-another-base": on_base(delta(BASE, b"1", base_size=5)),
    "delta-claims-less": on_base(delta(BASE, b"1", size=5)),
    "delta-claims-more": on_base(delta(BASE, b"1", size=5_000)),
    "delta-reserved": on_base(number(len(BASE)) + number(1) + b"\0"),
    "delta-copies-beyond": on_base(number(len(BASE)) + number(9) + b"\x91\xff\x09"),
    "delta-endless-size": on_base(b"\xff" * 40),
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_what_no_git_program_writes_is_refused(data: bytes) -> None:
    with pytest.raises(GitFailure) as failure:
        read(data)
    assert failure.value.reason is Reason.ARTIFACT_FETCH_FAILED
    assert failure.value.hint


@pytest.mark.parametrize(
    "change",
    [
        lambda pack: pack[:-1] + bytes([pack[-1] ^ 1]),
        lambda pack: pack[:20] + bytes([pack[20] ^ 1]) + pack[21:],
        lambda pack: pack[:-7],
    ],
    ids=["trailer", "content", "cut-off"],
)
def test_a_wrong_checksum_is_a_mismatch_with_both(change: Callable[[bytes], bytes]) -> None:
    data = change(pack_of(BASE_ENTRY))
    with pytest.raises(GitFailure) as failure:
        read(data)
    assert failure.value.reason is Reason.ARTIFACT_DIGEST_MISMATCH
    assert data[-20:].hex() in failure.value.what
    assert hashlib.sha1(data[:-20]).hexdigest() in failure.value.what


def bombs() -> dict[str, bytes]:
    """Packs that are small and claim, or give, far more than is ever wanted."""
    zeros = bytes(5 * MIB)
    half = entry(BLOB, bytes(MIB // 2))
    copies = number(MIB // 2) + number(1 << 40) + b"\xb0\xff\xff"
    return {
        "declared": pack_of(entry(BLOB, b"x", size=1 << 50)),
        "honest": pack_of(entry(BLOB, zeros)),
        "declared-small": pack_of(entry(BLOB, zeros, size=10)),
        "many": pack_of(*[half] * 40),
        "delta-claims": pack_of(half, entry(OFFSET_DELTA, copies, base=distance(len(half)))),
        "deltas": pack_of(
            half,
            *[
                entry(ID_DELTA, delta_of_copies(8), base=bytes.fromhex(object_id(BLOB, bytes(MIB // 2))))
                for _ in range(80)
            ],
        ),
        "objects": pack_of(count=4_000_000_000),
    }


def delta_of_copies(times: int) -> bytes:
    """A delta that copies the first 64 KiB of a base of half a MiB again and again."""
    return number(MIB // 2) + number(times * 0xFFFF) + b"\xb0\xff\xff" * times


@pytest.mark.parametrize("name", bombs())
def test_a_bomb_is_refused_before_it_is_expanded(name: str) -> None:
    data = bombs()[name]
    tracemalloc.start()
    try:
        with pytest.raises(GitFailure) as failure:
            read(data, Limits(content=MIB, archive=MIB))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    expected = Reason.ARTIFACT_FETCH_FAILED if name == "declared-small" else Reason.ARTIFACT_TOO_LARGE
    assert failure.value.reason is expected
    assert peak < 24 * MIB


def test_steps_without_output_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kagent_render.artifacts.git.pack._HELD", 0)
    entries = [entry(BLOB, b"x")]
    for _ in range(200):
        same = number(1) + number(1) + b"\x90\x01"
        entries.append(entry(OFFSET_DELTA, same, base=distance(len(entries[-1]))))
    with pytest.raises(GitFailure) as failure:
        read(pack_of(*entries), Limits(archive=MIB))
    assert failure.value.reason is Reason.ARTIFACT_TOO_LARGE


def test_a_chain_of_deltas_longer_than_git_writes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kagent_render.artifacts.git.pack._CHAIN", 5)
    entries, content = [BASE_ENTRY], BASE
    for _ in range(6):
        entries.append(entry(OFFSET_DELTA, delta(content, b"1"), base=distance(len(entries[-1]))))
        content += b"1"
    assert read(pack_of(*entries[:-1]))
    with pytest.raises(GitFailure, match="more than 5 deltas"):
        read(pack_of(*entries))


SEEDS = [data for data in (*MALFORMED.values(), on_base(delta(BASE, b"1"))) if len(data) > 40]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(SEEDS),
    st.lists(st.tuples(st.integers(8, 200), st.binary(min_size=1, max_size=3)), max_size=4),
    st.booleans(),
)
def test_no_bytes_are_anything_but_objects_or_a_refusal(
    seed: bytes, changes: list[tuple[int, bytes]], sealed: bool
) -> None:
    data = bytearray(seed)
    for at, replacement in changes:
        data[at : at + len(replacement)] = replacement
    if sealed:
        data[-20:] = hashlib.sha1(data[:-20]).digest()
    try:
        pack = read(bytes(data), Limits(content=MIB, archive=MIB))
    except (GitFailure, ArchiveRefused):
        return
    for name, kind in pack:
        found = pack.read(name)
        header = f"{kind} {len(found.data)}\0".encode()
        assert hashlib.sha1(header + found.data).hexdigest() == name


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_a_sealed_entry_of_any_bytes_is_an_object_or_a_refusal(body: bytes) -> None:
    with contextlib.suppress(GitFailure):
        read(pack_of(body, count=1), Limits(content=MIB, archive=MIB))


def test_an_object_may_end_where_a_piece_of_input_does() -> None:
    for size in range(65_400, 65_700, 7):
        data = hashlib.shake_128(b"%d" % size).digest(size)
        assert read(pack_of(entry(BLOB, data), BASE_ENTRY)).read(object_id(BLOB, data)).data == data
