"""The Actors that there are: what Substrate itself says, not what the service thinks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from kagent_apply.embedded.actors import Actors
from kagent_apply.embedded.records import Records
from kagent_render.target.messages import ateapi_pb2, call_path

Page = Callable[[ateapi_pb2.ListActorsRequest], ateapi_pb2.ListActorsResponse]
"""Asks for a page of Actors."""


@dataclass(frozen=True)
class Seen:
    """An Actor's UID and state."""

    uid: str
    state: str


def seen(page: Page) -> Mapping[str, Seen]:
    """All Actors by their names; there cannot be two of one name."""
    return {actor.metadata.name: Seen(actor.metadata.uid, _state(actor)) for actor in _all(page)}


def kept_in(folder: Path) -> Page:
    """The Actors of a Control by its file, also while another process has it open."""

    def page(request: ateapi_pb2.ListActorsRequest) -> ateapi_pb2.ListActorsResponse:
        with closing(Records(folder / "control.sqlite")) as records:
            return Actors(records).list(request)

    return page


def served_at(address: str) -> Page:
    """The Actors of a Control that listens."""

    def page(request: ateapi_pb2.ListActorsRequest) -> ateapi_pb2.ListActorsResponse:
        reply: ateapi_pb2.ListActorsResponse = ask(
            address, "ListActors", request, ateapi_pb2.ListActorsResponse
        )
        return reply

    return page


def ask(address: str, method: str, request: Any, reply: Any) -> Any:
    """One call of a Control that listens."""
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_unary(
            call_path(method),
            request_serializer=type(request).SerializeToString,
            response_deserializer=reply.FromString,
        )
        return call(request, timeout=30, wait_for_ready=True)


def _all(page: Page) -> Iterator[ateapi_pb2.Actor]:
    request = ateapi_pb2.ListActorsRequest(page_size=500)
    while True:
        found = page(request)
        yield from found.actors
        if not found.next_page_token:
            return
        request.page_token = found.next_page_token


def _state(actor: ateapi_pb2.Actor) -> str:
    return ateapi_pb2.ActorState.Name(actor.status.state).removeprefix("ACTOR_STATE_")
