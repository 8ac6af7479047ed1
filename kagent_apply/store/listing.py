"""Statements about the lists that instances are in (decision 53)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, delete, select, text

from kagent_apply.store.instances import SELECT_INSTANCE
from kagent_apply.store.keys import listing_keys, matching_keys
from kagent_apply.store.rows import read_instance
from kagent_apply.store.tables import INSTANCE, LISTING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Select, TextClause

    from kagent_apply.instances.instance import Instance
    from kagent_apply.instances.requests import Page

_RARE: Final = 1000
"""A list that ends within so many entries may be looked through one by one."""

_DELETE: Final = delete(LISTING).where(
    LISTING.c.instance == bindparam("of"), LISTING.c.key.in_(bindparam("keys", expanding=True))
)
_FAR: Final = (
    select(LISTING.c.instance)
    .where(LISTING.c.key == bindparam("in_key"), LISTING.c.instance > bindparam("after"))
    .order_by(LISTING.c.instance)
    .offset(_RARE)
    .limit(1)
)


def begin_listing(connection: Connection, instance: Instance) -> None:
    """Put an instance into every list that it belongs to."""
    keys = {f"key{place}": key for place, key in enumerate(listing_keys(instance))}
    connection.execute(_insert_statement(len(keys)), {**keys, "instance": instance.id})


def end_listing(connection: Connection, instance: Instance) -> None:
    """Take an instance out of every list."""
    connection.execute(_DELETE, {"of": instance.id, "keys": list(listing_keys(instance))})


@cache
def _insert_statement(lists: int) -> TextClause:
    """Entries of one instance in so many lists: one statement takes a fraction of what one for each does."""
    rows = ", ".join(f"(:key{place}, :instance)" for place in range(lists))
    return text(f"INSERT INTO {LISTING.name} (key, instance) VALUES {rows}")  # noqa: S608


def list_instances(
    connection: Connection, namespace: str, creator: str | None, match_labels: Mapping[str, str], page: Page
) -> Sequence[Instance]:
    """A page and one more, out of a list that soon ends where one of those that are asked for does."""
    keys = short_first(connection, matching_keys(namespace, creator, match_labels), page.after)
    rows = connection.execute(page_statement(len(keys)), page_values(keys, page)).mappings()
    return [read_instance(found) for found in rows]


def short_first(connection: Connection, keys: Sequence[bytes], after: str) -> Sequence[bytes]:
    """Lists, those before the others that soon end after an id; this looks at few entries of each."""
    if len(keys) == 1:
        return keys
    return sorted(keys, key=lambda key: _is_long(connection, key, after))


@cache
def page_statement(lists: int) -> Select[Any]:
    """Instances of one list that are in so many others, too.

    The ids come first, and by themselves: PostgreSQL would go through the instances beside the list.
    """
    entry = LISTING.alias("entry")
    others = [_is_in(f"key{place}", entry.c.instance) for place in range(1, lists)]
    ids = (
        select(entry.c.instance)
        .where(entry.c.key == bindparam("key0"), entry.c.instance > bindparam("after"), *others)
        .order_by(entry.c.instance)
        .limit(bindparam("most"))
        .subquery("ids")
    )
    return SELECT_INSTANCE.join_from(ids, INSTANCE, INSTANCE.c.id == ids.c.instance).order_by(INSTANCE.c.id)


def page_values(keys: Sequence[bytes], page: Page) -> dict[str, Any]:
    """What `page_statement` is asked with."""
    values = {f"key{place}": key for place, key in enumerate(keys)}
    return {**values, "after": page.after, "most": page.limit + 1}


def _is_long(connection: Connection, key: bytes, after: str) -> bool:
    return connection.execute(_FAR, {"in_key": key, "after": after}).first() is not None


def _is_in(key: str, instance: ColumnElement[str]) -> ColumnElement[bool]:
    """Asked of one instance after the other: PostgreSQL would make a join of EXISTS, and read whole lists."""
    other = LISTING.alias(f"of_{key}")
    found = select(other.c.key).where(other.c.key == bindparam(key), other.c.instance == instance)
    return found.limit(1).scalar_subquery().is_not(None)
