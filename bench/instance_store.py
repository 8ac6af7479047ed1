"""The store of instances: many callers at once, a page among many, and thousands of lives."""

from __future__ import annotations

import gc
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from sqlalchemy import event

from kagent_apply.instances.instance import Instance, planned_members
from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.instances.requests import AgentName, Page
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.instance_id import new_instance_id
from kagent_apply.store.opening import open_store
from kagent_apply.store.port import Hold
from kagent_apply.store.sql_store import SqlStore
from kagent_apply.store.sqlite import connections, open_sqlite

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.store.database import Work
    from kagent_apply.store.port import Store

T = TypeVar("T")

CALLERS = 16
GROUP_BUDGET = 0.7
PAGE_BUDGET = 1.5
FLAT_BUDGET = 1.1

_AGENT = AgentName("payments", "python", "triage")
REVISION = PreparedRevision(
    _AGENT,
    "sha256:" + "0" * 64,
    "ateapi/v0.4",
    {"team": "payments", "tier": "gold"},
    (PreparedMember("", "triage-python-0", "sha256:1", b"x" * 2000),),
)
_HOLD = Hold("bench", 60.0)


@dataclass(frozen=True)
class OneByOne:
    """What SQLite does by itself: each caller has a connection, waits for its turn, and commits alone."""

    path: Path
    engine_of: threading.local

    def write(self, work: Work[T]) -> T:
        """Commit one change."""
        if not hasattr(self.engine_of, "connection"):
            engine = connections(self.path, "busy_timeout = 60000")
            event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
            self.engine_of.connection = engine.connect()
        with self.engine_of.connection.begin():
            return work(self.engine_of.connection)

    read = write_one = write

    def close(self) -> None:
        """Its threads are gone, and their connections with them."""


def new_instance() -> Instance:
    """An instance about to be created."""
    now = datetime.now(UTC)
    found = new_instance_id(now)
    standing, members = Standing(State.CREATING, Operation.CREATE, 1), planned_members(found, REVISION)
    return Instance(
        found, _AGENT, "ann", found, REVISION.revision, REVISION.labels, standing, members, now, now
    )


def create(store: Store) -> Instance:
    """Reserve an instance, issue its creation and finish it: three transactions."""
    new = new_instance()
    store.reserve(new, REVISION, _HOLD)
    issued = store.replace(new, replace(new, standing=replace(new.standing, issued=True)), _HOLD)
    assert issued is not None
    ready = store.replace(issued, replace(issued, standing=Standing(State.READY, claim=1)), None)
    assert ready is not None
    return ready


def grouped(folder: Path, count: int) -> Callable[[], float]:
    """The seconds in which our store creates so many instances for many callers."""
    return lambda: _seconds(SqlStore(open_sqlite(folder / f"{uuid4()}.db")), count)


def one_by_one(folder: Path, count: int) -> Callable[[], float]:
    """The same with a commit for each transaction."""

    def measure() -> float:
        path = folder / f"{uuid4()}.db"
        open_sqlite(path).close()
        return _seconds(SqlStore(OneByOne(path, threading.local())), count)

    return measure


def _seconds(store: Store, count: int) -> float:
    with closing(store), ThreadPoolExecutor(CALLERS) as pool:
        start = time.perf_counter()
        list(pool.map(lambda _: create(store), range(count)))
        return time.perf_counter() - start


def page_among(folder: Path, count: int) -> Callable[[], float]:
    """The seconds for pages from the middle of so many instances, by two labels that all of them have."""
    store = open_store(f"sqlite:///{folder / f'{count}.db'}")
    with ThreadPoolExecutor(CALLERS) as pool:
        ids = sorted(one.id for one in pool.map(lambda _: create(store), range(count)))
    page = Page(50, ids[count // 2])

    def measure() -> float:
        start = time.perf_counter()
        for _ in range(50):
            store.instances("payments", "ann", REVISION.labels, page)
        return time.perf_counter() - start

    return measure


def growth_of_lives(folder: Path, cycles: int) -> tuple[float, int]:
    """Memory after so many lives over that after a tenth of them before, and how many files more are open."""
    with closing(open_store(f"sqlite:///{folder / 'lives.db'}")) as store:
        _live(store, max(cycles // 10, 1))
        memory, files = _memory(), _open_files()
        _live(store, cycles)
        return _memory() / memory, _open_files() - files


def _live(store: Store, cycles: int) -> None:
    for _ in range(cycles):
        ready = create(store)
        store.replace(ready, replace(ready, standing=Standing(State.DELETED, claim=1)), None)


def _memory() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
