"""A watch takes whatever a server sends: what it cannot read ends the watch, and never the watcher."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from kagent_apply.cluster.api import ApiError, Reply, Stream
from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.resources import HARNESSES, WORKER_POOLS
from kagent_apply.cluster.view import ClusterView, Scope, Sync
from kagent_apply.cluster.watcher import Rhythm, Watcher
from tests.apply.cluster.lasting_server import eventually

QUICK = Rhythm(watch=60.0, absent=0.01, first_wait=0.001, longest_wait=0.01)


class _Script:
    """Lines that are sent, after which the stream stays open until it is closed."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._closed = threading.Event()

    def lines(self) -> Iterator[bytes]:
        yield from self._lines
        self._closed.wait(30.0)

    def close(self) -> None:
        self._closed.set()


class ScriptedApi:
    """Answers lists and watches in turn; the last answer of each stays."""

    def __init__(self, lists: list[Reply], watches: list[list[bytes] | Reply]) -> None:
        self._lists = lists
        self._watches = watches
        self.listed: list[Mapping[str, str]] = []
        self.watched: list[Mapping[str, str]] = []

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Reply:
        self.listed.append({**query, "path": path})
        return self._lists.pop(0) if len(self._lists) > 1 else self._lists[0]

    def stream(self, path: str, query: Mapping[str, str], seconds: float) -> Stream | Reply:
        self.watched.append(query)
        answer = self._watches.pop(0) if len(self._watches) > 1 else self._watches[0]
        return answer if isinstance(answer, Reply) else _Script(answer)

    def close(self) -> None:
        """Nothing to let go of."""


def _pool(name: str, version: str = "5") -> dict[str, Any]:
    return {"metadata": {"namespace": "n", "name": name, "uid": f"u-{name}", "resourceVersion": version}}


def _list(*items: Any, version: Any = "5", **metadata: Any) -> Reply:
    return Reply(200, {"items": list(items), "metadata": {"resourceVersion": version, **metadata}})


def _line(kind: Any, value: Any) -> bytes:
    return json.dumps({"type": kind, "object": value}).encode()


class Watched:
    """A watcher of pools at a scripted server."""

    def __init__(self, api: ScriptedApi) -> None:
        self.api = api
        self.view = ClusterView()
        self.events: list[ClusterEvent] = []
        self.watcher = Watcher(api, Scope(WORKER_POOLS, "n"), self.view, self.events.append, QUICK)

    def has(self, name: str) -> bool:
        return self.view.has_worker_pool("n", name) is True

    def __enter__(self) -> Watched:
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.watcher.stop()
        assert self.watcher.join(5.0)


@pytest.mark.parametrize(
    "line",
    [
        b"not JSON",
        b"\xff\xfe",
        b"[" * 100_000,
        _line("ERROR", {"code": 500}),
        _line("ERROR", {"code": 410}),
        _line("ERROR", "nonsense"),
        _line("ERROR", {"code": "410"}),
    ],
)
def test_a_line_that_ends_the_watch_ends_no_watcher(line: bytes) -> None:
    api = ScriptedApi([_list(_pool("a"))], [[line], [_line("ADDED", _pool("b", "6"))]])
    with Watched(api) as watched:
        eventually(lambda: watched.has("b"))
        assert watched.has("a")


@pytest.mark.parametrize(
    "line",
    [
        b"5",
        b"null",
        b"[]",
        b"{}",
        _line("SURPRISE", _pool("x", "6")),
        _line(5, _pool("x", "6")),
        _line("ADDED", None),
        _line("ADDED", {"metadata": {"name": "x"}}),
        _line("BOOKMARK", _pool("x", "6")),
        _line("DELETED", _pool("x", "6")),
    ],
)
def test_a_line_that_says_nothing_changes_nothing(line: bytes) -> None:
    api = ScriptedApi([_list(_pool("a"))], [[line, _line("ADDED", _pool("b", "7"))]])
    with Watched(api) as watched:
        eventually(lambda: watched.has("b"))
        assert watched.has("a")
        assert not watched.has("x")
        assert len(api.watched) == 1


def test_a_deletion_of_an_earlier_object_leaves_the_one_that_took_its_name() -> None:
    earlier = {"metadata": {**_pool("a")["metadata"], "uid": "before"}}
    api = ScriptedApi([_list(_pool("a"))], [[_line("DELETED", earlier), _line("ADDED", _pool("b", "7"))]])
    with Watched(api) as watched:
        eventually(lambda: watched.has("b"))
        assert watched.has("a")


def test_an_older_state_of_an_object_takes_no_newer_one_s_place() -> None:
    def labelled(version: str, name: str) -> dict[str, Any]:
        value = _pool("a", version)
        value["metadata"]["labels"] = {"kagent.dev/worker-pool": name}
        return value

    lines = [_line("MODIFIED", labelled("9", "new")), _line("MODIFIED", labelled("8", "old"))]
    api = ScriptedApi([_list()], [[*lines, _line("ADDED", _pool("b", "10"))]])
    with Watched(api) as watched:
        eventually(lambda: watched.has("b"))
        assert watched.has("new")
        assert not watched.has("old")


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_a_list_that_is_refused_is_told_once_and_tried_again(status: int) -> None:
    refused = Reply(status, {"message": "secret text of the server"})
    api = ScriptedApi([refused, refused, refused, _list(_pool("a"))], [[]])
    with Watched(api) as watched:
        eventually(lambda: watched.has("a"))
        eventually(lambda: watched.view.is_complete(WORKER_POOLS))
    assert [found.kind for found in watched.events] == [EventKind.WATCH_FAILED, EventKind.SYNCED]
    assert watched.events[0].message == f"the API server answered with status {status}"


def test_a_watch_that_has_expired_lists_anew() -> None:
    api = ScriptedApi([_list(_pool("a")), _list(_pool("b"), version="9")], [Reply(410), []])
    with Watched(api) as watched:
        eventually(lambda: watched.has("b"))
        assert not watched.has("a")
    assert api.watched[-1]["resourceVersion"] == "9"


def test_a_list_that_expires_between_two_pages_begins_anew() -> None:
    first = _list(_pool("a"), **{"continue": "token"})
    api = ScriptedApi([first, Reply(410), first, _list(_pool("b"))], [[]])
    with Watched(api) as watched:
        eventually(lambda: watched.has("a") and watched.has("b"))
    assert [query.get("continue", "") for query in api.listed] == ["", "token", "", "token"]


def test_a_view_is_not_complete_before_the_last_page() -> None:
    endless = ScriptedApi([_list(_pool("a"), **{"continue": "more"})], [[]])
    with Watched(endless) as watched:
        eventually(lambda: len(endless.listed) > 20)
        assert watched.view.state(WORKER_POOLS, "n").sync is Sync.PENDING
        assert not watched.has("a")


def test_more_objects_than_are_kept_are_no_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kagent_apply.cluster.watcher._MOST", 10)
    page = _list(*(_pool(f"p{number}") for number in range(6)), **{"continue": "more"})
    with Watched(ScriptedApi([page], [[]])) as watched:
        eventually(lambda: bool(watched.events))
        assert watched.events[0].message == "there are more than 10 objects"
        assert not watched.view.is_complete(WORKER_POOLS)


@pytest.mark.parametrize("items", [None, {}, "x", [None, 5, "x", []], [{"metadata": 5}]])
def test_a_list_of_another_shape_has_no_objects(items: Any) -> None:
    reply = Reply(200, {"items": items, "metadata": {"resourceVersion": "5"}})
    with Watched(ScriptedApi([reply], [[]])) as watched:
        eventually(lambda: watched.view.is_complete(WORKER_POOLS))
        assert watched.view.has_worker_pool("n", "a") is False


def test_the_first_version_that_is_served_is_watched() -> None:
    api = ScriptedApi([Reply(404), _list()], [[]])
    view = ClusterView()
    watcher = Watcher(api, Scope(HARNESSES, "n"), view, lambda _: None, QUICK)
    watcher.start()
    eventually(lambda: view.is_complete(HARNESSES))
    watcher.stop()
    assert watcher.join(5.0)
    assert view.state(HARNESSES, "n").version == "v1alpha2"
    assert [query["path"] for query in api.listed] == [
        "/apis/kagent.dev/v1alpha3/namespaces/n/harnesses",
        "/apis/kagent.dev/v1alpha2/namespaces/n/harnesses",
    ]


def test_a_watch_that_ends_at_once_is_not_begun_in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    watcher = Watcher(
        ScriptedApi([_list()], [Reply(200)]), Scope(WORKER_POOLS, "n"), ClusterView(), lambda _: None, QUICK
    )
    monkeypatch.setattr(_Script, "lines", lambda _: iter(()))
    monkeypatch.setattr(ScriptedApi, "stream", lambda *_: _Script([]))
    waits += [watcher._go_on() for _ in range(5)]
    assert all(wait > 0 for wait in waits)


def test_an_error_of_the_connection_is_told_once() -> None:
    class Broken(ScriptedApi):
        def request(self, *_: object, **__: object) -> Reply:
            self.listed.append({})
            raise ApiError("the API server does not answer: `MaxRetryError`")

    api = Broken([], [])
    with Watched(api) as watched:
        eventually(lambda: len(api.listed) > 3)
    assert [found.kind for found in watched.events] == [EventKind.WATCH_FAILED]
