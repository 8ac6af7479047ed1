"""Where the fields of a file are written that was not parsed in this run."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from kagent_render.source.document import Document
from kagent_render.source.known_file import KnownFile, KnownLocator
from kagent_render.source.objects import read_objects
from kagent_render.source.reader import MemoryFiles

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import FieldPath

TEXT = b"""\
apiVersion: kagent.dev/v1alpha2
kind: Harness
spec: {}
---
kind: Unknown
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  data:
    one: |
      a
- apiVersion: v1
  kind: ConfigMap
  data: {two: b}
"""


def known(contents: bytes | None) -> list[Document]:
    """The objects of TEXT as an earlier run knew them, in a reader that now holds `contents`."""
    reader = MemoryFiles({"a.yaml": contents} if contents is not None else {})
    file = KnownFile(reader, "a.yaml", hashlib.sha256(TEXT).hexdigest())
    return [
        Document(read.path, read.value, KnownLocator(file, number), read.prefix)
        for number, read in enumerate(read_objects("a.yaml", TEXT))
    ]


FIELDS: list[tuple[int, FieldPath]] = [
    (0, ("spec",)),
    (0, ("spec", "missing")),
    (1, ("data", "one")),
    (2, ("data", "two")),
    (2, ()),
]


@pytest.mark.parametrize(("number", "field"), FIELDS)
def test_a_known_field_is_where_reading_finds_it(number: int, field: FieldPath) -> None:
    read = read_objects("a.yaml", TEXT)[number]
    assert known(TEXT)[number].position(field) == read.position(field)
    assert known(TEXT)[number].text_position(field, 1, 1) == read.text_position(field, 1, 1)


@pytest.mark.parametrize(
    "contents", [None, TEXT + b"# more\n", b"", b"{"], ids=["gone", "more", "empty", "bad"]
)
def test_a_file_that_changed_meanwhile_is_shown_at_its_start(contents: bytes | None) -> None:
    place = known(contents)[1].position(("data", "one"))
    assert (place.line, place.column) == (1, 1)
    assert known(contents)[1].text_position(("data", "one"), 1, 1) == place
