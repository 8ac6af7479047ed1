"""Ids and page tokens, held against Python's own reading of UUIDs."""

from __future__ import annotations

import base64
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_apply.instances.identifiers import canonical_uuid, page_token, read_page_token


@given(st.uuids())
def test_a_uuid_and_its_token_lead_back_to_it(known: UUID) -> None:
    assert {canonical_uuid(text) for text in (str(known), known.urn, known.hex.upper())} == {str(known)}
    assert read_page_token(page_token(str(known))) == str(known)


@settings(max_examples=30)
@given(st.text() | st.text("0123456789abcdefABCDEF-{}urn:id", min_size=30, max_size=48))
def test_what_is_taken_is_a_uuid_and_canonical(text: str) -> None:
    canonical = canonical_uuid(text)
    assert canonical_uuid(canonical) == canonical
    assert not canonical or canonical == str(UUID(text))


@given(st.text() | st.binary().map(lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()))
def test_no_text_is_more_than_a_token_or_none(text: str) -> None:
    found = read_page_token(text)
    assert not found or canonical_uuid(found) == found
