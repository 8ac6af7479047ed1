"""Records on an output branch: where they stand, what they say, and what is none."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef
from kagent_render.emit.layout import Owner
from kagent_render.publication.record import (
    Record,
    RecordPlace,
    read_record,
    record_path,
    record_place,
    record_text,
)

_PAIR = PairRef("team", "runtime", "lead")
_AGENT = PlatformAgentRef("ops", "platform-agent")
_COMMIT = "0123456789abcdef0123456789abcdef01234567"
_RECORD = Record(_COMMIT, "rendered", "sha256:" + "0" * 64)
_TEXT = record_text(_PAIR, _RECORD)


@pytest.mark.parametrize("owner", [_PAIR, _AGENT], ids=str)
@pytest.mark.parametrize("root", ["", "teams/a"])
def test_a_record_is_found_again_by_its_path(owner: Owner, root: str) -> None:
    path = f"{root}/{record_path(owner)}" if root else record_path(owner)
    assert record_place(path) == RecordPlace(root, owner)


@pytest.mark.parametrize("owner", [_PAIR, _AGENT], ids=str)
@pytest.mark.parametrize(
    "record", [_RECORD, Record(_COMMIT, "out/rendered", None), Record("f" * 64, "rendered", None)]
)
def test_a_record_is_read_as_it_was_written(owner: Owner, record: Record) -> None:
    assert read_record(record_text(owner, record)) == record


@pytest.mark.parametrize(
    "path",
    [
        ".kagent/rendered-from/team/runtime.yaml",
        ".kagent/rendered-from/team/runtime/lead.yml",
        ".kagent/rendered-from/team/runtime/lead/more.yaml",
        ".kagent/rendered-from/Team/runtime/lead.yaml",
        ".kagent/rendered-from/team/kustomization.yaml/lead.yaml",
        ".kagent/rendered-from/team/../lead.yaml",
        ".kagent/in-use/team/runtime/lead.yaml",
        "x.kagent/rendered-from/team/runtime/lead.yaml",
    ],
)
def test_another_path_is_no_record(path: str) -> None:
    assert record_place(path) is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        _TEXT.partition(b"\n")[2],
        _TEXT.replace(b"RenderedFrom", b"Other"),
        _TEXT.replace(b"v1alpha1", b"v9"),
        _TEXT.replace(_COMMIT.encode(), b"main"),
        _TEXT.replace(_COMMIT.encode(), b"[]"),
        _TEXT.replace(b"output: rendered", b"output: ../rendered"),
        _TEXT.replace(b"output: rendered", b"output: /rendered"),
        _TEXT.replace(b"output: rendered", b"output: ''"),
        _TEXT.replace(b"output: rendered", b'output: "a\\nb"'),
        _TEXT.replace(b"revision: ", b"revision: 5 #"),
        _TEXT + b"---\n{}\n",
        _TEXT + b"\t: [",
        _TEXT.split(b"\n", 1)[0] + b"\n- list\n",
        _TEXT.split(b"\n", 1)[0] + b"\n",
    ],
)
def test_a_file_that_is_not_as_written_is_no_record(text: bytes) -> None:
    assert read_record(text) is None
