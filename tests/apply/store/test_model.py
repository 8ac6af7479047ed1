"""Whatever is called in whatever order, the store does as a few dictionaries do, over both databases."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import psycopg
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from kagent_apply.instances.instance import Instance, Lease, Share
from kagent_apply.instances.requests import Page, ShareName
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import Operation, State
from kagent_apply.store.opening import open_store
from kagent_apply.store.port import Hold
from tests.apply.store.values import AGENT, FIRST, SECOND, instance, name, revision, share
from tests.postgresql import PostgreSQL

CREATORS = st.sampled_from(["ann", "bob"])
HOLDERS = st.sampled_from(["here", "there"])
HOLDS = st.builds(Hold, HOLDERS, st.sampled_from([-1.0, 1000.0]))
STANDINGS = st.builds(
    Standing,
    st.sampled_from([State.READY, State.SUSPENDED, State.FAILED, State.DELETED]),
    st.none() | st.sampled_from(Operation),
    st.integers(0, 3),
    st.booleans(),
)
LABELS = st.sampled_from([{}, {"team": "a"}, {"team": "b"}, {"team": "a", "tier": "gold"}])


class Life(RuleBasedStateMachine):
    """The model has instances by id as they have to be read, and shares by digest."""

    fresh: ClassVar[Callable[[], str]]
    """Gives the URL of an empty database."""

    def __init__(self) -> None:
        super().__init__()
        self.store = open_store(type(self).fresh())
        self.instances: dict[str, Instance] = {}
        self.earlier: list[Instance] = []
        self.shares: dict[bytes, Share] = {}

    def teardown(self) -> None:
        self.store.close()

    def living(self) -> list[Instance]:
        found = [one for one in self.instances.values() if one.standing.state is not State.DELETED]
        return sorted(found, key=lambda one: one.id)

    def some(self, data: st.DataObject) -> Instance:
        return data.draw(st.sampled_from(list(self.instances.values())))

    @rule(
        creator=CREATORS,
        request=st.sampled_from("abcdef"),
        digest=st.sampled_from([FIRST, SECOND]),
        labels=LABELS,
        hold=HOLDS,
    )
    def reserve(self, creator: str, request: str, digest: str, labels: dict[str, str], hold: Hold) -> None:
        prepared = revision(digest, labels=labels)
        new = instance(prepared, creator=creator, request_id=request)
        used = any((one.creator, one.request_id) == (creator, request) for one in self.instances.values())
        assert self.store.reserve(new, prepared, hold) != used
        if not used:
            self.instances[new.id] = replace(new, lease=Lease(hold.holder, hold.seconds < 0))
        found = self.store.by_request(creator, "payments", request)
        assert found is not None
        assert found == self.instances[found.id]

    @precondition(lambda self: self.instances)
    @rule(data=st.data(), standing=STANDINGS, hold=st.none() | HOLDS, stale=st.booleans())
    def put(self, data: st.DataObject, standing: Standing, hold: Hold | None, stale: bool) -> None:
        choices = self.earlier if stale and self.earlier else list(self.instances.values())
        before = data.draw(st.sampled_from(choices))
        if before.standing.state is State.DELETED:
            standing = replace(standing, state=State.DELETED)
        after = replace(before, standing=standing)
        stored = self.store.replace(before, after, hold)
        now = self.instances[before.id]
        if now.version != before.version:
            assert stored is None
            return
        lease = Lease(hold.holder, hold.seconds < 0) if hold else None
        assert stored == replace(after, version=before.version + 1, lease=lease)
        self.earlier.append(now)
        self.instances[before.id] = stored
        if standing.state is State.DELETED:
            self.shares = {key: kept for key, kept in self.shares.items() if kept.instance != before.id}

    @precondition(lambda self: self.instances)
    @rule(data=st.data(), hold=HOLDS)
    def renew(self, data: st.DataObject, hold: Hold) -> None:
        found = self.some(data)
        free = found.lease is None or found.lease.lapsed or found.lease.holder == hold.holder
        lease = Lease(hold.holder, hold.seconds < 0)
        renewed = replace(found, version=found.version + 1, lease=lease) if free else None
        assert self.store.renew(found, hold) == renewed
        if renewed is not None:
            self.earlier.append(found)
            self.instances[found.id] = renewed

    @rule(holder=HOLDERS)
    def release(self, holder: str) -> None:
        held = [
            one
            for one in self.instances.values()
            if one.standing.operation and one.lease and one.lease.holder == holder
        ]
        assert self.store.release(holder) == len(held)
        for one in held:
            self.instances[one.id] = replace(one, lease=None)

    @precondition(lambda self: self.instances)
    @rule(data=st.data(), creator=CREATORS, digest=st.binary(min_size=2, max_size=2))
    def add_share(self, data: st.DataObject, creator: str, digest: bytes) -> None:
        found = self.some(data)
        if digest not in self.shares:
            new = share(found, digest, creator)
            added = self.store.add_share(new)
            assert added == (found.standing.state is not State.DELETED)
            self.shares |= {digest: new} if added else {}

    @precondition(lambda self: self.shares)
    @rule(data=st.data(), creator=CREATORS)
    def revoke(self, data: st.DataObject, creator: str) -> None:
        kept = data.draw(st.sampled_from(list(self.shares.values())))
        mine = kept.creator == creator
        assert self.store.revoke_share(ShareName("payments", kept.id), creator) == mine
        if mine:
            del self.shares[kept.digest]

    @rule(creator=st.none() | CREATORS, labels=LABELS, limit=st.integers(1, 3), data=st.data())
    def look(self, creator: str | None, labels: dict[str, str], limit: int, data: st.DataObject) -> None:
        after = data.draw(st.sampled_from(["", *self.instances]))
        expected = [
            one
            for one in self.living()
            if one.id > after and creator in (None, one.creator) and labels.items() <= one.labels.items()
        ]
        assert self.store.instances("payments", creator, labels, Page(limit, after)) == expected[: limit + 1]

    @rule()
    def compare(self) -> None:
        for one in self.instances.values():
            assert self.store.instance(name(one)) == one
            mine = sorted(
                (kept for kept in self.shares.values() if kept.instance == one.id), key=lambda s: s.id
            )
            assert self.store.shares(name(one), Page(100, "")) == mine
        needed = {one.revision for one in self.living()}
        assert {d for d in (FIRST, SECOND) if self.store.revision(AGENT, d)} == needed
        names = {member.actor_template for digest in needed for member in revision(digest).members}
        assert set(self.store.actor_templates().get("payments", ())) == names
        idle = {
            name(one)
            for one in self.instances.values()
            if one.standing.operation and (one.lease is None or one.lease.lapsed)
        }
        assert set(self.store.unattended(100)) == idle


def run(fresh: Callable[[], str], examples: int) -> None:
    """Run the machine over databases of one sort."""
    machine = type("LifeHere", (Life,), {"fresh": staticmethod(fresh)})
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=25))


def test_sqlite_does_as_the_model(tmp_path: Path) -> None:
    run(lambda: f"sqlite:///{tempfile.mkdtemp(dir=tmp_path)}/store.db", 8)


@pytest.mark.server
def test_postgresql_does_as_the_model(postgresql_server: PostgreSQL) -> None:
    url = postgresql_server.fresh_database()
    open_store(url).close()

    def emptied() -> str:
        with psycopg.connect(url) as connection:
            connection.execute("TRUNCATE instance, listing, prepared_revision CASCADE")
        return url

    run(emptied, 15)
