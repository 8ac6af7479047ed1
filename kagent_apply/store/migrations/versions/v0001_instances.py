"""Instances, the lists that they are in, their shares, and the revisions that they need."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0001"
down_revision: Final = None
branch_labels: Final = None
depends_on: Final = None

_TEXT: Final = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_DIGEST: Final = sa.LargeBinary()
_JSON: Final = sa.JSON(none_as_null=True)
_TIME: Final = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    _prepared_revisions()
    _instances()
    _listing()
    _shares()


def _prepared_revisions() -> None:
    op.create_table(
        "prepared_revision",
        sa.Column("key", _DIGEST, nullable=False),
        sa.Column("namespace", _TEXT, nullable=False),
        sa.Column("harness", _TEXT, nullable=False),
        sa.Column("agent_template", _TEXT, nullable=False),
        sa.Column("revision", _TEXT, nullable=False),
        sa.Column("target", _TEXT, nullable=False),
        sa.Column("labels", _JSON, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_prepared_revision"),
    )
    op.create_table(
        "prepared_member",
        sa.Column("revision_key", _DIGEST, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("path", _TEXT, nullable=False),
        sa.Column("actor_template", _TEXT, nullable=False),
        sa.Column("spec_digest", _TEXT, nullable=False),
        sa.Column("manifest", sa.LargeBinary(), nullable=False),
        sa.Column("egress", _JSON),
        sa.PrimaryKeyConstraint("revision_key", "place", name="pk_prepared_member"),
        sa.ForeignKeyConstraint(
            ["revision_key"],
            ["prepared_revision.key"],
            name="fk_prepared_member_revision_key",
            ondelete="CASCADE",
        ),
    )


def _instances() -> None:
    op.create_table(
        "instance",
        sa.Column("id", _TEXT, nullable=False),
        sa.Column("namespace", _TEXT, nullable=False),
        sa.Column("creator", _TEXT, nullable=False),
        sa.Column("request_id", _TEXT, nullable=False),
        sa.Column("request_key", _DIGEST, nullable=False),
        sa.Column("harness", _TEXT, nullable=False),
        sa.Column("agent_template", _TEXT, nullable=False),
        sa.Column("revision", _TEXT, nullable=False),
        sa.Column("revision_key", _DIGEST),
        sa.Column("labels", _JSON, nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("operation", sa.SmallInteger()),
        sa.Column("claim", sa.BigInteger(), nullable=False),
        sa.Column("issued", sa.Boolean(), nullable=False),
        sa.Column("failure", _JSON),
        sa.Column("members", _JSON, nullable=False),
        sa.Column("holder", _TEXT),
        sa.Column("held_until", sa.Double()),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("updated_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_instance"),
        sa.UniqueConstraint("request_key", name="uq_instance_request_key"),
        sa.ForeignKeyConstraint(
            ["revision_key"],
            ["prepared_revision.key"],
            name="fk_instance_revision_key",
            deferrable=True,
            initially="DEFERRED",
        ),
    )
    _partial_index("revision_key", "revision_key IS NOT NULL")
    _partial_index("held_until", "operation IS NOT NULL")


def _partial_index(column: str, condition: str) -> None:
    where = sa.text(condition)
    op.create_index(f"ix_instance_{column}", "instance", [column], sqlite_where=where, postgresql_where=where)


def _listing() -> None:
    op.create_table(
        "listing",
        sa.Column("key", _DIGEST, nullable=False),
        sa.Column("instance", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("key", "instance", name="pk_listing"),
        sqlite_with_rowid=False,
    )


def _shares() -> None:
    op.create_table(
        "share",
        sa.Column("id", _TEXT, nullable=False),
        sa.Column("namespace", _TEXT, nullable=False),
        sa.Column("instance", _TEXT, nullable=False),
        sa.Column("creator", _TEXT, nullable=False),
        sa.Column("permission", sa.SmallInteger(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("digest", _DIGEST, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_share"),
        sa.UniqueConstraint("digest", name="uq_share_digest"),
        sa.ForeignKeyConstraint(["instance"], ["instance.id"], name="fk_share_instance", ondelete="CASCADE"),
    )
    op.create_index("ix_share_instance", "share", ["instance", "id"])
