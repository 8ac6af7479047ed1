"""What is measured of `kagent-apply`."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench import callers, one_row_server
from bench.alternation import alternate
from bench.instance_service import one_row_server as serve_one_row
from bench.instance_service import served
from bench.measured import Measured, Size, against
from tests import postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator

CREATE_BUDGET = 4.0
"""A quarter of the rate."""


def create(_: Path, size: Size) -> Iterator[Measured]:
    """Creating instances, where files are on a disk, as calls to a server in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        yield _create("SQLite", Path(folder), "", f"sqlite:///{folder}/rows.sqlite", size)
    with tempfile.TemporaryDirectory() as folder, postgresql.running(fsync=True) as server:
        yield _create("PostgreSQL", Path(folder), server.fresh_database(), server.fresh_database(), size)


def _create(database: str, folder: Path, ours: str, other: str, size: Size) -> Measured:
    flags = ("--store", ours) if ours else ()
    with served(folder, *flags) as server, serve_one_row(other) as rows:
        ratio = alternate(
            partial(callers.seconds, server.address, callers.CREATE, size.templates),
            partial(callers.seconds, rows, one_row_server.METHOD, size.templates),
            size.rounds,
        )
    what = f"{size.templates:,} CreateAgentInstance, {callers.CLIENTS} clients, {database}"
    return against(what, ratio, CREATE_BUDGET, "an empty call that commits a row")
