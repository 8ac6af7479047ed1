"""What all resources have in common: names, metadata, what a caller must have seen, and pages."""

from __future__ import annotations

import base64
import binascii
import datetime
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.views import Key
from kagent_render.api.names import is_dns_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from google.protobuf.message import Message

    from kagent_apply.embedded.views import Kind, View
    from kagent_render.target.messages.ateapi_pb2 import (
        DeleteOptions,
        ObjectRef,
        ResourceMetadata,
    )

DEFAULT_PAGE: Final = 100
"""Items of a page whose size is 0."""

LARGEST_PAGE: Final = 1000
"""The most items of a page; more are cut to that."""

Resource = TypeVar("Resource", bound="Message")


def now() -> datetime.datetime:
    """The time in UTC."""
    return datetime.datetime.now(datetime.UTC)


def check_names(field: str, named: ObjectRef | ResourceMetadata) -> None:
    """Refuse what is no name in an atespace: nothing else becomes a key or an authority."""
    check_name(f"{field}.atespace", named.atespace)
    check_name(f"{field}.name", named.name)


def check_name(field: str, name: str) -> None:
    """Refuse what is no DNS label of at most 63 characters."""
    if not is_dns_label(name):
        raise ControlError("INVALID_ARGUMENT", f"`{field}` must be a DNS label of at most 63 characters")


def begin(metadata: ResourceMetadata) -> None:
    """Write the server's own metadata of a new resource over whatever was sent."""
    created = now()
    metadata.uid = str(uuid.uuid4())
    metadata.version = 1
    metadata.create_time.FromDatetime(created)
    metadata.update_time.FromDatetime(created)


def touch(metadata: ResourceMetadata) -> None:
    """Count a change."""
    metadata.version += 1
    metadata.update_time.FromDatetime(now())


def check_seen(metadata: ResourceMetadata, uid: str, version: int) -> None:
    """Refuse a change to anything but what the caller saw; empty and 0 ask for nothing (facts 10.3)."""
    if uid and uid != metadata.uid:
        raise ControlError("FAILED_PRECONDITION", f"`{metadata.name}` has another `uid`")
    if version and version != metadata.version:
        raise ControlError("FAILED_PRECONDITION", f"`{metadata.name}` has another `version`")


def check_options(metadata: ResourceMetadata, options: DeleteOptions) -> None:
    """Refuse to delete anything but what the caller saw."""
    check_seen(metadata, options.uid, options.version)


def found(view: View, key: Key, message: type[Resource]) -> Resource:
    """A resource, or NOT_FOUND."""
    resource = find(view, key, message)
    if resource is None:
        raise ControlError("NOT_FOUND", f"there is no {_WORDS[key.kind]} `{_shown(key)}`")
    return resource


def find(view: View, key: Key, message: type[Resource]) -> Resource | None:
    """A resource, or None."""
    body = view.get(key)
    return None if body is None else message.FromString(body)


def check_new(view: View, key: Key) -> None:
    """Refuse to make what is there."""
    if view.get(key) is not None:
        raise ControlError("ALREADY_EXISTS", f"there is a {_WORDS[key.kind]} `{_shown(key)}` already")


def check_atespace(view: View, atespace: str) -> None:
    """Refuse to make something where there is no atespace."""
    if view.get(Key("atespace", "", atespace)) is None:
        raise ControlError("FAILED_PRECONDITION", f"there is no atespace `{atespace}`")


@dataclass(frozen=True, slots=True)
class Page:
    """Some resources, and what asks for those behind them."""

    items: Sequence[Any]
    token: str


def page(view: View, kind: Kind, message: type[Message], request: Any) -> Page:
    """The page that a List request asks for, of one atespace or of all."""
    limit = _page_size(request.page_size)
    atespace = getattr(request, "atespace", "")
    bodies = view.page(kind, atespace, _read_token(request.page_token), limit + 1)
    items = [message.FromString(body) for body in bodies[:limit]]
    return Page(items, _token(items[-1]) if len(bodies) > limit else "")


def _page_size(asked: int) -> int:
    if asked < 0:
        raise ControlError("INVALID_ARGUMENT", "`page_size` must not be negative")
    return min(asked or DEFAULT_PAGE, LARGEST_PAGE)


def _token(last: Any) -> str:
    return base64.urlsafe_b64encode(f"{last.metadata.atespace}/{last.metadata.name}".encode()).decode()


def _read_token(token: str) -> tuple[str, str]:
    if not token:
        return "", ""
    try:
        atespace, slash, name = base64.b64decode(token, b"-_", validate=True).decode("ascii").partition("/")
    except (binascii.Error, ValueError):
        slash = ""
    if not slash:
        raise ControlError("INVALID_ARGUMENT", "`page_token` is not one that this server replied with")
    return atespace, name


_WORDS: Final = {
    "atespace": "atespace",
    "template": "actor template",
    "actor": "actor",
    "policy": "egress policy of actor",
}


def _shown(key: Key) -> str:
    return f"{key.atespace}/{key.name}" if key.atespace else key.name
