"""Statements about prepared revisions, which stay as long as an instance needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import bindparam, delete, exists, insert, select

from kagent_apply.store.conflicts import NewRows
from kagent_apply.store.keys import revision_key
from kagent_apply.store.rows import prepared_member_values, read_revision, revision_values
from kagent_apply.store.tables import INSTANCE, PREPARED_MEMBER, PREPARED_REVISION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName

_THIS: Final = PREPARED_REVISION.c.key == bindparam("this")
_INSERT: Final = NewRows(PREPARED_REVISION, PREPARED_REVISION.c.key)
_INSERT_MEMBERS: Final = insert(PREPARED_MEMBER)
_LOCK_SHARED: Final = select(PREPARED_REVISION.c.key).where(_THIS).with_for_update(read=True, key_share=True)
_LOCK: Final = select(PREPARED_REVISION.c.key).where(_THIS).with_for_update()
_DELETE_UNNEEDED: Final = delete(PREPARED_REVISION).where(
    _THIS, ~exists().where(INSTANCE.c.revision_key == bindparam("this"))
)
_FIND: Final = (
    select(PREPARED_REVISION, PREPARED_MEMBER)
    .join(PREPARED_MEMBER)
    .where(_THIS)
    .order_by(PREPARED_MEMBER.c.place)
)
_ACTOR_TEMPLATES: Final = (
    select(PREPARED_REVISION.c.namespace, PREPARED_MEMBER.c.actor_template)
    .join(PREPARED_MEMBER)
    .distinct()
    .order_by(PREPARED_REVISION.c.namespace, PREPARED_MEMBER.c.actor_template)
)


def keep_revision(connection: Connection, revision: PreparedRevision) -> None:
    """Make sure that a revision is there and stays at least until the transaction ends.

    Who deletes the last instance that needed it may be about to remove it: then this waits, and stores it
    anew. SQLite, where nobody else writes meanwhile, has no such locks.
    """
    this = {"this": revision_key(revision.agent, revision.revision)}
    while connection.execute(_LOCK_SHARED, this).first() is None:
        if _INSERT.execute(connection, revision_values(revision)):
            connection.execute(_INSERT_MEMBERS, prepared_member_values(revision))
            return


def drop_unneeded_revision(connection: Connection, agent: AgentName, revision: str) -> None:
    """Remove a revision that no instance needs any more.

    The lock comes first, and by itself: the statement after it sees every instance whose reservation held
    the lock before.
    """
    this = {"this": revision_key(agent, revision)}
    connection.execute(_LOCK, this)
    connection.execute(_DELETE_UNNEEDED, this)


def find_revision(connection: Connection, agent: AgentName, revision: str) -> PreparedRevision | None:
    """A revision with its members: one statement, so that none is missing."""
    rows = connection.execute(_FIND, {"this": revision_key(agent, revision)}).mappings().all()
    return read_revision(rows) if rows else None


def list_actor_templates(connection: Connection) -> Mapping[str, Sequence[str]]:
    """By namespace, the ActorTemplates of every revision that is kept."""
    found: dict[str, list[str]] = {}
    for namespace, name in connection.execute(_ACTOR_TEMPLATES):
        found.setdefault(namespace, []).append(name)
    return found
