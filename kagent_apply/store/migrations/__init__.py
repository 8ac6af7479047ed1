"""The tables from one version to the next: `versions` has a module for each step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from kagent_apply.store.failures import StoreUnusableError

if TYPE_CHECKING:
    from sqlalchemy import Connection


def migrate(connection: Connection) -> None:
    """Bring the tables up to date in the open transaction; StoreUnusableError where they are newer."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    steps = ScriptDirectory.from_config(config)
    found = set(MigrationContext.configure(connection).get_current_heads())
    if found - {step.revision for step in steps.walk_revisions()}:
        raise StoreUnusableError(
            "the store was written by a newer version of this program",
            "start that version, or a newer one",
        )
    if found != set(steps.get_heads()):
        command.upgrade(config, "head")
