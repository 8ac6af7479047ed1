"""What a store of instances does, whatever keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_apply.instances.instance import Instance, Share
    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName, InstanceName, Page, ShareName


class StoreError(Exception):
    """The store cannot be asked, or did not say what became of a change; the message is fit for callers."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Who carries on the operation of an instance, and for how many seconds unless that is renewed."""

    holder: str
    seconds: float


class Store(Protocol):
    """Instances, shares and revisions; every call is one transaction, durable when it returns.

    Every method raises StoreError. Times of leases are by the store's own clock. All may be called from
    several threads at once, and several stores may be open on one PostgreSQL database.
    """

    def reserve(self, instance: Instance, revision: PreparedRevision, hold: Hold) -> bool:
        """Keep a new instance with the revision that it needs; False where the `request_id` was used.

        A `request_id` is taken per creator and namespace, and never free again.
        """
        ...

    def replace(self, before: Instance, after: Instance, hold: Hold | None) -> Instance | None:
        """Put `after` in the place of `before`, held by `hold`; what is stored then, with its new version.

        None where something else is stored than `before`, by its version. `updated_at` is what `after` says.
        ValueError where `after` is another instance, or `before` is deleted and `after` is not.
        """
        ...

    def renew(self, instance: Instance, hold: Hold) -> Instance | None:
        """Hold on to an operation; what is stored then, with its new version.

        None where `instance` was replaced or renewed since, or somebody else holds it whose time is not over.
        So whoever saw the hold lapsed before this can no longer take the operation over.
        """
        ...

    def instance(self, name: InstanceName) -> Instance | None:
        """An instance, also one that is deleted, whoever created it."""
        ...

    def by_request(self, creator: str, namespace: str, request_id: str) -> Instance | None:
        """The instance that came of a `request_id`, also one that is deleted."""
        ...

    def instances(
        self, namespace: str, creator: str | None, match_labels: Mapping[str, str], page: Page
    ) -> Sequence[Instance]:
        """A page of those that are not deleted, by id, of one creator or of all.

        Where there is another page, one instance more than `limit`.
        """
        ...

    def unattended(self, limit: int) -> Sequence[InstanceName]:
        """Instances with an operation under way that nobody holds any more, longest first."""
        ...

    def release(self, holder: str) -> int:
        """End every hold of one holder, who is gone or going; how many there were."""
        ...

    def revision(self, agent: AgentName, revision: str) -> PreparedRevision | None:
        """What an instance was created from; it stays as long as one that is not deleted needs it."""
        ...

    def actor_templates(self) -> Mapping[str, Sequence[str]]:
        """By namespace, the names of the ActorTemplates that instances need which are not deleted."""
        ...

    def add_share(self, share: Share) -> bool:
        """Keep a share; False where its instance is no more."""
        ...

    def shares(self, instance: InstanceName, page: Page) -> Sequence[Share]:
        """A page of an instance's shares, by id; where there is another page, one more than `limit`."""
        ...

    def revoke_share(self, name: ShareName, creator: str) -> bool:
        """Drop a share of `creator`; False where there is none."""
        ...

    def share(self, digest: bytes) -> Share | None:
        """The share whose token has a digest."""
        ...

    def ping(self) -> None:
        """Ask for nothing, to see whether the store answers."""
        ...

    def close(self) -> None:
        """Let go of files and connections; nothing may be called afterwards."""
        ...
