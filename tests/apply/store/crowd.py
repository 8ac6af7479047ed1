"""Many instances at once, written past the store: only lists of them are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import Connection, insert

from kagent_apply.instances.states import State
from kagent_apply.store.keys import listing_keys
from kagent_apply.store.rows import changing_values, unchanging_values
from kagent_apply.store.tables import INSTANCE, LISTING
from tests.apply.store.values import instance, revision, stand

RARE = 60
"""So many instances have a label that few have, however many there are."""


def labels(number: int, count: int) -> Mapping[str, str]:
    """Every instance has a team, every second a tier, and few a name."""
    found = {"team": "payments"}
    if number % 2:
        found["tier"] = "gold"
    if number % (count // RARE) == 0:
        found["name"] = "rare"
    return found


def fill(connection: Connection, count: int) -> None:
    """Store so many READY instances of two creators, ids in the order of their numbers."""
    rows, entries = [], []
    for number in range(count):
        found = str(UUID(int=number << 64 | 1))
        creator = "ann" if number % 3 else "bob"
        new = instance(revision(labels=labels(number, count)), creator=creator, instance_id=found)
        new = stand(new, State.READY)
        values = {**unchanging_values(new), **changing_values(new), "revision_key": None}
        rows.append({**values, "version": 0, "holder": None, "held_until": 0.0})
        entries += [{"key": key, "instance": found} for key in listing_keys(new)]
    connection.execute(insert(INSTANCE), rows)
    connection.execute(insert(LISTING), entries)


def middle(count: int) -> str:
    """The id of the instance in the middle."""
    return str(UUID(int=(count // 2) << 64 | 1))
