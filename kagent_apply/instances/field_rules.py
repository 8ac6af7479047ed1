"""What each field of a request has to be: a fault where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.instances.fault import FieldFault
from kagent_apply.instances.identifiers import canonical_uuid, read_page_token
from kagent_apply.instances.states import Permission
from kagent_render.api.names import is_dns_label, is_dns_subdomain, is_label_key, is_label_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEFAULT_LIMIT: Final = 50
"""Items of a page whose limit is 0."""

LARGEST_LIMIT: Final = 100
"""The most items of a page."""

LONGEST_REQUEST_ID: Final = 128
"""Bytes of UTF-8."""

MOST_LABELS: Final = 32
"""Labels that a list can ask for: each is a part of the question to the store."""

_WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's `White_Space`, as kagent trims it; Python's `strip` takes four control characters more."""

FOREIGN_TOKEN: Final = FieldFault(
    "page.page_token",
    "`page.page_token` is not one that this server replied with",
    "give the `next_page_token` of the page before, or leave it out for the first page",
)
"""Of a page that no reply had, whatever is listed."""


def namespace_faults(namespace: str) -> Iterator[FieldFault]:
    """Unless it is the name of a namespace (RFC 1123 label)."""
    if not namespace:
        yield FieldFault("namespace", "`namespace` is missing", "name the namespace of the agent")
    elif not is_dns_label(namespace):
        yield FieldFault(
            "namespace",
            "`namespace` is not the name of a namespace",
            "write at most 63 of `a-z`, `0-9` and `-`, the first and the last no `-`",
        )


def object_faults(field: str, name: str) -> Iterator[FieldFault]:
    """Unless it is the name of an object (RFC 1123 subdomain)."""
    if not name:
        yield FieldFault(field, f"`{field}` is missing", "give the name of the object in `metadata.name`")
    elif not is_dns_subdomain(name):
        yield FieldFault(
            field,
            f"`{field}` is not the name of an object",
            "write at most 253 of `a-z`, `0-9`, `-` and `.`, each part with a letter or digit at both ends",
        )


def id_faults(field: str, text: str) -> Iterator[FieldFault]:
    """Unless it is a UUID in any of its spellings."""
    if not text:
        yield FieldFault(field, f"`{field}` is missing", "give the id that the server replied with")
    elif not canonical_uuid(text):
        yield FieldFault(field, f"`{field}` is no UUID", "give the id that the server replied with")


def request_id_faults(request_id: str) -> Iterator[FieldFault]:
    """Unless it has 1 to 128 bytes, none of them white space at its ends."""
    if not request_id:
        yield _of_request_id("is missing", "write one, and the same again when you repeat the request")
    elif len(request_id) > LONGEST_REQUEST_ID or len(_bytes(request_id)) > LONGEST_REQUEST_ID:
        yield _of_request_id("is longer than 128 bytes", "shorten it, or write a UUID")
    elif request_id.strip(_WHITE_SPACE) != request_id:
        yield _of_request_id("begins or ends with white space", "remove the white space")
    elif "\0" in request_id:  # which PostgreSQL has no text with
        yield _of_request_id("holds a null character", "remove it")


def label_faults(labels: Mapping[str, str]) -> Iterator[FieldFault]:
    """The first label that no instance can have: an error, where a list without an item would look right."""
    if len(labels) > MOST_LABELS:
        told = f"`match_labels` has more than {MOST_LABELS} labels"
        yield FieldFault("match_labels", told, "ask for fewer, and choose among what comes back")
        return
    for key in sorted(labels):
        if not is_label_key(key):
            yield _of_labels("a key of `match_labels` cannot be that of a label")
            return
        if not is_label_value(labels[key]):
            yield _of_labels(f"the value of `{key}` in `match_labels` cannot be that of a label")
            return


def page_faults(limit: int, token: str) -> Iterator[FieldFault]:
    """Unless the limit is from 0 to 100, and the token one that a reply had or empty."""
    if not 0 <= limit <= LARGEST_LIMIT:
        yield FieldFault(
            "page.limit",
            f"`page.limit` is not from 0 to {LARGEST_LIMIT}",
            f"write 1 to {LARGEST_LIMIT}, or leave it out for {DEFAULT_LIMIT}",
        )
    if token and not read_page_token(token):
        yield FOREIGN_TOKEN


def permission_faults(permission: int) -> Iterator[FieldFault]:
    """Unless it is one of the two."""
    if permission not in {known.value for known in Permission}:
        names = " or ".join(f"`AGENT_INSTANCE_SHARE_PERMISSION_{known.name}`" for known in Permission)
        told = "is unknown" if permission else "is missing"
        yield FieldFault("permission", f"`permission` {told}", f"write {names}")


def _of_request_id(told: str, hint: str) -> FieldFault:
    return FieldFault("request_id", f"`request_id` {told}", hint)


def _of_labels(message: str) -> FieldFault:
    hint = "write labels as Kubernetes has them: at most 63 of `A-Z`, `a-z`, `0-9`, `-`, `_` and `.`"
    return FieldFault("match_labels", message, hint)


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")
