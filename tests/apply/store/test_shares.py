"""Shares: kept per instance, paged by id, revoked by their creator, found by a digest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kagent_apply.instances.requests import InstanceName, Page, ShareName
from kagent_apply.store.port import Store, StoreError
from tests.apply.store.values import FIRST_PAGE, instance, name, new_id, ready, share


def test_a_share_is_found_by_the_digest_of_its_token(store: Store) -> None:
    kept = share(ready(store), b"\0" * 32)
    assert store.add_share(kept)
    assert store.share(b"\0" * 32) == kept
    assert store.share(b"\0" * 31) is None


def test_nothing_is_shared_that_is_not_there(store: Store) -> None:
    found = ready(store)
    assert not store.add_share(share(instance(), b"1"))
    assert not store.add_share(replace(share(found, b"1"), namespace="other"))
    assert store.share(b"1") is None


def test_two_shares_have_two_digests(store: Store) -> None:
    found = ready(store)
    assert store.add_share(share(found, b"1"))
    with pytest.raises(StoreError, match="refused"):
        store.add_share(share(found, b"1"))
    assert len(store.shares(name(found), FIRST_PAGE)) == 1


def test_pages_of_shares_are_by_id_and_tell_of_the_next(store: Store) -> None:
    found = ready(store)
    for number in range(5):
        store.add_share(share(found, bytes([number])))
    every = list(store.shares(name(found), FIRST_PAGE))
    assert [one.id for one in every] == sorted(one.id for one in every)
    assert store.shares(name(found), Page(2, "")) == every[:3]
    assert store.shares(name(found), Page(2, every[1].id)) == every[2:5]
    assert store.shares(name(found), Page(2, every[4].id)) == []
    assert store.shares(InstanceName("other", found.id), FIRST_PAGE) == []


@pytest.mark.parametrize(
    ("namespace", "own_id", "creator", "revoked"),
    [
        ("payments", True, "ann", True),
        ("payments", True, "bob", False),
        ("other", True, "ann", False),
        ("payments", False, "ann", False),
    ],
)
def test_a_share_is_revoked_by_its_creator_alone(
    store: Store, namespace: str, own_id: bool, creator: str, revoked: bool
) -> None:
    kept = share(ready(store), b"1")
    store.add_share(kept)
    asked = ShareName(namespace, kept.id if own_id else new_id())
    assert store.revoke_share(asked, creator) == revoked
    assert (store.share(b"1") is None) == revoked
    assert not (revoked and store.revoke_share(asked, creator))
