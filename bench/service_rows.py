"""What is measured of `kagent-apply`."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench import callers, one_row_server
from bench import lives as service_lives
from bench import pages as instance_pages
from bench.alternation import alternate
from bench.instance_service import one_row_server as serve_one_row
from bench.instance_service import served
from bench.measured import Measured, Size, against
from tests import postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator

CREATE_BUDGET = 4.0
"""A quarter of the rate."""

FLAT_BUDGET = 1.1
FILES_BUDGET = 1.5
"""Connections to the store are opened as they are needed, sixteen at most; what leaked would be thousands."""


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


def lives(folder: Path, size: Size) -> Iterator[Measured]:
    """What a server holds after some instances lived and were deleted, and after ten times as many."""
    first = 2 * size.templates
    with served(folder) as server:
        service_lives.live(server.address, first)
        before = service_lives.held(server)
        service_lives.live(server.address, 9 * first)
        after = service_lives.held(server)
    for what, ours, other, budget in (
        ("memory", after.memory, before.memory, FLAT_BUDGET),
        ("open files", after.handles, before.handles, FILES_BUDGET),
        ("files of its state", after.files, before.files, FLAT_BUDGET),
    ):
        yield Measured(
            f"{what}, {10 * first:,} lives through the service",
            ours / other,
            budget,
            f"after {first:,}, {other:,}",
        )


def pages(_: Path, size: Size) -> Iterator[Measured]:
    """Pages of lists through the service, among many instances and among few."""
    with tempfile.TemporaryDirectory() as folder:
        urls = (f"sqlite:///{folder}/many.sqlite", f"sqlite:///{folder}/few.sqlite")
        yield from _pages("SQLite", Path(folder), urls, size)
    with tempfile.TemporaryDirectory() as folder, postgresql.running() as server:
        urls = (server.fresh_database(), server.fresh_database())
        yield from _pages("PostgreSQL", Path(folder), urls, size)


def _pages(database: str, folder: Path, urls: tuple[str, str], size: Size) -> Iterator[Measured]:
    counts = (10 * size.factor * size.templates, size.templates)
    ids = [
        instance_pages.fill(url, max(count, 4 * instance_pages.LIMIT))
        for url, count in zip(urls, counts, strict=True)
    ]
    with (
        served(folder / "many", "--store", urls[0]) as many,
        served(folder / "few", "--store", urls[1]) as few,
    ):
        for what, labels in (("", {}), (", by labels", instance_pages.LABELS)):
            other = instance_pages.pages(few.address, "", labels)
            for name, token in instance_pages.after(ids[0]).items():
                ratio = alternate(instance_pages.pages(many.address, token, labels), other, 3 * size.rounds)
                line = f"{name} page of {counts[0]:,}{what}, {database}"
                yield against(line, ratio, instance_pages.BUDGET, f"the first of {counts[1]:,}")
