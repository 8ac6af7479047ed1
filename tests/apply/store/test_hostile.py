"""Whatever a text says, it is stored as it is, or refused by one error that does not quote it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kagent_apply.instances.requests import InstanceName, Page, ShareName
from kagent_apply.store.port import Hold, Store, StoreError
from tests.apply.store.values import FIRST_PAGE, HOLD, delete, instance, name, revision, share

STORED = {
    "quotes": """'; DROP TABLE instance; --"\\""",
    "placeholders": "%s :id ? ${x} {0} %(id)s",
    "emoji": "\U0001f469‍\U0001f680\U0001f1e9\U0001f1ea",
    "controls": "\x01\x1b[31m\r\n\t\x7f ",
    "noncharacters": "￿﷐\U0010ffff",
    "megabyte": "é" * 2**19,
    "empty": "",
}
REFUSED = {"null": "a\0b", "high half": "a\ud800", "low half": "\udfffb"}


@pytest.mark.parametrize("text", STORED.values(), ids=list(STORED))
def test_any_text_comes_back_as_it_was(store: Store, text: str) -> None:
    prepared = revision(labels={text: text, "team": text})
    new = instance(prepared, creator=text, request_id=text or "r")
    assert store.reserve(new, prepared, Hold(text, 60.0))
    found = store.instance(name(new))
    assert found is not None
    assert replace(found, lease=None) == new
    assert found.lease is not None
    assert found.lease.holder == text
    assert store.by_request(text, "payments", text or "r") == found
    assert store.instances("payments", text, {text: text, "team": text}, FIRST_PAGE) == [found]
    assert store.instances("payments", text + " ", {}, FIRST_PAGE) == []
    kept = share(found, b"1", creator=text)
    assert store.add_share(kept)
    assert store.share(b"1") == kept
    assert store.revoke_share(ShareName("payments", kept.id), text)
    assert store.release(text) == 1
    assert delete(store, found) is not None
    assert store.instances("payments", text, {}, FIRST_PAGE) == []


@pytest.mark.parametrize("text", REFUSED.values(), ids=list(REFUSED))
@pytest.mark.parametrize("field", ["creator", "request_id"])
def test_what_postgresql_cannot_hold_is_refused_by_both(store: Store, field: str, text: str) -> None:
    new = instance(creator=text) if field == "creator" else instance(request_id=text)
    with pytest.raises(StoreError, match="null character or half a surrogate pair"):
        store.reserve(new, revision(), HOLD)
    assert store.instance(name(new)) is None
    assert store.reserve(instance(), revision(), HOLD)


@pytest.mark.parametrize("text", REFUSED.values(), ids=list(REFUSED))
def test_labels_and_failures_are_kept_even_so(store: Store, text: str) -> None:
    prepared = revision(labels={"team": text})
    new = instance(prepared)
    assert store.reserve(new, prepared, HOLD)
    assert [one.id for one in store.instances("payments", None, {"team": text}, FIRST_PAGE)] == [new.id]
    assert store.revision(new.agent, new.revision) == prepared


ASKED: list[Callable[[Store, str], object]] = [
    lambda store, text: store.instance(InstanceName("payments", text)),
    lambda store, text: store.instances("payments", None, {}, Page(50, text)),
    lambda store, text: store.shares(InstanceName("payments", text), FIRST_PAGE),
    lambda store, text: store.revoke_share(ShareName("payments", text), text),
    lambda store, text: store.release(text),
]


@pytest.mark.parametrize("text", REFUSED.values(), ids=list(REFUSED))
@pytest.mark.parametrize("ask", ASKED)
def test_nothing_can_be_asked_with_such_a_text(
    store: Store, ask: Callable[[Store, str], object], text: str
) -> None:
    with pytest.raises(StoreError) as refused:
        ask(store, text)
    assert text not in str(refused.value)
    store.ping()
