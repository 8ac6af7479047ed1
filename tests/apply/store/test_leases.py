"""Who carries an operation on: by the store's clock, and until somebody else does."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from kagent_apply.instances.instance import Instance, Lease
from kagent_apply.instances.states import Operation, State
from kagent_apply.store.opening import open_store
from kagent_apply.store.port import Hold, Store
from tests.apply.store.values import HOLD, instance, name, ready, reserved, revision, stand

OVER = Hold("here", 0.0)


def test_a_hold_lapses_by_the_clock_of_the_store(store: Store) -> None:
    new = instance()
    store.reserve(new, revision(), OVER)
    found = store.instance(name(new))
    assert found is not None
    assert found.lease == Lease("here", lapsed=True)
    assert store.unattended(10) == [name(new)]


@pytest.mark.parametrize(("hold", "lapsed"), [(HOLD, False), (OVER, True)])
def test_a_replacement_tells_of_its_hold_as_reading_does(store: Store, hold: Hold, lapsed: bool) -> None:
    before = reserved(store)
    stored = store.replace(before, before, hold)
    assert stored is not None
    assert stored.lease == Lease("here", lapsed)
    assert store.instance(name(before)) == stored


def test_nobody_holds_what_was_replaced_without_a_hold(store: Store) -> None:
    before = reserved(store)
    stored = store.replace(before, before, None)
    assert stored is not None
    assert stored.lease is None
    assert store.unattended(10) == [name(before)]


def test_what_has_no_operation_is_not_unattended(store: Store) -> None:
    ready(store)
    assert store.unattended(10) == []


def test_the_unattended_come_longest_first_and_no_more_than_asked_for(store: Store) -> None:
    new = [instance() for _ in range(4)]
    for one, seconds in zip(new, (-30.0, -10.0, 60.0, -20.0), strict=True):
        store.reserve(one, revision(), Hold("here", seconds))
    assert store.unattended(10) == [name(new[0]), name(new[3]), name(new[1])]
    assert store.unattended(2) == [name(new[0]), name(new[3])]


def _lapsed(store: Store) -> Instance:
    """An operation whose holder let its time go by."""
    new = instance()
    store.reserve(new, revision(), OVER)
    found = store.instance(name(new))
    assert found is not None
    return found


def test_renewing_holds_on_by_another_version(store: Store) -> None:
    found = _lapsed(store)
    renewed = store.renew(found, HOLD)
    assert renewed == replace(found, version=found.version + 1, lease=Lease("here"))
    assert store.instance(name(found)) == renewed
    assert store.unattended(10) == []


def test_who_saw_a_hold_lapsed_before_it_was_renewed_takes_nothing_over(store: Store) -> None:
    seen = _lapsed(store)
    renewed = store.renew(seen, HOLD)
    assert store.replace(seen, seen, Hold("there", 60.0)) is None
    assert store.renew(seen, Hold("there", 60.0)) is None
    assert store.instance(name(seen)) == renewed


def test_of_many_that_renew_or_take_over_what_lapsed_one_holds_it(
    store: Store, another: Callable[[], Store]
) -> None:
    stores = [store, another()]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            seen = _lapsed(store)
            asked = [
                partial(stores[place % 2].renew, seen, HOLD)
                if place % 4 < 2
                else partial(stores[place % 2].replace, seen, seen, Hold(f"there-{place}", 60.0))
                for place in range(8)
            ]
            given = [done.result() for done in [pool.submit(one) for one in asked]]
            assert [one for one in given if one is not None] == [store.instance(name(seen))]


def test_what_was_replaced_is_not_renewed(store: Store) -> None:
    before = reserved(store)
    after = store.replace(before, stand(before, State.READY, Operation.SUSPEND), None)
    assert not store.renew(before, HOLD)
    assert store.instance(name(before)) == after


@pytest.mark.parametrize(
    ("first", "second", "renewed"),
    [
        (HOLD, Hold("there", 60.0), False),
        (OVER, Hold("there", 60.0), True),
        (None, Hold("there", 60.0), True),
        (HOLD, HOLD, True),
    ],
)
def test_a_hold_is_taken_over_only_when_it_has_lapsed(
    store: Store, first: Hold | None, second: Hold, renewed: bool
) -> None:
    before = reserved(store)
    stored = store.replace(before, before, first)
    assert stored is not None
    assert (store.renew(stored, second) is not None) == renewed
    found = store.instance(name(before))
    assert found is not None
    assert found.lease == Lease(second.holder if renewed else "here")


def test_a_holder_who_goes_lets_go_of_all(store: Store) -> None:
    mine, theirs = [instance(), instance()], instance()
    for one in mine:
        store.reserve(one, revision(), HOLD)
    store.reserve(theirs, revision(), Hold("there", 60.0))
    assert store.release("here") == 2
    assert store.release("here") == 0
    assert set(store.unattended(10)) == {name(one) for one in mine}
    found = store.instance(name(mine[0]))
    assert found == mine[0]


def test_a_file_that_is_opened_again_is_held_by_nobody(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    store = open_store(url)
    found = reserved(store)
    store.close()
    store = open_store(url)
    assert store.unattended(10) == [name(found)]
    store.close()
