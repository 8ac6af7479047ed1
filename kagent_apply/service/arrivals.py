"""Calls whose message has not come yet, and streams: few enough at once that they take nothing from others.

gRPC counts a call, and keeps a thread for it, from its headers on. Whoever sends nothing else would hold both
for as long as they like, before anybody has asked who they are.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import grpc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import ThreadPoolExecutor

Behaviour = Any
"""A function that gRPC calls; which arguments it has depends on what streams."""

_POOL: Final = "experimental_thread_pool"
_WITHOUT_THREAD: Final = "experimental_non_blocking"
"""What gRPC looks for on a function that handles calls."""


_PATIENCE: Final = 2.0
"""Seconds that nobody has to make room in, so that many calls at once are not taken for an attack."""


class OldestLeaves:
    """So many calls at once; where there are more, those that have been here longest are ended."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._guard = threading.Lock()
        self._here: dict[int, tuple[float, Any]] = {}

    def enter(self, context: grpc.ServicerContext) -> None:
        """Count a call in, and make room for it."""
        self.make_room()
        with self._guard:
            self._here[id(context)] = self._clock(), context

    def leave(self, context: grpc.ServicerContext) -> None:
        """Count a call out, unless it had to make room."""
        with self._guard:
            if self._here.get(id(context), (0, None))[1] is context:
                del self._here[id(context)]

    def make_room(self) -> None:
        """End those that are too many."""
        if len(self._here) < self._most:
            return
        for context in self._too_many():
            context.cancel()

    def _too_many(self) -> list[Any]:
        with self._guard:
            longest = list(self._here.items())[: len(self._here) - self._most + 1]
            before = self._clock() - _PATIENCE
            ended = [(key, context) for key, (since, context) in longest if since < before]
            for key, _ in ended:
                del self._here[key]
            return [context for _, context in ended]


@dataclass(frozen=True, slots=True)
class Arrivals(grpc.ServerInterceptor):  # type: ignore[misc]
    """Bounds what is waited for; the first of a server's interceptors, so that others see whole calls.

    `arriving` are calls without their message, `streams` those that last as long as their client likes, and
    `pool` has a thread for each of either.
    """

    arriving: OldestLeaves
    streams: OldestLeaves
    pool: ThreadPoolExecutor

    def intercept_service(self, continuation: Callable[[Any], Any], details: Any) -> Any:
        """The handler of a call, which begins once there is a message."""
        for kept in (self.arriving, self.streams):  # also where gRPC has no room for the call itself
            kept.make_room()
        handler = continuation(details)
        if handler is None:
            return None
        if handler.request_streaming:
            behaviour, make = handler.stream_stream, grpc.stream_stream_rpc_method_handler
            bounded = self._of_stream(behaviour, _as_it_is)
        elif handler.response_streaming:
            behaviour, make = handler.unary_stream, grpc.stream_stream_rpc_method_handler
            bounded = self._of_stream(behaviour, self._message)
        else:
            behaviour, make = handler.unary_unary, grpc.stream_unary_rpc_method_handler
            bounded = self._of_call(behaviour)
        setattr(bounded, _POOL, self.pool)
        if getattr(behaviour, _WITHOUT_THREAD, False):
            setattr(bounded, _WITHOUT_THREAD, True)
        return make(bounded, handler.request_deserializer, handler.response_serializer)

    def _of_call(self, behaviour: Behaviour) -> Behaviour:
        def call(requests: Iterator[Any], context: grpc.ServicerContext) -> Any:
            return behaviour(self._message(requests, context), context)

        return call

    def _of_stream(
        self, behaviour: Behaviour, read: Callable[[Iterator[Any], grpc.ServicerContext], Any]
    ) -> Behaviour:
        def call(requests: Iterator[Any], context: grpc.ServicerContext, *more: Any) -> Any:
            self.streams.enter(context)
            if not context.add_callback(lambda: self.streams.leave(context)):
                self.streams.leave(context)
            return behaviour(read(requests, context), context, *more)

        return call

    def _message(self, requests: Iterator[Any], context: grpc.ServicerContext) -> Any:
        """The one message of a call; ends a call without one."""
        self.arriving.enter(context)
        try:
            return next(requests)
        except StopIteration:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the call has no message; send one")
            raise AssertionError from None
        finally:
            self.arriving.leave(context)


def _as_it_is(requests: Iterator[Any], _context: grpc.ServicerContext) -> Iterator[Any]:
    return requests
