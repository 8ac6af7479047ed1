"""The cache's files as bytes: what was written is read, and nothing else, whoever gave it the right name."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.api.hub import ArtifactSource, GitSource, OciSource, S3Source
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.cache.content import HEADER_BYTES, decode_content, encode_content
from kagent_render.artifacts.cache.entry import (
    EntryDamagedError,
    SourceEntry,
    Subject,
    decode_entry,
    encode_entry,
)
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.source_identity import source_identity, source_of

SUBJECT = Subject(ArtifactSource(OciSource(f"registry.example.com/a@sha256:{'0' * 64}"), "a"), {"x": "y"})
LIMITS = Limits(entries=20, content=1000)

_TEXTS = st.text('aé日`\n"\\\U0001f600', max_size=5)
_FOLDERS = st.lists(st.text("abé日_", min_size=1, max_size=3), max_size=2)
_PATHS = st.builds(
    lambda folders, name: "/".join([*folders, f"{name}.x"]), _FOLDERS, st.text("ab-", max_size=2)
)
_FILES = st.builds(PackageFile, st.binary(max_size=40), st.booleans())
PACKAGES = st.builds(
    Package,
    st.dictionaries(_PATHS, _FILES, max_size=6),
    st.dictionaries(_PATHS, _PATHS, max_size=3),
    st.lists(_PATHS, unique=True, max_size=3).map(lambda paths: tuple(sorted(paths))),
)
ORIGINS = st.one_of(
    st.builds(OciSource, _TEXTS),
    st.builds(GitSource, _TEXTS, _TEXTS),
    st.builds(S3Source, _TEXTS, _TEXTS, _TEXTS, *[st.none() | _TEXTS.filter(bool)] * 2),
)
SUBJECTS = st.builds(
    Subject, st.builds(ArtifactSource, ORIGINS, _TEXTS), st.dictionaries(_TEXTS, _TEXTS, max_size=2)
)
_SHA256 = st.binary(max_size=2).map(lambda data: hashlib.sha256(data).hexdigest())
ENTRIES = st.builds(SourceEntry, SUBJECTS, _SHA256, _SHA256.map("sha256:{}".format))
quickly = settings(max_examples=100, derandomize=True, deadline=None, database=None)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@quickly
@given(SUBJECTS, PACKAGES)
def test_a_content_that_was_written_is_read(subject: Subject, package: Package) -> None:
    data = encode_content(subject, package, LIMITS)
    assert decode_content(data, sha256(data), LIMITS) == (subject, package)


@quickly
@given(ENTRIES)
def test_an_entry_that_was_written_is_read(entry: SourceEntry) -> None:
    assert decode_entry(encode_entry(entry)) == entry


@quickly
@given(SUBJECTS)
def test_an_identity_gives_its_source(subject: Subject) -> None:
    assert source_of(source_identity(subject.source)) == subject.source


def flipped(data: bytes, draw: st.DataObject) -> bytes:
    at = draw.draw(st.integers(0, len(data) - 1))
    return data[:at] + bytes([data[at] ^ draw.draw(st.integers(1, 255))]) + data[at + 1 :]


@quickly
@given(SUBJECTS, PACKAGES, st.data())
def test_any_changed_byte_of_a_content_is_caught(
    subject: Subject, package: Package, draw: st.DataObject
) -> None:
    data = encode_content(subject, package, LIMITS)
    with pytest.raises(EntryDamagedError):
        decode_content(flipped(data, draw), sha256(data), LIMITS)


@quickly
@given(ENTRIES, st.data())
def test_any_changed_byte_of_an_entry_is_caught(entry: SourceEntry, draw: st.DataObject) -> None:
    with pytest.raises(EntryDamagedError):
        decode_entry(flipped(encode_entry(entry), draw))


@quickly
@given(SUBJECTS, SUBJECTS)
def test_keys_are_equal_for_equal_subjects_only(one: Subject, other: Subject) -> None:
    assert (one.key == other.key) == (one == other)


def test_the_order_of_settings_does_not_change_the_key() -> None:
    one, other = ({"a": "1", "b": "2"}, {"b": "2", "a": "1"})
    assert Subject(SUBJECT.source, one).key == Subject(SUBJECT.source, other).key


def content(body: bytes = b"ab", **changes: Any) -> bytes:
    """A file of content as somebody else may write it."""
    document: dict[str, Any] = {
        "files": [["f", "644", 1], ["g", "755", 1]],
        "links": {"g": "f"},
        "outside": ["o"],
        "settings": dict(SUBJECT.settings),
        "source": source_identity(SUBJECT.source),
        **changes,
    }
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode() + b"\n" + body


def named(*paths: Any) -> bytes:
    return content(b"", files=[[path, "644", 0] for path in paths], links={}, outside=[])


HOSTILE = {
    "empty": b"",
    "no line": b"{}",
    "no JSON": b"{\nab",
    "a list": b"[]\nab",
    "deep": b"[" * 100_000 + b"\n",
    "other spelling": content().replace(b":", b": "),
    "UTF-16": content(b"").decode().encode("utf-16"),
    "one more member": content(more=1),
    "too few bytes": content(b"a"),
    "too many bytes": content(b"abc"),
    "a size below zero": content(files=[["f", "644", -1], ["g", "644", 3]]),
    "a size that is a truth": content(files=[["f", "644", True], ["g", "644", 1]]),
    "a fraction": content(files=[["f", "644", 1.0], ["g", "644", 1]]),
    "the same bytes many times": content(
        files=[[name, "644", size] for name in "fg" for size in (2, -2)] + [["h", "644", 2]]
    ),
    "another mode": content(files=[["f", "4755", 1], ["g", "755", 1]]),
    "files that are text": content(files="fg"),
    "files out of order": content(files=[["g", "644", 1], ["f", "644", 1]]),
    "a file twice": named("f", "f"),
    "a path that is a number": named(5),
    "a path that is a list": named(["f"]),
    "an absolute path": named("/f"),
    "a path that leaves": named("../f"),
    "a path of Git": named(".git/config"),
    "a decomposed path": named("e\u0301"),
    "half a character": named("\ud800"),
    "a trailing slash": named("f/"),
    "no path": named(""),
    "case": named("f", "F"),
    "a file and a directory": named("f", "f/g"),
    "a link from outside": content(links={"../g": "f"}),
    "a link to outside": content(links={"g": "../f"}),
    "a link to a number": content(links={"g": 1}),
    "links in a list": content(links=["g"]),
    "a place outside that leaves": content(outside=["../o"]),
    "outside as text": content(outside="o"),
    "settings that are numbers": content(settings={"x": 1}),
    "no settings": content(settings=None),
    "no source": content(source={}),
    "half a source": content(source={"git": {"url": "https://example.com"}}),
    "more in a source": content(source={"oci": "a", "more": "b"}),
    "a path of a source that is a number": content(source={"oci": "a", "path": 1}),
    "a region that is a number": content(
        source={"s3": {"bucket": "a", "key": "b", "versionId": "c", "region": 1}}
    ),
    "too many files": named(*map(str, range(21))),
    "too many links": content(links={str(number): "f" for number in range(21)}),
    "too many places outside": content(outside=[str(number) for number in range(21)]),
    "too much content": content(b"a" * 1001, files=[["f", "644", 1001]]),
    "too long a line": content(more="a" * HEADER_BYTES),
}


def test_the_content_that_the_hostile_ones_change_is_good() -> None:
    subject, package = decode_content(content(), sha256(content()), LIMITS)
    assert subject == SUBJECT
    assert package == Package({"f": PackageFile(b"a"), "g": PackageFile(b"b", True)}, {"g": "f"}, ("o",))


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_content_with_the_right_digest_may_still_be_hostile(data: bytes) -> None:
    with pytest.raises(EntryDamagedError):
        decode_content(data, sha256(data), LIMITS)


def sealed(**changes: Any) -> bytes:
    """An entry as somebody else may write it."""
    document: dict[str, Any] = {
        "content": "0" * 64,
        "settings": dict(SUBJECT.settings),
        "source": source_identity(SUBJECT.source),
        "treeDigest": f"sha256:{'0' * 64}",
        **changes,
    }
    line = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    return sha256(line).encode() + b"\n" + line


HOSTILE_ENTRIES = {
    "empty": b"",
    "a seal alone": sha256(b"").encode() + b"\n",
    "deep": sha256(b"[" * 60_000).encode() + b"\n" + b"[" * 60_000,
    "a path as content": sealed(content="../" * 20 + "pass"),
    "a number as content": sealed(content=1),
    "a long content": sealed(content="0" * 65),
    "a number as tree digest": sealed(treeDigest=1),
    "a tree digest of another kind": sealed(treeDigest="sha1:0"),
    "one more member": sealed(more=1),
    "no source": sealed(source=None),
}


@pytest.mark.parametrize("data", HOSTILE_ENTRIES.values(), ids=HOSTILE_ENTRIES)
def test_an_entry_with_the_right_seal_may_still_be_hostile(data: bytes) -> None:
    assert decode_entry(sealed())
    with pytest.raises(EntryDamagedError):
        decode_entry(data)


UNFIT = {
    "too much content": Package({"f": PackageFile(b"a" * 1001)}),
    "too many files": Package({str(number): PackageFile(b"") for number in range(21)}),
    "too long a list": Package({}, {}, tuple(f"{'a/' * 500}{number}" for number in range(20_000))),
    "half a character": Package({"\ud800": PackageFile(b"")}),
    "names that are one on some systems": Package({"a": PackageFile(b""), "A": PackageFile(b"")}),
}


@pytest.mark.parametrize("package", UNFIT.values(), ids=UNFIT)
def test_what_could_not_be_read_is_not_written(package: Package) -> None:
    limits = LIMITS if not package.outside else Limits(entries=20_000)
    with pytest.raises(ValueError):  # noqa: PT011
        encode_content(SUBJECT, package, limits)
