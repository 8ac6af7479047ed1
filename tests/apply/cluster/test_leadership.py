"""One replica leads, and another when that one is gone: on the Leases of a real API server."""

from __future__ import annotations

import pytest

from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.leadership import Alone, LeaseLeadership, LeaseName
from tests.apply.cluster.lasting_server import LastingServer

pytestmark = pytest.mark.server


class Replica:
    """One of several, with a clock of its own that a test moves."""

    def __init__(self, server: LastingServer, namespace: str, name: str) -> None:
        self.now = 1000.0
        self.events: list[ClusterEvent] = []
        lease = LeaseName(namespace, "kagent-apply", name, seconds=30)
        self.leadership = LeaseLeadership(server.api, lease, self.events.append, lambda: self.now)

    def acquire(self, after: float = 0.0) -> bool:
        self.now += after
        return self.leadership.acquire()


@pytest.fixture
def replicas(server: LastingServer, namespace: str) -> tuple[Replica, Replica]:
    return Replica(server, namespace, "a"), Replica(server, namespace, "b")


def test_the_first_leads_as_long_as_it_renews(replicas: tuple[Replica, Replica]) -> None:
    first, second = replicas
    for _ in range(6):
        assert first.acquire(after=15)
        assert not second.acquire(after=15)
        assert first.leadership.is_held()
        assert not second.leadership.is_held()
    assert [found.kind for found in first.events] == [EventKind.LEADING]
    assert second.events == []


def test_who_does_not_renew_stops_writing_before_another_may(replicas: tuple[Replica, Replica]) -> None:
    first, second = replicas
    assert first.acquire()
    assert not second.acquire()
    first.now += 20.1
    assert not first.leadership.is_held()
    assert not second.acquire(after=30)
    assert second.acquire(after=0.1)
    assert not first.acquire()
    assert [found.kind for found in first.events] == [EventKind.LEADING, EventKind.FOLLOWING]


def test_a_lease_is_judged_by_how_long_it_was_seen_and_not_by_its_times(
    server: LastingServer, namespace: str, replicas: tuple[Replica, Replica]
) -> None:
    old = {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"namespace": namespace, "name": "kagent-apply"},
        "spec": {
            "holderIdentity": "gone",
            "leaseDurationSeconds": 5,
            "renewTime": "2000-01-01T00:00:00.000000Z",
        },
    }
    server.post("leases", old)
    first, _ = replicas
    assert not first.acquire()
    assert not first.acquire(after=5)
    assert first.acquire(after=0.1)
    assert server.get("leases", old)["spec"]["leaseTransitions"] == 1


def test_who_gives_up_is_followed_at_once(replicas: tuple[Replica, Replica]) -> None:
    first, second = replicas
    assert first.acquire()
    second.leadership.release()  # which is not second's to give up
    assert not second.acquire()
    first.leadership.release()
    assert not first.leadership.is_held()
    assert second.acquire()


def test_of_two_that_write_at_once_one_leads(
    replicas: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = replicas
    assert first.acquire()
    assert not second.acquire()
    second.now += 31
    put = second.leadership._put

    def put_late(lease: object, holder: str) -> bool:
        first.now += 11
        assert first.leadership.acquire()
        return put(lease, holder)  # type: ignore[arg-type]

    monkeypatch.setattr(second.leadership, "_put", put_late)
    assert not second.acquire()
    assert first.leadership.is_held()


def test_a_lease_that_may_not_be_had_is_not_held(server: LastingServer, namespace: str) -> None:
    strange = Replica(server, f"{namespace}/../x", "a")
    assert not strange.acquire()
    assert not strange.leadership.is_held()


def test_who_is_alone_leads() -> None:
    alone = Alone()
    assert alone.acquire()
    assert alone.is_held()
    alone.release()
