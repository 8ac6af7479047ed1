"""Statements about instances: what is stored, compared and set, and held."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, func, or_, select, update

from kagent_apply.instances.instance import Lease
from kagent_apply.instances.requests import InstanceName
from kagent_apply.instances.states import State
from kagent_apply.store.columns import SECONDS, Now
from kagent_apply.store.conflicts import NewRows
from kagent_apply.store.keys import request_key
from kagent_apply.store.rows import (
    CHANGING,
    changing_values,
    needed_revision,
    read_instance,
    unchanging_values,
)
from kagent_apply.store.tables import INSTANCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from kagent_apply.instances.instance import Instance
    from kagent_apply.store.port import Hold

_HELD: Final[dict[str, Any]] = {
    "holder": bindparam("holder"),
    "held_until": Now() + bindparam("seconds", type_=SECONDS),
}
"""Until when there is a hold; without a holder and for no seconds, since when there is none."""

_SAME: Final = (INSTANCE.c.id == bindparam("same_id"), INSTANCE.c.version == bindparam("same_version"))

_INSERT: Final = NewRows(INSTANCE, INSTANCE.c.request_key, _HELD)
_REPLACE: Final = (
    update(INSTANCE)
    .where(*_SAME)
    .values({**{name: bindparam(name) for name in CHANGING}, **_HELD, "version": INSTANCE.c.version + 1})
)
_END: Final = _REPLACE.values({INSTANCE.c.revision_key: None})
"""A replacement that is a tombstone; others leave the column alone, and with it its index."""

_RENEW: Final = (
    update(INSTANCE)
    .where(
        *_SAME,
        or_(
            INSTANCE.c.holder.is_(None),
            INSTANCE.c.holder == bindparam("holder"),
            INSTANCE.c.held_until <= Now(),
        ),
    )
    .values({**_HELD, "version": INSTANCE.c.version + 1})
)
_RELEASE_ALL: Final = (
    update(INSTANCE)
    .where(INSTANCE.c.operation.is_not(None), INSTANCE.c.holder.is_not(None))
    .values({"holder": None, "held_until": Now()})
)
_RELEASE: Final = _RELEASE_ALL.where(INSTANCE.c.holder == bindparam("of"))
_UNATTENDED: Final = (
    select(INSTANCE.c.namespace, INSTANCE.c.id)
    .where(INSTANCE.c.operation.is_not(None), INSTANCE.c.held_until <= Now())
    .order_by(INSTANCE.c.held_until)
    .limit(bindparam("most"))
)

_COUNTS: Final = (
    select(INSTANCE.c.state, func.count())
    .where(INSTANCE.c.revision_key.is_not(None))  # which has an index, and none that are deleted
    .group_by(INSTANCE.c.state)
)

SELECT_INSTANCE: Final = select(INSTANCE, (INSTANCE.c.held_until <= Now()).label("lapsed"))
"""What `read_instance` reads."""

_BY_NAME: Final = SELECT_INSTANCE.where(
    INSTANCE.c.id == bindparam("id"), INSTANCE.c.namespace == bindparam("namespace")
)
_BY_REQUEST: Final = SELECT_INSTANCE.where(INSTANCE.c.request_key == bindparam("request_key"))


def insert_instance(connection: Connection, instance: Instance, hold: Hold) -> bool:
    """Store a new instance; False where its `request_id` was used."""
    values = {**unchanging_values(instance), **changing_values(instance), **_hold_values(hold)}
    more = {"version": instance.version, "revision_key": needed_revision(instance)}
    return _INSERT.execute(connection, {**values, **more})


def replace_instance(
    connection: Connection, before: Instance, after: Instance, hold: Hold | None
) -> Instance | None:
    """Compare and set by the version, in one statement; what is stored then."""
    values = {**_same(before), **changing_values(after), **_hold_values(hold)}
    statement = _END if after.standing.state is State.DELETED else _REPLACE
    return _next(before, after, hold) if connection.execute(statement, values).rowcount else None


def renew_hold(connection: Connection, instance: Instance, hold: Hold) -> Instance | None:
    """Hold on, where neither the version nor a holder whose time is not over stands against it.

    The version counts on: a hold that lapsed and is renewed may have been seen by who takes it over.
    """
    values = {**_same(instance), **_hold_values(hold)}
    return _next(instance, instance, hold) if connection.execute(_RENEW, values).rowcount else None


def release_holds(connection: Connection, holder: str) -> int:
    """End the holds of one holder; how many there were."""
    return connection.execute(_RELEASE, {"of": holder}).rowcount


def release_all_holds(connection: Connection) -> None:
    """End every hold, whoever has it."""
    connection.execute(_RELEASE_ALL)


def find_instance(connection: Connection, name: InstanceName) -> Instance | None:
    """The instance of a name."""
    found = connection.execute(_BY_NAME, {"id": name.id, "namespace": name.namespace}).mappings().first()
    return None if found is None else read_instance(found)


def find_by_request(connection: Connection, creator: str, namespace: str, request_id: str) -> Instance | None:
    """The instance of a `request_id`."""
    key = request_key(creator, namespace, request_id)
    found = connection.execute(_BY_REQUEST, {"request_key": key}).mappings().first()
    return None if found is None else read_instance(found)


def list_unattended(connection: Connection, limit: int) -> Sequence[InstanceName]:
    """Instances whose operation nobody carries on, longest first."""
    rows = connection.execute(_UNATTENDED, {"most": limit})
    return [InstanceName(namespace, found) for namespace, found in rows]


def count_states(connection: Connection) -> Mapping[State, int]:
    """How many instances are in each state, but for those that are deleted."""
    return {State(state): count for state, count in connection.execute(_COUNTS)}


def _next(before: Instance, after: Instance, hold: Hold | None) -> Instance:
    """What is stored where it was compared and set."""
    lease = None if hold is None else Lease(hold.holder, lapsed=hold.seconds <= 0)
    return dataclasses.replace(after, version=before.version + 1, lease=lease)


def _same(instance: Instance) -> dict[str, Any]:
    return {"same_id": instance.id, "same_version": instance.version}


def _hold_values(hold: Hold | None) -> dict[str, Any]:
    if hold is None:
        return {"holder": None, "seconds": 0.0}
    return {"holder": hold.holder, "seconds": hold.seconds}
