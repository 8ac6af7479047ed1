"""PostgreSQL goes away at any time: nothing that was promised is lost, and what comes after works again."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import psycopg
import pytest

from kagent_apply.instances.instance import Instance
from kagent_apply.instances.states import State
from kagent_apply.store.opening import open_store
from kagent_apply.store.port import Store, StoreError
from tests import postgresql
from tests.apply.store.values import HOLD, instance, name, ready, reserved, revision, share, stand
from tests.postgresql import PostgreSQL

pytestmark = pytest.mark.server


@contextmanager
def losing_replies(port: int, armed: threading.Event) -> Iterator[int]:
    """A port that leads to another; while `armed`, a COMMIT goes there and is done, and nobody is told."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[threading.Thread] = []

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", port))
            connections.append(threading.Thread(target=_forward, args=(client, server, armed)))
            connections[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in (accepting, *connections):
            thread.join()


def _forward(client: socket.socket, server: socket.socket, armed: threading.Event) -> None:
    with client, server:
        while True:
            for source in select.select([client, server], [], [])[0]:
                data = source.recv(1 << 16)
                if not data:
                    return
                (server if source is client else client).sendall(data)
                if source is client and armed.is_set() and b"\x0bCOMMIT\0" in data:
                    server.recv(1 << 16)
                    return


def test_a_reply_that_is_lost_with_a_commit_is_told_and_the_next_call_finds_the_change(
    postgresql_server: PostgreSQL,
) -> None:
    url, armed = postgresql_server.fresh_database(), threading.Event()
    own = postgresql_server.port
    with (
        losing_replies(own, armed) as port,
        closing(open_store(url.replace(f":{own}/", f":{port}/"))) as store,
    ):
        found, new = ready(store), instance()
        armed.set()
        with pytest.raises(StoreError, match="did not say what became of the change"):
            store.reserve(new, revision(), HOLD)
        with pytest.raises(StoreError, match="did not say what became of the change"):
            store.add_share(share(found, b"1"))
        armed.clear()
        assert store.instance(name(new)) is not None
        assert not store.reserve(new, revision(), HOLD)
        assert store.share(b"1") is not None


def test_connections_that_the_server_ended_are_replaced(postgresql_server: PostgreSQL) -> None:
    url = postgresql_server.fresh_database()
    store = open_store(url)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.ping(), range(64)))
    database = url.rpartition("/")[2]
    ended = postgresql_server.execute(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
    )
    assert ended
    found = ready(store)
    assert store.instance(name(found)) == found
    store.close()


class Client:
    """Creates one instance after the other, whatever happens to the database, and remembers the promises."""

    def __init__(self, store: Store, stop: threading.Event) -> None:
        self.store = store
        self.stop = stop
        self.promised: list[Instance] = []
        self.refused = 0

    def work(self) -> None:
        """Go on until told to stop."""
        while not self.stop.is_set():
            try:
                self.promised.append(ready(self.store))
            except StoreError:
                self.refused += 1
                self.stop.wait(0.01)


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that other threads do."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_server_that_is_killed_under_load_has_kept_what_it_promised() -> None:
    stop = threading.Event()
    with postgresql.running(fsync=True) as server, ThreadPoolExecutor(8) as pool:
        store = open_store(server.fresh_database())
        clients = [Client(store, stop) for _ in range(8)]
        try:
            working = [pool.submit(client.work) for client in clients]
            until(lambda: all(len(client.promised) >= 10 for client in clients))
            server.kill()
            until(lambda: all(client.refused for client in clients))
            server.start()
            before = [len(client.promised) for client in clients]
            until(lambda: all(len(one.promised) > n for one, n in zip(clients, before, strict=True)))
        finally:
            stop.set()
        for done in working:
            done.result()
        promised = [one for client in clients for one in client.promised]
        assert [store.instance(name(one)) for one in promised] == promised
        store.close()


def test_a_server_that_is_frozen_holds_up_nobody_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its machine acknowledges all that it is sent, so that neither TCP nor the server's own limits help."""
    monkeypatch.setattr("kagent_apply.store.postgresql._ANSWER", 1.0)
    with (
        postgresql.running() as server,
        closing(open_store(server.fresh_database() + "?connect_timeout=2")) as store,
        ThreadPoolExecutor(24) as pool,
    ):
        found = ready(store)
        list(pool.map(lambda _: store.ping(), range(64)))  # so that there are connections
        calls: list[Callable[[], object]] = [
            store.ping,
            lambda: store.instance(name(found)),
            lambda: store.replace(found, stand(found, State.READY), None),
            lambda: store.reserve(instance(), revision(), HOLD),
        ]
        server.freeze()
        began = time.monotonic()
        try:
            given = [done.exception() for done in [pool.submit(calls[n % 4]) for n in range(24)]]
        finally:
            server.thaw()
        assert {type(error) for error in given} == {StoreError}
        assert time.monotonic() - began < 3 * (1 + 2 + 10)  # an answer, a connection, a place in the pool
        until(lambda: _answers(store))
        now = store.instance(name(found))
        assert now is not None
        assert store.replace(now, stand(now, State.SUSPENDED), None) is not None


def _answers(store: Store) -> bool:
    try:
        store.ping()
    except StoreError:
        return False
    return True


def test_what_the_server_is_asked_is_bounded_in_time(postgresql_server: PostgreSQL) -> None:
    url = postgresql_server.fresh_database()
    store = open_store(url + "?application_name=bounded&options=-c%20lock_timeout%3D50ms")
    found = reserved(store)
    with psycopg.connect(url) as other:
        other.execute("SELECT 1 FROM instance FOR UPDATE")
        with pytest.raises(StoreError):
            store.replace(found, stand(found, State.READY), None)
        rows = other.execute("SELECT 1 FROM pg_stat_activity WHERE application_name = 'bounded'").fetchall()
        assert rows
    assert store.replace(found, stand(found, State.READY), None) is not None
    store.close()
