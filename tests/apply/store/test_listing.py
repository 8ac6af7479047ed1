"""Lists of instances: by id, page by page, of one creator or of all, with labels."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import pytest

from kagent_apply.instances.instance import Instance
from kagent_apply.instances.requests import Page
from kagent_apply.store.port import Store
from tests.apply.store.values import ABSENT, FIRST_PAGE, delete, ready, revision

SETS: list[dict[str, str]] = [
    {},
    {"team": "a"},
    {"team": "b"},
    {"team": "a", "tier": "gold"},
    {"tier": "gold"},
    {"team": "gold", "tier": "a"},
    {"teama": "", "": "teama"},
]


@pytest.fixture
def stored(store: Store) -> list[Instance]:
    """Instances of two creators with every set of labels, a deleted one among them, in the order of ids."""
    found = [
        ready(store, revision(labels=labels), creator)
        for labels, creator in itertools.product(SETS, ("ann", "bob"))
    ]
    deleted = ready(store, revision(labels=SETS[3]))
    delete(store, deleted)
    return sorted(found, key=lambda one: one.id)


def pages(store: Store, creator: str | None, labels: Mapping[str, str], limit: int) -> Iterator[str]:
    """The ids of all pages, asked for one after the other as the service does."""
    after = ""
    while True:
        found = store.instances("payments", creator, labels, Page(limit, after))
        assert len(found) <= limit + 1
        yield from (one.id for one in found[:limit])
        if len(found) <= limit:
            return
        after = found[limit - 1].id


def test_pages_hold_what_matches_and_nothing_else(store: Store, stored: list[Instance]) -> None:
    for creator, labels, limit in itertools.product((None, "ann", "bob", "eve"), SETS, (1, 3, 100)):
        expected = [
            one.id
            for one in stored
            if creator in (None, one.creator) and labels.items() <= one.labels.items()
        ]
        assert list(pages(store, creator, labels, limit)) == expected, (creator, labels, limit)


def test_a_page_has_its_instances_whole(store: Store, stored: list[Instance]) -> None:
    assert store.instances("payments", None, {}, FIRST_PAGE) == stored
    assert store.instances("billing", None, {}, FIRST_PAGE) == []


@pytest.mark.parametrize("after", ["", "00000000-0000-0000-0000-000000000000", ABSENT, "zz", "'"])
def test_a_page_goes_on_after_an_id_that_nothing_has(
    store: Store, stored: list[Instance], after: str
) -> None:
    expected = [one for one in stored if one.id > after]
    assert store.instances("payments", None, {}, Page(50, after)) == expected
