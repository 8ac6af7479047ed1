"""A revision stays as long as an instance that is not deleted needs it, and no longer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from kagent_apply.instances.states import State
from kagent_apply.store.port import Store
from tests.apply.store.values import (
    AGENT,
    FIRST,
    FIRST_PAGE,
    HOLD,
    SECOND,
    delete,
    instance,
    name,
    ready,
    reserved,
    revision,
    share,
    stand,
)

ELSEWHERE = replace(AGENT, namespace="billing")


def test_a_revision_comes_back_as_it_was_stored(store: Store) -> None:
    reserved(store)
    assert store.revision(AGENT, FIRST) == revision()
    assert store.revision(AGENT, SECOND) is None
    assert store.revision(ELSEWHERE, FIRST) is None


def test_no_policy_is_not_an_empty_one(store: Store) -> None:
    prepared = revision()
    root, leaf = prepared.members
    prepared = replace(prepared, members=(replace(root, egress=()), replace(leaf, egress=None)))
    ready(store, prepared)
    assert store.revision(AGENT, FIRST) == prepared


def test_the_labels_of_a_revision_are_those_of_its_first_reservation(store: Store) -> None:
    reserved(store, revision(labels={"team": "a"}))
    later = reserved(store, revision(labels={"team": "b"}))
    found = store.revision(AGENT, FIRST)
    assert found is not None
    assert found.labels == {"team": "a"}
    assert later.labels == {"team": "b"}


def test_a_revision_goes_with_the_last_instance_that_needs_it(store: Store) -> None:
    first, second, other = ready(store), ready(store), ready(store, revision(SECOND))
    delete(store, first)
    assert store.revision(AGENT, FIRST) == revision()
    delete(store, second)
    assert store.revision(AGENT, FIRST) is None
    assert store.revision(AGENT, SECOND) == revision(SECOND)
    tombstone = store.instance(name(first))
    assert tombstone is not None
    assert tombstone.revision == FIRST
    delete(store, other)


def test_a_deletion_that_came_late_removes_nothing(store: Store) -> None:
    found = ready(store)
    store.replace(found, stand(found, State.SUSPENDED), None)
    assert delete(store, found) is None
    assert store.revision(AGENT, FIRST) == revision()
    assert store.instances("payments", None, {}, FIRST_PAGE)


def test_the_actor_templates_are_those_of_instances_that_are_not_deleted(store: Store) -> None:
    assert store.actor_templates() == {}
    found = ready(store, revision(agent=ELSEWHERE))
    for prepared in (revision(), revision(), revision(SECOND)):
        ready(store, prepared)
    here = ["triage-1111", "triage-2222", "triage-find-logs-1111", "triage-find-logs-2222"]
    there = ["triage-1111", "triage-find-logs-1111"]
    assert store.actor_templates() == {"billing": there, "payments": here}
    delete(store, found)
    assert store.actor_templates() == {"payments": here}


def test_no_reservation_is_without_its_revision_whatever_is_deleted_meanwhile(
    store: Store, another: Callable[[], Store]
) -> None:
    stores = [store, another()]
    wrong: list[str] = []

    def live(number: int) -> None:
        mine = stores[number % 2]
        for _ in range(15):
            new = instance(creator=str(number))
            mine.reserve(new, revision(), HOLD)
            if mine.revision(AGENT, FIRST) != revision():
                wrong.append(new.id)
            delete(mine, new)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(live, range(8)))
    assert not wrong
    assert store.revision(AGENT, FIRST) is None
    assert store.actor_templates() == {}


def test_no_share_outlives_its_instance_whatever_order_they_come_in(
    store: Store, another: Callable[[], Store]
) -> None:
    other = another()
    for number in range(20):
        found, start = ready(store), threading.Barrier(2)
        kept = share(found, bytes([number]))

        def add() -> bool:
            start.wait()  # noqa: B023
            return other.add_share(kept)  # noqa: B023

        with ThreadPoolExecutor(1) as pool:
            added = pool.submit(add)
            start.wait()
            delete(store, found)
            added.result()
        assert store.share(kept.digest) is None
