"""The store over an SQL database: each call is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import select

from kagent_apply.instances.states import State
from kagent_apply.store import instances, listing, revisions, shares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from kagent_apply.instances.instance import Instance, Share
    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName, InstanceName, Page, ShareName
    from kagent_apply.store.database import Database
    from kagent_apply.store.port import Hold, Store


@dataclass(frozen=True, slots=True)
class SqlStore:
    """Implements `Store`."""

    database: Database

    def reserve(self, instance: Instance, revision: PreparedRevision, hold: Hold) -> bool:
        """Keep a new instance with its revision."""
        return self.database.write(partial(_reserve, instance=instance, revision=revision, hold=hold))

    def replace(self, before: Instance, after: Instance, hold: Hold | None) -> Instance | None:
        """Compare and set; with a deletion go the shares, and the revision where nobody else needs it."""
        _check_same(before, after)
        if after.standing.state is State.DELETED:
            return self.database.write(partial(_delete, before=before, after=after, hold=hold))
        one = partial(instances.replace_instance, before=before, after=after, hold=hold)
        return self.database.write_one(one)

    def renew(self, instance: Instance, hold: Hold) -> Instance | None:
        """Hold on to an operation."""
        return self.database.write_one(partial(instances.renew_hold, instance=instance, hold=hold))

    def instance(self, name: InstanceName) -> Instance | None:
        """An instance by its name."""
        return self.database.read(partial(instances.find_instance, name=name))

    def by_request(self, creator: str, namespace: str, request_id: str) -> Instance | None:
        """An instance by its `request_id`."""
        return self.database.read(
            lambda connection: instances.find_by_request(connection, creator, namespace, request_id)
        )

    def instances(
        self, namespace: str, creator: str | None, match_labels: Mapping[str, str], page: Page
    ) -> Sequence[Instance]:
        """A page of instances."""
        return self.database.read(
            lambda connection: listing.list_instances(connection, namespace, creator, match_labels, page)
        )

    def unattended(self, limit: int) -> Sequence[InstanceName]:
        """Operations that nobody carries on."""
        return self.database.read(partial(instances.list_unattended, limit=limit))

    def release(self, holder: str) -> int:
        """End every hold of a holder."""
        return self.database.write_one(partial(instances.release_holds, holder=holder))

    def revision(self, agent: AgentName, revision: str) -> PreparedRevision | None:
        """A prepared revision."""
        return self.database.read(partial(revisions.find_revision, agent=agent, revision=revision))

    def actor_templates(self) -> Mapping[str, Sequence[str]]:
        """The ActorTemplates that are needed."""
        return self.database.read(revisions.list_actor_templates)

    def add_share(self, share: Share) -> bool:
        """Keep a share."""
        return self.database.write(partial(shares.insert_share, share=share))

    def shares(self, instance: InstanceName, page: Page) -> Sequence[Share]:
        """A page of shares."""
        return self.database.read(partial(shares.list_shares, instance=instance, page=page))

    def revoke_share(self, name: ShareName, creator: str) -> bool:
        """Drop a share."""
        return self.database.write_one(partial(shares.delete_share, name=name, creator=creator))

    def share(self, digest: bytes) -> Share | None:
        """A share by its token's digest."""
        return self.database.read(partial(shares.find_share, digest=digest))

    def counts(self) -> Mapping[State, int]:
        """How many instances are in each state, but for those that are deleted; for metrics alone."""
        return self.database.read(instances.count_states)

    def ping(self) -> None:
        """Ask for nothing."""
        self.database.read(lambda connection: connection.execute(select(1)).first())

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()


def _reserve(connection: Connection, instance: Instance, revision: PreparedRevision, hold: Hold) -> bool:
    if not instances.insert_instance(connection, instance, hold):
        return False
    listing.begin_listing(connection, instance)
    revisions.keep_revision(connection, revision)
    return True


def _delete(connection: Connection, before: Instance, after: Instance, hold: Hold | None) -> Instance | None:
    stored = instances.replace_instance(connection, before, after, hold)
    if stored is not None:
        listing.end_listing(connection, stored)
        shares.delete_shares(connection, stored.id)
        revisions.drop_unneeded_revision(connection, stored.agent, stored.revision)
    return stored


def _check_same(before: Instance, after: Instance) -> None:
    """A replacement is of the same instance, and a tombstone stays one; ValueError where that is not so."""
    if _unchanging(before) != _unchanging(after):
        raise ValueError("a replacement has to be of the same instance")
    if before.standing.state is State.DELETED is not after.standing.state:
        raise ValueError("an instance that is deleted stays so")


def _unchanging(instance: Instance) -> tuple[object, ...]:
    return (
        *(instance.id, instance.agent, instance.creator, instance.request_id),
        *(instance.revision, instance.labels, instance.created_at),
    )


def _implements(store: SqlStore) -> Store:
    return store
