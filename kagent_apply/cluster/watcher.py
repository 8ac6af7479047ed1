"""Keeps one resource of a ClusterView as the cluster has it: lists it once, then watches what changes."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.cluster.api import ApiError, Reply
from kagent_apply.cluster.backoff import Backoff
from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.live import read_live
from kagent_apply.cluster.view import ALL, ScopeState, Sync

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_apply.cluster.api import Api, Stream
    from kagent_apply.cluster.event import Tell
    from kagent_apply.cluster.live import Live
    from kagent_apply.cluster.view import ClusterView, Scope

_PAGE: Final = 200
_MOST: Final = 200_000
"""Objects of one scope; beyond, what is seen would not fit, and nobody could say that it is all."""

_BRIEF: Final = 1.0
"""Seconds of a watch that ended too soon to begin the next at once."""

_GONE: Final = 410
_NOT_FOUND: Final = 404


class _ExpiredError(Exception):
    """The server does not know any more what came after a version: everything has to be listed again."""


class _AbsentError(Exception):
    """The cluster does not serve the resource in any version that is known here."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How long, in seconds: a watch, waits after failures, and the longest one for an absent resource."""

    watch: float = 120.0
    absent: float = 60.0
    first_wait: float = 0.5
    longest_wait: float = 30.0


@dataclass(slots=True)
class _Position:
    """Where the watch goes on: the version that the resource is served in, and the last change seen."""

    version: str = ""
    resource_version: str = ""


class Watcher:
    """Watches one scope in a thread of its own, from `start` to `stop`."""

    def __init__(self, api: Api, scope: Scope, view: ClusterView, tell: Tell, rhythm: Rhythm) -> None:
        self._api = api
        self._scope = scope
        self._view = view
        self._tell = tell
        self._rhythm = rhythm
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._stream: Stream | None = None
        self._position = _Position()
        self._backoff = Backoff(rhythm.first_wait, rhythm.longest_wait)
        self._absence = Backoff(rhythm.first_wait, rhythm.absent)
        self._thread = threading.Thread(target=self._run, name=f"watch {scope.resource}", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end, and wake it where it waits for the server."""
        self._stopping.set()
        with self._lock:
            stream = self._stream
        if stream is not None:
            stream.close()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread; whether it ended."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._stopping.wait(self._go_on())

    def _go_on(self) -> float:
        """List or watch until something ends it; how many seconds to wait then."""
        try:
            if not self._position.resource_version:
                self._list()
            began = time.monotonic()
            self._watch()
            return self._backoff.next() if time.monotonic() - began < _BRIEF else 0.0
        except _AbsentError:
            self._position = _Position()
            return self._absent()
        except _ExpiredError:
            self._position = _Position()
            return self._backoff.next()
        except ApiError as error:
            return self._failed(str(error))

    def _failed(self, problem: str) -> float:
        if self._stopping.is_set():
            return 0.0
        before = self._view.state(self._scope.resource, self._scope.namespace)
        self._view.stale(self._scope, problem)
        if before.problem != problem:
            self._event(EventKind.WATCH_FAILED, problem)
        return self._backoff.next()

    def _absent(self) -> float:
        if self._view.state(self._scope.resource, self._scope.namespace).sync is not Sync.ABSENT:
            self._event(EventKind.ABSENT, f"the cluster does not serve `{self._scope.resource}`")
        self._view.tell(self._scope, ScopeState(Sync.ABSENT))
        return self._absence.next()  # a server that starts has no definitions at first

    def _list(self) -> None:
        for version in self._scope.resource.versions:
            listed = self._list_version(version)
            if listed is not None:
                objects, resource_version = listed
                self._absence.reset()
                self._view.replace(self._scope, objects)
                self._position = _Position(version, resource_version)
                return
        raise _AbsentError

    def _list_version(self, version: str) -> tuple[list[Live], str] | None:
        """Every object in one version, and as of when; None where it is not served."""
        objects: list[Live] = []
        token = ""
        while True:
            reply = self._page(version, token)
            if reply.status == _NOT_FOUND:
                return None
            _raise_for(reply)
            objects += self._read_items(reply.value)
            metadata = _mapping(reply.value.get("metadata"))
            token = str(metadata.get("continue") or "")
            if not token:
                return objects, str(metadata.get("resourceVersion") or "0")
            if len(objects) > _MOST:
                raise ApiError(f"there are more than {_MOST} objects")

    def _page(self, version: str, token: str) -> Reply:
        query = {"limit": str(_PAGE), **({"continue": token} if token else {})}
        path = self._scope.resource.collection(version, self._scope.namespace)
        if self._stopping.is_set():
            raise ApiError("the service ends")
        return self._api.request("GET", path, query)

    def _read_items(self, value: Mapping[str, Any]) -> Iterator[Live]:
        """The objects of a page; a list leaves out of its items what it says itself."""
        items = value.get("items")
        kind = {"apiVersion": value.get("apiVersion"), "kind": self._scope.resource.kind}
        for item in items if isinstance(items, list) else ():
            live = read_live(self._scope.resource, {**kind, **item}) if isinstance(item, dict) else None
            if live is not None:
                yield live

    def _watch(self) -> None:
        position = self._position
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": position.resource_version,
            "timeoutSeconds": str(max(1, round(self._rhythm.watch))),
        }
        path = self._scope.resource.collection(position.version, self._scope.namespace)
        stream = self._api.stream(path, query, self._rhythm.watch + 15.0)
        if isinstance(stream, Reply):
            self._refused(stream)
            return
        with self._lock:
            self._stream = stream
        try:
            if not self._stopping.is_set():
                self._watched()
                for line in stream.lines():
                    self._take(line)
        finally:
            stream.close()
            with self._lock:
                self._stream = None

    def _refused(self, reply: Reply) -> None:
        if reply.status == _NOT_FOUND:  # the definition is gone since the list
            raise _ExpiredError
        _raise_for(reply)
        raise ApiError(f"the API server answered a watch with status {reply.status}")

    def _watched(self) -> None:
        before = self._view.state(self._scope.resource, self._scope.namespace)
        self._view.tell(self._scope, ScopeState(Sync.WATCHED, self._position.version))
        if before.sync is not Sync.WATCHED:
            self._event(
                EventKind.SYNCED, f"`{self._scope.resource}` is watched as `{self._position.version}`"
            )

    def _take(self, line: bytes) -> None:
        """One change; a line that says nothing known changes nothing."""
        change = _decode(line)
        kind, value = change.get("type"), _mapping(change.get("object"))
        if kind == "ERROR":
            _raise_for(Reply(_code(value), value))
            raise ApiError("the watch ended with an error")
        live = None if kind == "BOOKMARK" else read_live(self._scope.resource, value)
        if live is not None and kind in ("ADDED", "MODIFIED"):
            self._view.put(self._scope, live)
        elif live is not None and kind == "DELETED":
            self._view.remove(self._scope, live)
        version = _mapping(value.get("metadata")).get("resourceVersion")
        if isinstance(version, str) and version:
            self._position.resource_version = version
        self._backoff.reset()

    def _event(self, kind: EventKind, message: str) -> None:
        self._tell(ClusterEvent(kind, message, str(self._scope.resource), self._scope.namespace or ALL))


def _raise_for(reply: Reply) -> None:
    """Raise what a refusal means; its text is not told, since it may quote what was stored."""
    if not reply.refused:
        return
    if reply.status == _GONE:
        raise _ExpiredError
    raise ApiError(f"the API server answered with status {reply.status}")


def _decode(line: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise ApiError("a change is not JSON") from None
    return _mapping(value)


def _code(value: Mapping[str, Any]) -> int:
    code = value.get("code")
    return code if isinstance(code, int) and code >= 300 else 500


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
