"""Pages of pairs: their order, and the tokens that say where a list goes on."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Final

from kagent_apply.instances.field_rules import FOREIGN_TOKEN
from kagent_apply.instances.field_rules import page_faults as limit_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_apply.api.v1alpha1.common_pb2 import PageRequest
    from kagent_apply.instances.fault import FieldFault
    from kagent_apply.revisions.port import PairStatus

Key = tuple[str, ...]
"""A pair's namespace, Harness and AgentTemplate, by which pairs are in order."""

_PARTS: Final = 3
_LONGEST: Final = 1_024
"""Characters; no three names need as many in base64."""


def key_of(pair: PairStatus) -> Key:
    """What a pair comes after in a list."""
    return (pair.agent.namespace, pair.agent.harness, pair.agent.agent_template)


def pair_token(last: PairStatus) -> str:
    """What says that a list goes on after a pair."""
    return base64.urlsafe_b64encode("/".join(key_of(last)).encode()).rstrip(b"=").decode()


def read_pair_token(token: str) -> Key | None:
    """The pair that a list goes on after; None where `token` is none of ours."""
    if not token or len(token) > _LONGEST:
        return None
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    parts = tuple(text.split("/"))
    return parts if len(parts) == _PARTS else None


def page_faults(page: PageRequest) -> Iterator[FieldFault]:
    """Unless the limit is from 0 to 100, and the token one that a reply had or empty."""
    yield from limit_faults(page.limit, "")
    if page.page_token and read_pair_token(page.page_token) is None:
        yield FOREIGN_TOKEN
