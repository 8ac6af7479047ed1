"""A store in memory, with leases by a clock that the test moves, which minds the rules of what is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import RLock

from kagent_apply.instances.instance import Instance, Lease, Share
from kagent_apply.instances.prepared import PreparedRevision
from kagent_apply.instances.requests import AgentName, InstanceName, Page, ShareName
from kagent_apply.instances.states import State
from kagent_apply.operations.work import name_of
from kagent_apply.store.port import Hold
from tests.apply.operations.seconds import Seconds

Meet = Callable[[str, str], None]
"""Called `before` and `after` each call, with its name; raises what the test has planned."""


def nothing(_moment: str, _call: str) -> None:
    """No plan."""


class MemoryStore:
    """Exactly what the port says, and an error where somebody stores what never should be."""

    def __init__(self, seconds: Seconds) -> None:
        self.meet: Meet = nothing
        self.written: list[Instance] = []
        self._seconds = seconds
        self._lock = RLock()
        self._rows: dict[InstanceName, tuple[Instance, Hold | None, float]] = {}
        self._requests: dict[tuple[str, str, str], InstanceName] = {}
        self._revisions: dict[str, PreparedRevision] = {}

    def reserve(self, instance: Instance, revision: PreparedRevision, hold: Hold) -> bool:
        self.meet("before", "reserve")
        with self._lock:
            request = (instance.creator, instance.agent.namespace, instance.request_id)
            if request in self._requests:
                return False
            self._requests[request] = name_of(instance)
            self._revisions[revision.revision] = revision
            self._write(instance, hold)
        self.meet("after", "reserve")
        return True

    def replace(self, before: Instance, after: Instance, hold: Hold | None) -> Instance | None:
        self.meet("before", "replace")
        with self._lock:
            stored, _, _ = self._rows[name_of(before)]
            if stored.version != before.version:
                return None
            _mind(stored, after)
            self._write(replace(after, version=before.version + 1), hold)
            now = self._read(name_of(before))
        self.meet("after", "replace")
        return now

    def renew(self, instance: Instance, hold: Hold) -> Instance | None:
        self.meet("before", "renew")
        with self._lock:
            stored, _, _ = self._rows[name_of(instance)]
            lease = self._read(name_of(instance)).lease
            if stored.version != instance.version:
                return None
            if lease is not None and not lease.lapsed and lease.holder != hold.holder:
                return None
            renewed = replace(stored, version=stored.version + 1)
            self._rows[name_of(instance)] = (renewed, hold, self._seconds.now + hold.seconds)
            now = self._read(name_of(instance))
        self.meet("after", "renew")
        return now

    def instance(self, name: InstanceName) -> Instance | None:
        self.meet("before", "instance")
        return self._read(name) if name in self._rows else None

    def by_request(self, creator: str, namespace: str, request_id: str) -> Instance | None:
        self.meet("before", "by_request")
        found = self._requests.get((creator, namespace, request_id))
        return self._read(found) if found else None

    def unattended(self, limit: int) -> Sequence[InstanceName]:
        self.meet("before", "unattended")
        rows = sorted(self._rows.items(), key=lambda row: row[1][2])
        return [
            name
            for name, (found, hold, until) in rows
            if found.standing.operation and (hold is None or until <= self._seconds.now)
        ][:limit]

    def release(self, holder: str) -> int:
        self.meet("before", "release")
        held = [row for row, (_, hold, _) in self._rows.items() if hold and hold.holder == holder]
        for row in held:
            self._rows[row] = (self._rows[row][0], None, 0)
        return len(held)

    def revision(self, agent: AgentName, revision: str) -> PreparedRevision | None:
        self.meet("before", "revision")
        return self._revisions.get(revision)

    def _write(self, instance: Instance, hold: Hold | None) -> None:
        self.written.append(instance)
        self._rows[name_of(instance)] = (instance, hold, self._seconds.now + hold.seconds if hold else 0)

    def _read(self, name: InstanceName) -> Instance:
        instance, hold, until = self._rows[name]
        lease = Lease(hold.holder, lapsed=until <= self._seconds.now) if hold else None
        return replace(instance, lease=lease)

    def all(self) -> list[Instance]:
        """Everything that is stored."""
        return [self._read(name) for name in self._rows]

    def left(self) -> float:
        """Seconds that the only lease has left."""
        ((_, _, until),) = self._rows.values()
        return until - self._seconds.now

    def instances(
        self, namespace: str, creator: str | None, match_labels: Mapping[str, str], page: Page
    ) -> Sequence[Instance]:
        raise NotImplementedError

    def actor_templates(self) -> Mapping[str, Sequence[str]]:
        raise NotImplementedError

    def add_share(self, share: Share) -> bool:
        raise NotImplementedError

    def shares(self, instance: InstanceName, page: Page) -> Sequence[Share]:
        raise NotImplementedError

    def revoke_share(self, name: ShareName, creator: str) -> bool:
        raise NotImplementedError

    def share(self, digest: bytes) -> Share | None:
        raise NotImplementedError

    def ping(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


def _mind(stored: Instance, after: Instance) -> None:
    """What no operation may ever do to what is stored."""
    assert stored.standing.state is not State.DELETED, "what is deleted changes no more"
    assert after.standing.claim >= stored.standing.claim
    assert (stored.id, stored.agent, stored.creator, stored.revision) == (
        after.id,
        after.agent,
        after.creator,
        after.revision,
    )
    for before, now in zip(stored.members, after.members, strict=True):
        assert (before.path, before.actor, before.actor_template) == (now.path, now.actor, now.actor_template)
        assert before.uid in {"", now.uid}, "a UID changed"
    if stored.standing.issued and after.standing.operation is None:
        assert after.standing.state in {State.READY, State.SUSPENDED, State.FAILED, State.DELETED}
        done = after.standing.state is State.FAILED or after.standing.state is not stored.standing.state
        assert done, "what was issued was given up"
