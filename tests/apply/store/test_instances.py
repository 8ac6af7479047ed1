"""What is reserved is stored whole, and replaced by compare and set."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from kagent_apply.instances.instance import Instance, Lease, Member, Progress
from kagent_apply.instances.requests import InstanceName
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import Failure, FailureReason, Operation, State
from kagent_apply.store.opening import open_store
from kagent_apply.store.port import Hold, Store, StoreError
from kagent_apply.store.sql_store import SqlStore
from tests.apply.store.values import (
    ABSENT,
    AGENT,
    FIRST,
    FIRST_PAGE,
    HOLD,
    NOON,
    SECOND,
    delete,
    instance,
    name,
    new_id,
    ready,
    reserved,
    revision,
    share,
    stand,
)


def test_a_reserved_instance_is_stored_whole_and_held(store: Store) -> None:
    new = instance()
    assert store.reserve(new, revision(), HOLD)
    assert store.instance(name(new)) == replace(new, lease=Lease("here"))
    assert store.by_request("ann", "payments", new.request_id) == store.instance(name(new))


def test_what_is_stored_outlives_the_process(url: str) -> None:
    store = open_store(url)
    found = ready(store)
    store.close()
    store = open_store(url)
    assert store.instance(name(found)) == found
    assert store.revision(AGENT, FIRST) == revision()
    store.close()


@pytest.mark.parametrize("asked", [InstanceName("other", ""), InstanceName("payments", ABSENT)])
def test_an_instance_is_found_by_its_namespace_and_id_alone(store: Store, asked: InstanceName) -> None:
    found = reserved(store)
    assert store.instance(replace(asked, id=asked.id or found.id)) is None


@pytest.mark.parametrize(
    ("creator", "namespace", "request_id", "taken"),
    [
        ("ann", "payments", "once", True),
        ("bob", "payments", "once", False),
        ("ann", "billing", "once", False),
        ("ann", "payments", "twice", False),
        ("annp", "ayments", "once", False),
    ],
)
def test_a_request_id_is_taken_per_creator_and_namespace(
    store: Store, creator: str, namespace: str, request_id: str, taken: bool
) -> None:
    assert store.reserve(instance(request_id="once"), revision(), HOLD)
    there = revision(agent=replace(AGENT, namespace=namespace))
    new = instance(there, creator=creator, request_id=request_id)
    assert (store.by_request(creator, namespace, request_id) is not None) == taken
    assert store.reserve(new, there, HOLD) != taken
    assert (store.instance(name(new)) is None) == taken


def test_a_request_id_is_never_free_again(store: Store) -> None:
    found = ready(store)
    delete(store, found)
    assert not store.reserve(instance(request_id=found.request_id), revision(), HOLD)
    tombstone = store.by_request("ann", "payments", found.request_id)
    assert tombstone is not None
    assert tombstone.standing.state is State.DELETED


def test_a_request_id_that_was_used_stores_nothing(store: Store) -> None:
    found = reserved(store)
    assert not store.reserve(instance(revision(SECOND), request_id=found.request_id), revision(SECOND), HOLD)
    assert store.revision(AGENT, SECOND) is None
    assert [one.id for one in store.instances("payments", None, {}, FIRST_PAGE)] == [found.id]


STANDINGS = [
    Standing(State.CREATING, Operation.CREATE, 1, issued=True),
    Standing(State.READY, None, 2**40),
    Standing(State.READY, Operation.SUSPEND, 7),
    Standing(State.SUSPENDED, Operation.RESUME, 8, issued=True),
    Standing(State.FAILED, None, 9, failure=Failure(FailureReason.ACTOR_MISSING, "the actor `a` is gone")),
    Standing(State.DELETING, Operation.DELETE, 10, issued=True),
    Standing(State.DELETED, None, 11),
]


@pytest.mark.parametrize("standing", STANDINGS, ids=lambda found: found.state.name)
def test_a_replacement_is_stored_whole(store: Store, standing: Standing) -> None:
    before = reserved(store)
    members = (
        replace(before.members[0], uid="u-1", progress=Progress.FENCED),
        Member("find/logs", "an actor", "a template", progress=Progress.DELETED),
    )
    later = NOON + timedelta(microseconds=1)
    after = replace(before, standing=standing, members=members, updated_at=later)
    stored = store.replace(before, after, Hold("there", 60.0))
    assert stored == replace(after, version=before.version + 1, lease=Lease("there"))
    assert store.instance(name(before)) == stored


def test_who_replaces_what_was_replaced_changes_nothing(store: Store) -> None:
    before = reserved(store)
    after = store.replace(before, stand(before, State.READY), None)
    assert store.replace(before, stand(before, State.FAILED), HOLD) is None
    assert store.instance(name(before)) == after


def test_what_was_never_stored_is_not_replaced(store: Store) -> None:
    new = instance()
    assert store.replace(new, stand(new, State.READY), None) is None
    assert store.instance(name(new)) is None


OTHERS = [
    lambda one: replace(one, id=new_id()),
    lambda one: replace(one, agent=replace(AGENT, harness="another")),
    lambda one: replace(one, creator="bob"),
    lambda one: replace(one, request_id="another"),
    lambda one: replace(one, revision=SECOND),
    lambda one: replace(one, labels={}),
    lambda one: replace(one, created_at=NOON + timedelta(days=1)),
]


@pytest.mark.parametrize("change", OTHERS)
def test_a_replacement_has_to_be_of_the_same_instance(
    store: Store, change: Callable[[Instance], Instance]
) -> None:
    before = reserved(store)
    with pytest.raises(ValueError, match="the same instance"):
        store.replace(before, change(before), None)
    assert store.instance(name(before)) == before


def test_of_many_that_replace_one_version_one_wins(store: Store, another: Callable[[], Store]) -> None:
    before, stores = reserved(store), [store, another()]

    def attempt(number: int) -> bool:
        after = replace(before, standing=replace(before.standing, claim=number))
        return stores[number % 2].replace(before, after, None) is not None

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(attempt, range(100))) == 1


def test_of_many_that_use_one_request_id_one_wins(store: Store, another: Callable[[], Store]) -> None:
    stores = [store, another()]
    new = [instance(request_id="once") for _ in range(60)]
    with ThreadPoolExecutor(16) as pool:
        won = list(pool.map(lambda n: stores[n % 2].reserve(new[n], revision(), HOLD), range(60)))
    assert won.count(True) == 1
    found = store.by_request("ann", "payments", "once")
    assert found is not None
    assert found.id == new[won.index(True)].id


def test_times_are_points_in_time(store: Store) -> None:
    tokyo = datetime(2026, 1, 1, 3, 4, 5, 678901, tzinfo=timezone(timedelta(hours=9)))
    new = instance(at=tokyo)
    store.reserve(new, revision(), HOLD)
    found = store.instance(name(new))
    assert found is not None
    assert found.created_at == tokyo
    assert found.created_at.tzinfo is UTC


def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises((ValueError, StoreError)):
        store.reserve(instance(at=datetime(2026, 1, 1)), revision(), HOLD)
    assert not store.instances("payments", None, {}, FIRST_PAGE)


def test_what_is_deleted_stays_so(store: Store) -> None:
    tombstone = delete(store, ready(store))
    assert tombstone is not None
    with pytest.raises(ValueError, match="stays so"):
        store.replace(tombstone, stand(tombstone, State.READY), None)
    assert store.instance(name(tombstone)) == tombstone


def test_a_deletion_takes_the_shares_with_it(store: Store) -> None:
    found, other = ready(store), ready(store)
    kept = share(other, b"2")
    assert store.add_share(share(found, b"1"))
    assert store.add_share(kept)
    delete(store, found)
    assert not store.shares(name(found), FIRST_PAGE)
    assert store.share(b"1") is None
    assert not store.add_share(share(found, b"3"))
    assert store.shares(name(other), FIRST_PAGE) == [kept]


def test_a_store_that_answers_is_silent(store: Store) -> None:
    store.ping()


def test_instances_are_counted_by_state(store: SqlStore) -> None:
    assert store.counts() == {}
    ready(store)
    gone = ready(store, creator="bea")
    reserved(store)
    assert store.counts() == {State.READY: 2, State.CREATING: 1}
    assert delete(store, gone)
    assert store.counts() == {State.READY: 1, State.CREATING: 1}
