"""Statements about shares, which end with their instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, delete, insert, select

from kagent_apply.instances.states import State
from kagent_apply.store.rows import read_shares, share_values
from kagent_apply.store.tables import INSTANCE, SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from kagent_apply.instances.instance import Share
    from kagent_apply.instances.requests import InstanceName, Page, ShareName

_LOCK_LIVING: Final = (
    select(INSTANCE.c.id)
    .where(INSTANCE.c.id == bindparam("instance"), INSTANCE.c.namespace == bindparam("namespace"))
    .where(INSTANCE.c.state != State.DELETED.value)
    .with_for_update(read=True)
)
_INSERT: Final = insert(SHARE)
_PAGE: Final = (
    select(SHARE)
    .where(SHARE.c.instance == bindparam("instance"), SHARE.c.namespace == bindparam("namespace"))
    .where(SHARE.c.id > bindparam("after"))
    .order_by(SHARE.c.id)
    .limit(bindparam("most"))
)
_BY_DIGEST: Final = select(SHARE).where(SHARE.c.digest == bindparam("digest"))
_DELETE: Final = delete(SHARE).where(
    SHARE.c.id == bindparam("this"),
    SHARE.c.namespace == bindparam("of_namespace"),
    SHARE.c.creator == bindparam("of_creator"),
)
_DELETE_ALL: Final = delete(SHARE).where(SHARE.c.instance == bindparam("of_instance"))


def insert_share(connection: Connection, share: Share) -> bool:
    """Store a share; False where its instance is not there or deleted.

    The instance is locked, so that a deletion either is seen here, or sees the share.
    """
    instance = {"instance": share.instance, "namespace": share.namespace}
    if connection.execute(_LOCK_LIVING, instance).first() is None:
        return False
    connection.execute(_INSERT, share_values(share))
    return True


def list_shares(connection: Connection, instance: InstanceName, page: Page) -> Sequence[Share]:
    """A page of an instance's shares, and one more."""
    of = {"instance": instance.id, "namespace": instance.namespace}
    rows = connection.execute(_PAGE, {**of, "after": page.after, "most": page.limit + 1})
    return read_shares(rows.mappings())


def find_share(connection: Connection, digest: bytes) -> Share | None:
    """The share of a token's digest."""
    found = read_shares(connection.execute(_BY_DIGEST, {"digest": digest}).mappings())
    return found[0] if found else None


def delete_share(connection: Connection, name: ShareName, creator: str) -> bool:
    """Remove a share of one creator; False where there is none."""
    mine = {"this": name.id, "of_namespace": name.namespace, "of_creator": creator}
    return connection.execute(_DELETE, mine).rowcount > 0


def delete_shares(connection: Connection, instance: str) -> None:
    """Remove all shares of an instance."""
    connection.execute(_DELETE_ALL, {"of_instance": instance})
