"""`docs/capabilities.md` says what vocabulary and catalog say, and its records are records."""

from __future__ import annotations

import pytest

from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.compile.capabilities.reading import read_namesake, read_record, transcript_of
from kagent_render.compile.capabilities.vocabulary import MEANINGS, VOCABULARY
from kagent_render.source.yaml import read_yaml
from tests.docs.capability_tables import PAGE, placed, tables
from tests.docs.markdown import blocks, page


@pytest.mark.parametrize("name", ["vocabulary", "records"])
def test_a_table_is_current(name: str) -> None:
    assert placed(name, page(PAGE)) == tables()[name]


def test_every_capability_has_a_meaning() -> None:
    assert list(MEANINGS) == list(VOCABULARY)


def test_the_records_that_the_page_shows_are_valid() -> None:
    shown = [block.text for block in blocks(page(PAGE)) if "kind: CapabilityRecord" in block.text]
    assert len(shown) == 2
    shipped = {record.name: record for record in load_catalog()}
    for text in shown:
        value = read_yaml(text.encode())[0].value
        record = read_namesake(value, "", shipped)
        if record is None:
            record = read_record(value, "")
            assert transcript_of(value)
        assert record.images
