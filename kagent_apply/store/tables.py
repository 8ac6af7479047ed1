"""The tables as they are now; `migrations` has how they came to be so."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    text,
)

from kagent_apply.store.columns import COUNT, DIGEST, JSON_VALUE, SECONDS, PlainText, UtcTime

METADATA: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

PREPARED_REVISION: Final = Table(
    "prepared_revision",
    METADATA,
    Column("key", DIGEST, primary_key=True),
    Column("namespace", PlainText, nullable=False),
    Column("harness", PlainText, nullable=False),
    Column("agent_template", PlainText, nullable=False),
    Column("revision", PlainText, nullable=False),
    Column("target", PlainText, nullable=False),
    Column("labels", JSON_VALUE, nullable=False),
)
"""What living instances were created from, by `revision_key`; it goes with the last of them."""

PREPARED_MEMBER: Final = Table(
    "prepared_member",
    METADATA,
    Column("revision_key", ForeignKey("prepared_revision.key", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("path", PlainText, nullable=False),
    Column("actor_template", PlainText, nullable=False),
    Column("spec_digest", PlainText, nullable=False),
    Column("manifest", LargeBinary, nullable=False),
    Column("egress", JSON_VALUE),
)
"""One runtime boundary of a revision; `place` is its place among them."""

INSTANCE: Final = Table(
    "instance",
    METADATA,
    Column("id", PlainText, primary_key=True),
    Column("namespace", PlainText, nullable=False),
    Column("creator", PlainText, nullable=False),
    Column("request_id", PlainText, nullable=False),
    Column("request_key", DIGEST, nullable=False, unique=True),
    Column("harness", PlainText, nullable=False),
    Column("agent_template", PlainText, nullable=False),
    Column("revision", PlainText, nullable=False),
    Column(
        "revision_key",
        ForeignKey("prepared_revision.key", deferrable=True, initially="DEFERRED"),
    ),
    Column("labels", JSON_VALUE, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("operation", SmallInteger),
    Column("claim", COUNT, nullable=False),
    Column("issued", Boolean, nullable=False),
    Column("failure", JSON_VALUE),
    Column("members", JSON_VALUE, nullable=False),
    Column("holder", PlainText),
    Column("held_until", SECONDS),
    Column("version", COUNT, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)
"""Instances, also those that are deleted: these have no `revision_key` any more.

`held_until` is when a hold ends or ended, or since when an operation has been without one.
"""

Index(
    "ix_instance_revision_key",
    INSTANCE.c.revision_key,
    sqlite_where=INSTANCE.c.revision_key.is_not(None),
    postgresql_where=INSTANCE.c.revision_key.is_not(None),
)
Index(
    "ix_instance_held_until",
    INSTANCE.c.held_until,
    sqlite_where=text("operation IS NOT NULL"),
    postgresql_where=text("operation IS NOT NULL"),
)

LISTING: Final = Table(
    "listing",
    METADATA,
    Column("key", DIGEST, primary_key=True),
    Column("instance", PlainText, primary_key=True),
    sqlite_with_rowid=False,
)
"""In which lists an instance is that is not deleted, by `listing_key`: a page is a range of the key."""

SHARE: Final = Table(
    "share",
    METADATA,
    Column("id", PlainText, primary_key=True),
    Column("namespace", PlainText, nullable=False),
    Column("instance", ForeignKey("instance.id", ondelete="CASCADE"), nullable=False),
    Column("creator", PlainText, nullable=False),
    Column("permission", SmallInteger, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("digest", DIGEST, nullable=False, unique=True),
)
"""Shares of instances that are not deleted."""

Index("ix_share_instance", SHARE.c.instance, SHARE.c.id)
