"""One of several replicas writes: the one that holds a Lease (coordination.k8s.io/v1)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Protocol

from kagent_apply.cluster.event import ClusterEvent, EventKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_apply.cluster.api import Api
    from kagent_apply.cluster.event import Tell

_API: Final = "/apis/coordination.k8s.io/v1"
_NOT_FOUND: Final = 404
_MARGIN: Final = 2.0 / 3.0
"""The part of a Lease's seconds in which its holder writes; the rest is for a slow write to arrive."""


class Leadership(Protocol):
    """Says whether this replica writes."""

    def acquire(self) -> bool:
        """Get to lead, or go on leading; raises ApiError."""
        ...

    def is_held(self) -> bool:
        """Whether this replica still leads; asked before every write."""
        ...

    def release(self) -> None:
        """Let another lead at once; raises ApiError."""
        ...


class Alone:
    """There is no other replica."""

    def acquire(self) -> bool:
        """Always."""
        return True

    def is_held(self) -> bool:
        """Always."""
        return True

    def release(self) -> None:
        """Nothing to let go of."""


@dataclass(frozen=True, slots=True)
class LeaseName:
    """Which Lease the replicas of one service share, who this one is, and for how many seconds it is held."""

    namespace: str
    name: str
    holder: str
    seconds: int = 30


class LeaseLeadership:
    """Leads while it renews a Lease in time.

    When another's Lease has run out is judged by how long it was seen unchanged, by the own clock: the times
    in it are by other clocks.
    """

    def __init__(
        self, api: Api, lease: LeaseName, tell: Tell, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._api = api
        self._lease = lease
        self._tell = tell
        self._clock = clock
        self._until = 0.0
        self._seen: tuple[object, float] = (None, 0.0)
        self._leads = False

    def acquire(self) -> bool:
        """Create the Lease, renew it, or take it over when it has run out."""
        began = self._clock()
        if began < self._until - self._lease.seconds * _MARGIN / 2:
            return True  # renewed only lately
        held = self._try()
        self._until = began + self._lease.seconds * _MARGIN if held else 0.0
        if held is not self._leads:
            self._leads = held
            kind = EventKind.LEADING if held else EventKind.FOLLOWING
            self._tell(ClusterEvent(kind, f"`{self._lease.holder}` {'leads' if held else 'follows'}"))
        return held

    def is_held(self) -> bool:
        """Whether the Lease was renewed lately enough."""
        return self._clock() < self._until

    def release(self) -> None:
        """Give the Lease up, if it is ours."""
        self._until, self._leads = 0.0, False
        found = self._api.request("GET", self._path, {})
        if not found.refused and _spec(found.value).get("holderIdentity") == self._lease.holder:
            self._put(found.value, "")

    @property
    def _collection(self) -> str:
        return f"{_API}/namespaces/{self._lease.namespace}/leases"

    @property
    def _path(self) -> str:
        return f"{self._collection}/{self._lease.name}"

    def _try(self) -> bool:
        found = self._api.request("GET", self._path, {})
        if found.status == _NOT_FOUND:
            return not self._api.request("POST", self._collection, {}, self._written({}, {})).refused
        if found.refused:
            return False
        return self._is_free(found.value) and self._put(found.value, self._lease.holder)

    def _is_free(self, lease: Mapping[str, Any]) -> bool:
        """Whether it is ours, nobody's, or another's that was not renewed for as long as it is good for."""
        spec, now = _spec(lease), self._clock()
        state = _metadata(lease).get("resourceVersion"), spec.get("holderIdentity"), spec.get("renewTime")
        if state != self._seen[0]:
            self._seen = state, now
        if spec.get("holderIdentity") in (None, "", self._lease.holder):
            return True
        seconds = spec.get("leaseDurationSeconds")
        good_for = seconds if isinstance(seconds, int) and seconds > 0 else self._lease.seconds
        return now - self._seen[1] > good_for

    def _put(self, lease: Mapping[str, Any], holder: str) -> bool:
        """Write it over what was read; who wrote since keeps it."""
        body = self._written(_metadata(lease), _spec(lease), holder)
        return not self._api.request("PUT", self._path, {}, body).refused

    def _written(
        self, metadata: Mapping[str, Any], spec: Mapping[str, Any], holder: str | None = None
    ) -> dict[str, Any]:
        holder = self._lease.holder if holder is None else holder
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        same = spec.get("holderIdentity") == holder
        turns = spec.get("leaseTransitions")
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {**metadata, "namespace": self._lease.namespace, "name": self._lease.name},
            "spec": {
                "holderIdentity": holder,
                "leaseDurationSeconds": self._lease.seconds,
                "acquireTime": spec.get("acquireTime", now) if same else now,
                "renewTime": now,
                "leaseTransitions": (turns if isinstance(turns, int) else 0) + (0 if same else 1),
            },
        }


def _spec(lease: Mapping[str, Any]) -> Mapping[str, Any]:
    spec = lease.get("spec")
    return spec if isinstance(spec, dict) else {}


def _metadata(lease: Mapping[str, Any]) -> Mapping[str, Any]:
    metadata = lease.get("metadata")
    return metadata if isinstance(metadata, dict) else {}
