"""The cluster part as a whole: watchers that fill the view, and a thread that writes when it leads."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kagent_apply.cluster.api import ApiError
from kagent_apply.cluster.collector import Collector, Deletion
from kagent_apply.cluster.committed import CommitUnreadableError
from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.leadership import Alone
from kagent_apply.cluster.publisher import Publisher
from kagent_apply.cluster.resources import WATCHED
from kagent_apply.cluster.view import ALL, Scope
from kagent_apply.cluster.watcher import Rhythm, Watcher

if TYPE_CHECKING:
    from kagent_apply.cluster.api import Api
    from kagent_apply.cluster.collector import Templates
    from kagent_apply.cluster.committed import Committed, ReadCommitted
    from kagent_apply.cluster.event import Tell
    from kagent_apply.cluster.leadership import Leadership
    from kagent_apply.cluster.view import ClusterView
    from kagent_apply.revisions.port import Revisions
    from kagent_apply.store.port import Store


@dataclass(frozen=True, slots=True)
class Conduct:
    """What the part does: where it watches, how often it looks, and what it writes.

    Without `everywhere`, the namespaces of the pairs are watched, and those in `Deletion.owned`. `interval`
    are seconds between rounds where nothing changes, `pause` those between any two.
    """

    everywhere: bool = False
    publishes: bool = True
    deletion: Deletion | None = field(default_factory=Deletion)
    interval: float = 10.0
    pause: float = 0.5
    rhythm: Rhythm = field(default_factory=Rhythm)

    @property
    def writes(self) -> bool:
        """Whether anything is written; without that, no commit has to be read."""
        return self.publishes or self.deletion is not None


class ClusterPart:
    """Runs from `start` to `close`; whatever fails is told, and tried again in the next round."""

    def __init__(
        self,
        api: Api,
        view: ClusterView,
        revisions: Revisions,
        store: Store,
        read_committed: ReadCommitted,
        tell: Tell,
        conduct: Conduct,
        *,
        leadership: Leadership | None = None,
        templates: Templates | None = None,
    ) -> None:
        self._api = api
        self._view = view
        self._revisions = revisions
        self._read_committed = read_committed
        self._tell = tell
        self._conduct = conduct
        self._leadership = leadership or Alone()
        self._publisher = Publisher(api, view, tell)
        deletion = conduct.deletion or Deletion()
        self._collector = Collector(api, view, revisions, store, tell, deletion, templates)
        self._watchers: dict[Scope, Watcher] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        self._problem = ""

    def start(self) -> None:
        """Begin to watch and to write."""
        self._watch()
        self._thread.start()

    def close(self, seconds: float) -> bool:
        """End every thread and give up leading; False where that takes longer, and goes on by itself."""
        self._stopping.set()
        self._view.wake()
        # A server that takes requests and never answers holds each thread for as long as a request lasts.
        ending = threading.Thread(target=self._end, name="cluster end", daemon=True)
        ending.start()
        ending.join(seconds)
        return not ending.is_alive()

    def look(self) -> None:
        """Have the next round come at once, for what the view cannot know of: another commit."""
        self._view.wake()

    def _end(self) -> None:
        if self._thread.is_alive():
            self._thread.join()  # the last that might begin another watch
        watchers = list(self._watchers.values())
        for watcher in watchers:
            watcher.stop()
        for watcher in watchers:
            watcher.join()
        with suppress(ApiError):
            self._leadership.release()

    def _run(self) -> None:
        seen = -1
        while not self._stopping.is_set():
            seen = self._view.wait(seen, self._conduct.interval)
            if not self._stopping.is_set():
                self._round()
            self._stopping.wait(self._conduct.pause)

    def _round(self) -> None:
        try:
            self._watch()
            if self._leadership.acquire():
                self._write()
            self._problem = ""
        except (ApiError, CommitUnreadableError) as error:
            self._failed(str(error))
        except Exception as error:  # a round that fails must not be the last one
            self._failed(f"a round ended with `{type(error).__name__}`")

    def _write(self) -> None:
        if not self._conduct.writes:
            return
        committed = self._read_committed()
        if self._conduct.publishes:
            self._publish(committed)
        if self._conduct.deletion is not None:
            self._collector.collect(committed, time.monotonic(), self._may_write)

    def _publish(self, committed: Committed) -> None:
        statuses = {found.agent: found for found in self._revisions.pairs()}
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._publisher.publish(committed, statuses, now, self._may_write)

    def _may_write(self) -> bool:
        return not self._stopping.is_set() and self._leadership.is_held()

    def _failed(self, problem: str) -> None:
        if self._conduct.deletion is not None:
            self._collector.hold(problem)
        if problem != self._problem:
            self._problem = problem
            self._tell(ClusterEvent(EventKind.FAILED, problem))

    def _watch(self) -> None:
        """Watch what is not watched yet; a namespace that was, stays, for what has to be deleted there."""
        for namespace in self._namespaces():
            for resource in WATCHED:
                scope = Scope(resource, namespace)
                if scope not in self._watchers and not self._stopping.is_set():
                    watcher = Watcher(self._api, scope, self._view, self._tell, self._conduct.rhythm)
                    self._watchers[scope] = watcher
                    watcher.start()

    def _namespaces(self) -> set[str]:
        if self._conduct.everywhere:
            return {ALL}
        owned = self._conduct.deletion.owned if self._conduct.deletion else frozenset()
        return {found.agent.namespace for found in self._revisions.pairs()} | owned
