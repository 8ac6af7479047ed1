"""Hostile archives: one or more for every refusal, as (id, archive, object name, refusal)."""

from __future__ import annotations

import stat
import struct
from collections.abc import Iterator
from dataclasses import replace

from kagent_render.artifacts.archive.refusal import Refusal
from tests.artifacts.archive.archives import (
    BLOCK,
    END,
    ZipEntry,
    central_part,
    gzip_of,
    local_part,
    pax,
    skippable,
    streamed,
    tar_entry,
    tar_of,
    zip64_of,
    zip_end,
    zip_of,
    zstd_module,
    zstd_of,
)

Case = tuple[str, bytes, str, Refusal]

NAMES: list[tuple[str, bytes, Refusal]] = [
    ("absolute", b"/etc/passwd", Refusal.ABSOLUTE),
    ("parent", b"../a", Refusal.DOT_SEGMENT),
    ("parent-inside", b"a/../../b", Refusal.DOT_SEGMENT),
    ("dot-inside", b"a/./b", Refusal.DOT_SEGMENT),
    ("parent-last", b"a/..", Refusal.DOT_SEGMENT),
    ("two-slashes", b"a//b", Refusal.EMPTY_NAME),
    ("backslash", b"a\\b", Refusal.BACKSLASH),
    ("backslash-parent", b"..\\a", Refusal.BACKSLASH),
    ("drive", b"C:a", Refusal.DRIVE),
    ("drive-absolute", b"c:/a", Refusal.DRIVE),
    ("drive-inside", b"a/D:b", Refusal.DRIVE),
    ("line-feed", b"a\nb", Refusal.CONTROL_CHARACTER),
    ("escape", b"a\x1b[31m", Refusal.CONTROL_CHARACTER),
    ("delete", b"a\x7f", Refusal.CONTROL_CHARACTER),
    ("next-line", "a\x85b".encode(), Refusal.CONTROL_CHARACTER),
    ("line-separator", "a\u2028b".encode(), Refusal.CONTROL_CHARACTER),
    ("latin-1", b"caf\xe9", Refusal.NOT_UTF8),
    ("surrogate", b"a\xed\xa0\x80", Refusal.NOT_UTF8),
    ("overlong-utf8", b"a\xc0\xaf", Refusal.NOT_UTF8),
    ("git", b".git/config", Refusal.GIT_DIRECTORY),
    ("git-inside", b"a/.git/hooks/x", Refusal.GIT_DIRECTORY),
    ("git-case", b".GiT/config", Refusal.GIT_DIRECTORY),
    ("git-short-name", b"git~1/config", Refusal.GIT_DIRECTORY),
    ("git-short-name-case", b"GIT~1/config", Refusal.GIT_DIRECTORY),
    ("git-trailing-dot", b".git./config", Refusal.GIT_DIRECTORY),
    ("git-trailing-space", b".git /config", Refusal.GIT_DIRECTORY),
    ("git-stream", b".git::$INDEX_ALLOCATION/config", Refusal.GIT_DIRECTORY),
    ("git-hfs", ".g\u200cit/config".encode(), Refusal.GIT_DIRECTORY),
    ("git-hfs-bom", "\ufeff.git/config".encode(), Refusal.GIT_DIRECTORY),
    ("git-file", b"a/.git", Refusal.GIT_DIRECTORY),
    ("git-short-name-of-another", b"git~20/config", Refusal.GIT_DIRECTORY),
    ("git-short-name-dot", b"GiT~1. /config", Refusal.GIT_DIRECTORY),
    ("git-short-name-stream", b"git~1:x", Refusal.GIT_DIRECTORY),
    ("git-dots-and-spaces", b".git . ./config", Refusal.GIT_DIRECTORY),
    ("git-any-stream", b"a/.git:x", Refusal.GIT_DIRECTORY),
    ("git-hfs-case", ".G\u200dI\u206aT/config".encode(), Refusal.GIT_DIRECTORY),
    ("git-hfs-end", ".git\u202e".encode(), Refusal.GIT_DIRECTORY),
]
LONG_NAMES: list[tuple[str, bytes, Refusal]] = [
    ("long-segment", b"a" * 256, Refusal.OVERLONG),
    ("long-path", b"/".join([b"a" * 100] * 11), Refusal.OVERLONG),
]


def _named_zips() -> Iterator[Case]:
    for label, name, refusal in [*NAMES, *LONG_NAMES, ("empty", b"", Refusal.EMPTY_NAME)]:
        yield f"zip-{label}", zip_of(ZipEntry(name)), "a.zip", refusal


def _named_tars() -> Iterator[Case]:
    for label, name, refusal in [*NAMES, ("empty", b"", Refusal.EMPTY_NAME)]:
        yield f"tar-{label}", tar_of(tar_entry(name)), "a.tar", refusal
    for label, name, refusal in [*NAMES, *LONG_NAMES]:
        long_name = tar_entry(b"././@LongLink", name + b"\0", b"L", magic=b"ustar  \0")
        yield f"tar-gnu-{label}", tar_of(long_name, tar_entry(b"a")), "a.tar", refusal
        if refusal is not Refusal.NOT_UTF8:
            path = tar_entry(b"x", pax(path=name.decode()), b"x")
            yield f"tar-pax-{label}", tar_of(path, tar_entry(b"a")), "a.tar", refusal
    yield (
        "tar-pax-nul",
        tar_of(tar_entry(b"x", pax(path="a\0b"), b"x"), tar_entry(b"a")),
        "a.tar",
        Refusal.CONTROL_CHARACTER,
    )
    yield "tar-prefix-parent", tar_of(tar_entry(b"a", prefix=b"..")), "a.tar", Refusal.DOT_SEGMENT


def _link(name: bytes, target: bytes) -> bytes:
    return tar_entry(name, kind=b"2", link=target)


def _zip_link(name: bytes, target: bytes) -> ZipEntry:
    return ZipEntry(name, target, mode=stat.S_IFLNK | 0o777)


def _trees() -> Iterator[Case]:
    pairs = [
        ("twice", (b"a", b"a"), Refusal.DUPLICATE),
        ("case", (b"a/README", b"a/readme"), Refusal.SAME_WHEN_FOLDED),
        ("case-of-directories", (b"a/x", b"A/y"), Refusal.SAME_WHEN_FOLDED),
        ("normalization", ("\u00e9".encode(), "E\u0301".encode()), Refusal.SAME_WHEN_FOLDED),
        ("one-after-normalization", ("\u00e9".encode(), "e\u0301".encode()), Refusal.DUPLICATE),
        ("sharp-s", ("stra\u00dfe".encode(), b"STRASSE"), Refusal.SAME_WHEN_FOLDED),
        ("file-then-directory", (b"a", b"a/b"), Refusal.FILE_AND_DIRECTORY),
        ("directory-then-file", (b"a/b", b"a"), Refusal.FILE_AND_DIRECTORY),
    ]
    for label, names, refusal in pairs:
        yield f"zip-{label}", zip_of(*map(ZipEntry, names)), "a.zip", refusal
        yield f"tar-{label}", tar_of(*map(tar_entry, names)), "a.tar", refusal
    links = [
        ("out", [(b"l", b"../a")], Refusal.LINK_OUT),
        ("out-and-in-again", [(b"d/l", b"../../x/a")], Refusal.LINK_OUT),
        ("out-through-link", [(b"d/e/up", b"../.."), (b"l", b"d/e/up/../a")], Refusal.LINK_OUT),
        ("absolute", [(b"l", b"/etc/passwd")], Refusal.LINK_OUT),
        ("drive", [(b"l", b"C:x")], Refusal.LINK_OUT),
        ("backslash", [(b"l", b"..\\x")], Refusal.LINK_OUT),
        ("dangling", [(b"l", b"nothing")], Refusal.LINK_DANGLING),
        ("through-a-file", [(b"l", b"a/b")], Refusal.LINK_DANGLING),
        ("to-itself", [(b"l", b"l")], Refusal.LINK_CYCLE),
        ("two-in-a-ring", [(b"l", b"m"), (b"m", b"l")], Refusal.LINK_CYCLE),
        ("into-itself", [(b"d/l", b".")], Refusal.LINK_CYCLE),
        ("to-the-root", [(b"d/l", b"..")], Refusal.LINK_CYCLE),
        ("long-chain", [(b"%d" % n, b"%d" % (n + 1)) for n in range(45)], Refusal.LINK_CYCLE),
        ("overlong", [(b"l", b"a/" * 600)], Refusal.OVERLONG),
    ]
    for label, pointing, refusal in links:
        if label != "overlong":
            members = [tar_entry(b"a"), *(_link(*one) for one in pointing)]
            yield f"tar-link-{label}", tar_of(*members), "a.tar", refusal
        entries = [ZipEntry(b"a"), *(_zip_link(*one) for one in pointing)]
        yield f"zip-link-{label}", zip_of(*entries), "a.zip", refusal
    below = tar_of(tar_entry(b"d/x"), _link(b"l", b"d"), tar_entry(b"l/y"))
    yield "tar-file-below-a-link", below, "a.tar", Refusal.FILE_AND_DIRECTORY
    yield "zip-empty-link", zip_of(_zip_link(b"l", b"")), "a.zip", Refusal.LINK_DANGLING
    doubling = [tar_entry(b"d0/x")]
    for n in range(1, 20):
        doubling += [_link(b"d%d/l" % n, b"../d%d" % (n - 1)), _link(b"d%d/m" % n, b"../d%d" % (n - 1))]
    yield "tar-doubling-links", tar_of(*doubling), "a.tar", Refusal.TOO_MANY_ENTRIES


def _tars() -> Iterator[Case]:
    kinds = [
        (b"3", Refusal.DEVICE),
        (b"4", Refusal.DEVICE),
        (b"6", Refusal.DEVICE),
        (b"S", Refusal.SPARSE),
        (b"7", Refusal.UNSUPPORTED_KIND),
        (b"V", Refusal.UNSUPPORTED_KIND),
        (b"M", Refusal.UNSUPPORTED_KIND),
        (b"\xff", Refusal.UNSUPPORTED_KIND),
    ]
    for kind, refusal in kinds:
        yield f"tar-kind-{kind!r}", tar_of(tar_entry(b"a", kind=kind)), "a.tar", refusal
    good = tar_entry(b"a", b"text")
    yield (
        "tar-sparse-pax",
        tar_of(tar_entry(b"x", pax(GNU__sparse__major="1"), b"x"), good),
        "a.tar",
        Refusal.SPARSE,
    )
    hard = tar_of(tar_entry(b"l", kind=b"1", link=b"a"), good)
    yield "tar-hard-link-forward", hard, "a.tar", Refusal.HARD_LINK
    yield "tar-hard-link-out", tar_of(tar_entry(b"l", kind=b"1", link=b"../a")), "a.tar", Refusal.DOT_SEGMENT
    to_link = tar_of(good, _link(b"l", b"a"), tar_entry(b"h", kind=b"1", link=b"l"))
    yield "tar-hard-link-to-link", to_link, "a.tar", Refusal.HARD_LINK
    yield "tar-directory-with-size", tar_of(tar_entry(b"d/", b"x", b"5")), "a.tar", Refusal.NOT_EMPTY
    yield "tar-link-with-size", tar_of(tar_entry(b"l", b"x", b"2", link=b"a")), "a.tar", Refusal.NOT_EMPTY
    yield "tar-file-with-slash", tar_of(tar_entry(b"a/", b"x")), "a.tar", Refusal.FILE_AND_DIRECTORY
    yield "tar-root-file", tar_of(tar_entry(b"./", b"x")), "a.tar", Refusal.FILE_AND_DIRECTORY
    yield "tar-short-block", good + END[:100], "a.tar", Refusal.TRUNCATED
    yield "tar-no-end", good, "a.tar", Refusal.TRUNCATED
    yield "tar-short-data", good[: BLOCK + 2], "a.tar", Refusal.TRUNCATED
    yield "tar-short-padding", good[: BLOCK + 100], "a.tar", Refusal.TRUNCATED
    yield (
        "tar-size-beyond-end",
        tar_of(tar_entry(b"a", b"text", size=b"00000077777\0")),
        "a.tar",
        Refusal.TRUNCATED,
    )
    yield "tar-empty-file", b"", "a.tar", Refusal.TRUNCATED
    yield "tar-concatenated", tar_of(good) + tar_of(tar_entry(b"b")), "a.tar", Refusal.TRAILING_DATA
    yield "tar-and-zip", tar_of(good) + zip_of(ZipEntry()), "a.tar", Refusal.TRAILING_DATA
    yield "tar-trailing", tar_of(good) + b"x", "a.tar", Refusal.TRAILING_DATA
    yield (
        "tar-after-one-zero-block",
        tar_of(good, bytes(BLOCK), tar_entry(b"b")),
        "a.tar",
        Refusal.TRAILING_DATA,
    )
    yield "tar-bad-checksum", tar_of(good, tar_entry(b"b", checksum=1)), "a.tar", Refusal.BAD_CHECKSUM
    yield "tar-bad-size", tar_of(good, tar_entry(b"b", size=b"0000000008x\0")), "a.tar", Refusal.BAD_HEADER
    yield "tar-negative-size", tar_of(good, tar_entry(b"b", size=b"\xff" * 12)), "a.tar", Refusal.BAD_HEADER
    yield "tar-huge-size", tar_of(tar_entry(b"b", size=b"\x80" + b"\xff" * 11)), "a.tar", Refusal.TOO_LARGE
    for name, size in {"after-zero": b"\0\0\0" + b"0" * 8 + b"\0", "in-two": b"0000\0000004\0"}.items():
        yield f"tar-size-{name}", tar_of(good, tar_entry(b"b", size=size)), "a.tar", Refusal.BAD_HEADER
    for field, at in {"owner": 108, "group": 116, "time": 136, "device": 329, "minor-device": 337}.items():
        member = tar_entry(b"b", patch=(at, b"12x"))
        yield f"tar-bad-{field}", tar_of(good, member), "a.tar", Refusal.BAD_HEADER
    yield "tar-unknown-magic", tar_of(good, tar_entry(b"b", magic=b"other")), "a.tar", Refusal.BAD_HEADER
    yield (
        "tar-old-with-prefix",
        tar_of(good, tar_entry(b"b", magic=b"", prefix=b"p")),
        "a.tar",
        Refusal.BAD_HEADER,
    )
    extensions = [
        ("no-length", b"path=a\n"),
        ("zero-length", b"0 path=a\n"),
        ("negative-length", b"-9 path=a\n"),
        ("beyond-end", b"99 path=a\n"),
        ("no-line-feed", b"9 path=ab"),
        ("no-equals", b"8 patha\n"),
        ("twice", pax(path="a") + pax(path="b")),
        ("charset", pax(hdrcharset="BINARY")),
        ("other-size", pax(size="5")),
        ("size-not-a-number", pax(size="4x")),
        ("large", b"x" * ((1 << 16) + 1)),
    ]
    for label, data in extensions:
        yield f"tar-pax-{label}", tar_of(tar_entry(b"x", data, b"x"), good), "a.tar", Refusal.BAD_EXTENSION
    named = tar_entry(b"x", pax(path="b"), b"x")
    gnu = tar_entry(b"././@LongLink", b"c\0", b"L")
    yield "tar-two-names", tar_of(named, gnu, good), "a.tar", Refusal.BAD_EXTENSION
    yield "tar-pax-and-nothing", tar_of(named), "a.tar", Refusal.BAD_EXTENSION
    everywhere = tar_entry(b"g", pax(path="b"), b"g")
    yield "tar-global-path", tar_of(everywhere, good), "a.tar", Refusal.BAD_EXTENSION


def _gzips() -> Iterator[Case]:
    good = gzip_of(tar_of(tar_entry(b"a", b"text")))
    yield "gzip-truncated", good[:-1], "a.tgz", Refusal.TRUNCATED
    yield "gzip-cut-in-data", good[:40], "a.tgz", Refusal.TRUNCATED
    yield "gzip-trailing", good + b"x", "a.tgz", Refusal.TRAILING_DATA
    yield "gzip-trailing-zeros", good + bytes(100), "a.tgz", Refusal.TRAILING_DATA
    yield "gzip-second-truncated", good + gzip_of(b"")[:5], "a.tgz", Refusal.TRUNCATED
    yield "gzip-crc", good[:-8] + b"\0\0\0\0" + good[-4:], "a.tgz", Refusal.BAD_CHECKSUM
    yield "gzip-length", good[:-4] + b"\0\0\0\0", "a.tgz", Refusal.BAD_CHECKSUM
    yield "gzip-damaged", good[:10] + b"\xff" * 20, "a.tgz", Refusal.BAD_COMPRESSION
    yield "gzip-members", gzip_of(b"") * 21_000, "a.tgz", Refusal.TOO_MANY_FRAMES
    yield "gzip-two-archives", good + good, "a.tgz", Refusal.TRAILING_DATA
    yield "gzip-and-zstd", good + zstd_of(END), "a.tgz", Refusal.TRAILING_DATA
    yield "gzip-cut-between-magic", good + b"\x1f", "a.tgz", Refusal.TRUNCATED
    yield "gzip-method", b"\x1f\x8b\x07" + good[3:], "a.tgz", Refusal.BAD_COMPRESSION
    yield "gzip-in-gzip", gzip_of(good), "a.tgz", Refusal.FORMAT_MISMATCH
    yield "gzip-bomb", gzip_of(tar_of(tar_entry(b"a", bytes(2 << 20)))), "a.tgz", Refusal.RATIO
    yield "gzip-bomb-after-end", gzip_of(tar_of(end=END + bytes(2 << 20))), "a.tgz", Refusal.RATIO


def _zstds() -> Iterator[Case]:
    tarred = tar_of(tar_entry(b"a", b"text"))
    good = zstd_of(tarred)
    window = zstd_module().CompressionParameter.window_log
    streaming = zstd_module().ZstdCompressor(options={window: 28})
    wide = streaming.compress(tarred) + streaming.flush()
    samples = [b"text %d" % number for number in range(100)]
    raw = zstd_module().ZstdDict(b"text" * 99, is_raw=True)
    dictionary = zstd_module().finalize_dict(raw, samples, 400, 3)
    other = zstd_module().compress(tarred, zstd_dict=dictionary)
    bomb, hidden = tar_of(tar_entry(b"a", bytes(2 << 20))), tar_of(end=END + bytes(2 << 20))
    cases = [
        ("truncated", good[:-1], Refusal.TRUNCATED),
        ("cut-in-data", good[:20], Refusal.TRUNCATED),
        ("cut-in-magic", good[:3], Refusal.TRUNCATED),
        ("cut-in-skippable", skippable(b"x" * 9)[:12], Refusal.TRUNCATED),
        ("second-truncated", good + good[:9], Refusal.TRUNCATED),
        ("trailing", good + b"x", Refusal.TRAILING_DATA),
        ("trailing-zeros", good + bytes(100), Refusal.TRAILING_DATA),
        ("trailing-gzip", good + gzip_of(b""), Refusal.TRAILING_DATA),
        ("legacy", good + b"\x27" + good[1:], Refusal.TRAILING_DATA),
        ("in-zstd", zstd_of(good), Refusal.FORMAT_MISMATCH),
        ("second-archive", good + good, Refusal.TRAILING_DATA),
        ("checksum", good[:-1] + bytes([good[-1] ^ 1]), Refusal.BAD_CHECKSUM),
        ("damaged", good[:6] + b"\xff" * 20, Refusal.BAD_COMPRESSION),
        ("window", wide, Refusal.WINDOW),
        ("dictionary", other, Refusal.DICTIONARY),
        ("frames", skippable(b"") * 21_000, Refusal.TOO_MANY_FRAMES),
        ("bomb", zstd_of(bomb), Refusal.RATIO),
        ("bomb-after-end", zstd_of(hidden), Refusal.RATIO),
        ("only-skippable", skippable(b"x"), Refusal.FORMAT_MISMATCH),
    ]
    for label, archive, refusal in cases:
        yield f"zstd-{label}", archive, "a.tar.zst", refusal


def _zip_headers() -> Iterator[Case]:
    plain = ZipEntry(b"a", b"text")
    disagree = Refusal.HEADERS_DISAGREE
    unset: dict[str, bytes | int] = {"crc": 0, "packed": 0, "size": 0}
    other_descriptor = struct.pack("<4s3L", b"PK\x07\x08", 1, 6, 4)
    other_packed = struct.pack("<4s3L", b"PK\x07\x08", plain.fields["crc"], 7, 4)
    other_size = struct.pack("<4s3L", b"PK\x07\x08", plain.fields["crc"], len(plain.stored), 5)
    long_zip64 = struct.pack("<2H2Q", 1, 16, 4, 4)
    other_name = struct.pack("<2HBL", 0x7075, 6, 1, 0) + b"b"
    no_zip64, short_zip64 = struct.pack("<2H", 1, 0), struct.pack("<2HL", 1, 4, 4)
    small_zip64, huge_zip64 = struct.pack("<2HQ", 1, 8, 4), struct.pack("<2HQ", 1, 8, 1 << 62)
    lies: list[tuple[str, ZipEntry, Refusal]] = [
        ("encrypted", replace(plain, flags=1), Refusal.ENCRYPTED),
        ("strong-encryption", replace(plain, flags=0x41), Refusal.ENCRYPTED),
        ("masked", replace(plain, flags=0x2000), Refusal.ENCRYPTED),
        ("patch-data", replace(plain, flags=0x20), Refusal.ZIP_FEATURE),
        ("bzip2", replace(plain, method=12), Refusal.COMPRESSION),
        ("deflate64", replace(plain, method=9), Refusal.COMPRESSION),
        ("local-name", replace(plain, local={"name": b"b"}), disagree),
        ("local-longer-name", replace(plain, local={"name": b"a/"}), disagree),
        ("local-crc", replace(plain, local={"crc": 1}), disagree),
        ("local-size", replace(plain, local={"size": 5}), disagree),
        ("local-packed", replace(plain, local={"packed": 5}), disagree),
        ("local-method", replace(plain, local={"method": 0}), disagree),
        ("local-flags", replace(plain, local={"flags": 8}), disagree),
        ("zero-sizes-without-descriptor", replace(plain, local=unset), disagree),
        ("descriptor-crc", replace(streamed(plain), descriptor=other_descriptor), disagree),
        ("descriptor-missing", replace(streamed(plain), descriptor=None), Refusal.LAYOUT),
        ("descriptor-unannounced", replace(plain, descriptor=bytes(12)), Refusal.LAYOUT),
        ("crc", replace(plain, crc=1), Refusal.BAD_CHECKSUM),
        ("stored-crc", replace(plain, method=0, crc=1), Refusal.BAD_CHECKSUM),
        ("larger-than-declared", replace(plain, size=3), Refusal.BAD_COMPRESSION),
        ("smaller-than-declared", replace(plain, size=5), Refusal.BAD_COMPRESSION),
        ("stored-size", replace(plain, method=0, size=5), Refusal.BAD_COMPRESSION),
        ("damaged", replace(plain, packed=b"\xff\xff\xff\xff"), Refusal.BAD_COMPRESSION),
        ("bytes-after-deflate", replace(plain, packed=plain.stored + b"x"), Refusal.BAD_COMPRESSION),
        ("unicode-path", replace(plain, extra=other_name), disagree),
        ("local-unicode-path", replace(plain, local_extra=other_name), disagree),
        ("extra-beyond-end", replace(plain, extra=struct.pack("<2H", 1, 99)), Refusal.BAD_HEADER),
        ("extra-of-three-bytes", replace(plain, extra=b"\1\2\3"), Refusal.BAD_HEADER),
        ("unicode-path-twice", replace(plain, extra=other_name * 2), Refusal.BAD_HEADER),
        ("unicode-path-too-short", replace(plain, extra=struct.pack("<2HB", 0x7075, 1, 1)), disagree),
        ("zip64-too-long", replace(plain, size=0xFFFFFFFF, extra=long_zip64), Refusal.ZIP64),
        ("local-zip64-not-needed", replace(plain, local_extra=small_zip64), Refusal.ZIP64),
        ("local-zip64-size", replace(plain, local={"size": 0xFFFFFFFF}, local_extra=huge_zip64), disagree),
        ("descriptor-packed", replace(streamed(plain), descriptor=other_packed), disagree),
        ("descriptor-size", replace(streamed(plain), descriptor=other_size), disagree),
        ("extra-twice", replace(plain, extra=no_zip64 * 2), Refusal.BAD_HEADER),
        ("zip64-not-needed", replace(plain, extra=small_zip64), Refusal.ZIP64),
        ("zip64-too-short", replace(plain, size=0xFFFFFFFF, extra=short_zip64), Refusal.ZIP64),
        ("zip64-huge", replace(plain, size=0xFFFFFFFF, extra=huge_zip64), Refusal.TOO_LARGE),
        ("device", replace(plain, mode=stat.S_IFCHR | 0o644), Refusal.DEVICE),
        ("pipe", replace(plain, mode=stat.S_IFIFO | 0o644), Refusal.DEVICE),
        ("socket", replace(plain, mode=stat.S_IFSOCK | 0o644), Refusal.DEVICE),
        ("directory-without-slash", replace(plain, mode=stat.S_IFDIR | 0o755), Refusal.FILE_AND_DIRECTORY),
        ("slash-without-directory", replace(plain, name=b"a/"), Refusal.FILE_AND_DIRECTORY),
        ("dos-directory-without-slash", replace(plain, attributes=0x10), Refusal.FILE_AND_DIRECTORY),
        ("dos-directory-of-dos", replace(plain, system=0, attributes=0x10), Refusal.FILE_AND_DIRECTORY),
        ("directory-with-data", replace(plain, name=b"a/", mode=stat.S_IFDIR), Refusal.NOT_EMPTY),
        ("bomb", ZipEntry(b"a", bytes(2 << 20)), Refusal.RATIO),
    ]  # fmt: skip
    for label, entry, refusal in lies:
        yield f"zip-{label}", zip_of(entry), "a.zip", refusal


def _zip_layouts() -> Iterator[Case]:
    plain, other = ZipEntry(b"a", b"text"), ZipEntry(b"b", b"more")
    good = zip_of(plain, other)
    body, directory = local_part(plain), central_part(plain, 0)
    yield "zip-truncated", good[:-1], "a.zip", Refusal.TRUNCATED
    yield "zip-no-directory", body, "a.zip", Refusal.TRUNCATED
    yield "zip-trailing", zip_of(plain, tail=b"x"), "a.zip", Refusal.TRAILING_DATA
    yield "zip-gap", zip_of(plain, between=b"hidden"), "a.zip", Refusal.LAYOUT
    yield "zip-hidden-entry", zip_of(plain, between=local_part(other)), "a.zip", Refusal.LAYOUT
    yield "zip-leading-entry", local_part(other) + good, "a.zip", Refusal.LAYOUT
    inside = zip_of(plain, comment=zip_of(other))
    yield "zip-in-comment", inside, "a.zip", Refusal.LAYOUT
    end = zip_end(1, len(directory), len(body))
    yield "zip-two-ends", good + end, "a.zip", Refusal.LAYOUT
    yield "zip-end-in-comment", body + directory + end[:-2] + b"\x16\0" + end, "a.zip", Refusal.LAYOUT
    carrier = ZipEntry(b"c", body + directory + end[:-2] + struct.pack("<H", 22 + 47), method=0)
    yield "zip-in-an-entry-with-the-rest-as-comment", zip_of(carrier), "a.zip", Refusal.LAYOUT
    yield "zip-twice", good + good, "a.zip", Refusal.LAYOUT
    yield "zip-after-tar", tar_of(tar_entry(b"a")) + good, "a.zip", Refusal.FORMAT_MISMATCH
    yield "zip-before-tar", good + tar_of(tar_entry(b"a")), "a.zip", Refusal.TRAILING_DATA
    twice = directory + central_part(replace(plain, name=b"b"), 0)
    yield "zip-overlap", body + twice + zip_end(2, len(twice), len(body)), "a.zip", Refusal.LAYOUT
    wrong = central_part(plain, 3)
    yield "zip-offset", body + wrong + zip_end(1, len(wrong), len(body)), "a.zip", Refusal.LAYOUT
    yield (
        "zip-fewer-entries-told",
        body + directory + zip_end(0, len(directory), len(body)),
        "a.zip",
        Refusal.LAYOUT,
    )
    yield (
        "zip-more-entries-told",
        body + directory + zip_end(2, len(directory), len(body)),
        "a.zip",
        Refusal.TRUNCATED,
    )
    yield "zip-directory-elsewhere", body + directory + zip_end(1, len(directory), 0), "a.zip", Refusal.LAYOUT
    bad = b"PK\x01\x03" + directory[4:]
    yield "zip-directory-magic", body + bad + zip_end(1, len(bad), len(body)), "a.zip", Refusal.BAD_HEADER
    yield (
        "zip-spanned",
        body + directory + zip_end(1, len(directory), len(body), disk=1),
        "a.zip",
        Refusal.SPANNED,
    )
    yield "zip64-entries", zip64_of(plain, entries=2), "a.zip", Refusal.ZIP64
    yield "zip64-length", zip64_of(plain, length=60), "a.zip", Refusal.ZIP64
    yield "zip64-locator", zip64_of(plain, at=1), "a.zip", Refusal.ZIP64
    yield "zip64-start", zip64_of(plain, start=0), "a.zip", Refusal.LAYOUT
    yield "zip64-contradicts-plain", zip64_of(plain, plain=7), "a.zip", Refusal.ZIP64


def _counts() -> Iterator[Case]:
    many = [b"%d" % n for n in range(10_001)]
    yield "zip-entries", zip_of(*map(ZipEntry, many)), "a.zip", Refusal.TOO_MANY_ENTRIES
    yield "tar-entries", tar_of(*map(tar_entry, many)), "a.tar", Refusal.TOO_MANY_ENTRIES
    deep = [b"/".join([b"%d" % n] * 200) for n in range(60)]
    yield "zip-implied-directories", zip_of(*map(ZipEntry, deep)), "a.zip", Refusal.TOO_MANY_ENTRIES


def _formats() -> Iterator[Case]:
    zipped, tarred = zip_of(ZipEntry()), tar_of(tar_entry(b"a"))
    yield "name-of-nothing", zipped, "plugins/a", Refusal.UNKNOWN_FORMAT
    yield "name-of-another", zipped, "a.7z", Refusal.UNKNOWN_FORMAT
    yield "zip-as-tar", zipped, "a.tar", Refusal.FORMAT_MISMATCH
    yield "tar-as-zip", tarred, "a.zip", Refusal.FORMAT_MISMATCH
    yield "tar-as-tgz", tarred, "a.tgz", Refusal.FORMAT_MISMATCH
    yield "self-extracting", b"#!/bin/sh\n" + zipped, "a.zip", Refusal.FORMAT_MISMATCH
    yield "error-page", b"<html>" * 200, "a.tar.gz", Refusal.FORMAT_MISMATCH


CASES: list[Case] = [
    *_named_zips(),
    *_named_tars(),
    *_trees(),
    *_tars(),
    *_gzips(),
    *_zstds(),
    *_zip_headers(),
    *_zip_layouts(),
    *_counts(),
    *_formats(),
]
