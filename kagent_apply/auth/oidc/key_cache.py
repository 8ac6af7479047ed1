"""Keys that a server publishes: kept, and fetched again when they are old or one is missing."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.auth.oidc.keys import select
from kagent_apply.auth.port import AuthenticationUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kagent_apply.auth.oidc.key_set import VerificationKey
    from kagent_apply.auth.watched_file import Clock, Told


class FetchError(Exception):
    """Keys could not be fetched; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class CacheBounds:
    """In seconds, but for `waiting`.

    Keys are fetched again after `fresh`, and an unknown one is asked for, `pause` after the last attempt or
    later. Without an answer they go on working for `stale`. A call waits `patience` for a key, and no more
    than `waiting` calls at once do, so that unknown keys do not take all threads of the server.
    """

    fresh: float = 600
    pause: float = 10
    stale: float = 24 * 3600
    patience: float = 5
    waiting: int = 4


class KeyCache:
    """The keys that `fetch` gives, in a thread of its own; it raises FetchError."""

    def __init__(
        self,
        fetch: Callable[[], tuple[VerificationKey, ...]],
        told: Told,
        clock: Clock,
        bounds: CacheBounds,
    ) -> None:
        self._fetch = fetch
        self._told = told
        self._clock = clock
        self._bounds = bounds
        self._changed = threading.Condition()
        self._keys: tuple[VerificationKey, ...] = ()
        self._fetched: float | None = None
        self._tried: float | None = None
        self._fetching = False
        self._waiting = 0
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why keys could not be fetched when it was last tried; empty if they could."""
        return self._problem

    def reload(self) -> None:
        """Begin to fetch keys, unless that was tried a moment ago, and do not wait for them."""
        with self._changed:
            self._begin()

    def matching(self, key_id: str) -> Sequence[VerificationKey]:
        """The keys of that id; waits for a key that is not known yet.

        Raises AuthenticationUnavailableError where the server did not say whether there is such a key.
        """
        with self._changed:
            self._renew()
            if found := self._known(key_id):
                return found
            self._begin()
            self._wait()
            found = self._known(key_id)
            if not found and (self._fetching or self._problem):
                raise _unavailable()
            return found

    def _renew(self) -> None:
        """Have old keys fetched again; after a long rest that is waited for, since some may be revoked."""
        age = self._age()
        if age >= self._bounds.fresh:
            self._begin()
        if age >= 2 * self._bounds.fresh and not self._problem:
            self._wait()

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self._clock() - self._fetched

    def _known(self, key_id: str) -> Sequence[VerificationKey]:
        return select(self._keys, key_id) if self._age() < self._bounds.stale else ()

    def _begin(self) -> None:
        now = self._clock()
        if self._fetching or (self._tried is not None and now - self._tried < self._bounds.pause):
            return
        self._tried = now
        threading.Thread(target=self._run, name="oidc-keys", daemon=True).start()
        self._fetching = True  # it cannot end before, without the lock

    def _wait(self) -> None:
        if self._fetching and self._waiting < self._bounds.waiting:
            self._waiting += 1
            try:
                self._changed.wait_for(lambda: not self._fetching, self._bounds.patience)
            finally:
                self._waiting -= 1

    def _run(self) -> None:
        problem, keys = "", None
        try:
            keys = self._fetch()
        except FetchError as error:
            problem = str(error)
        except Exception as error:  # a thread that dies would leave the others waiting for it for ever
            problem = f"fetching them ended with `{type(error).__name__}`"
        with self._changed:
            if keys is not None:
                self._keys, self._fetched = keys, self._clock()
            known, self._problem, self._fetching = self._problem, problem, False
            self._changed.notify_all()
        if problem and problem != known:
            self._told(f"the keys of an issuer cannot be fetched, and known ones go on working: {problem}")


def _unavailable() -> AuthenticationUnavailableError:
    message = "the keys of the token's issuer cannot be had at the moment"
    return AuthenticationUnavailableError(message, "try again in a while")
