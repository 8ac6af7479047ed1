"""Digests that stand for texts of any length, so that an index entry has one size on every database."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_apply.instances.instance import Instance
    from kagent_apply.instances.requests import AgentName

_MOST: Final = 1024
"""Digests that are remembered: instances of one agent have the same ones again and again."""

Label = tuple[str, str]
"""A label's key and value."""


def request_key(creator: str, namespace: str, request_id: str) -> bytes:
    """What a `request_id` is taken by: per creator and namespace."""
    return _digest("request", creator, namespace, request_id)


@lru_cache(_MOST)
def revision_key(agent: AgentName, revision: str) -> bytes:
    """What a prepared revision is kept by."""
    return _digest("revision", agent.namespace, agent.harness, agent.agent_template, revision)


@lru_cache(_MOST)
def listing_key(namespace: str, creator: str | None, label: Label | None) -> bytes:
    """What a list of instances is kept by: of one creator or of all, with one label or with any."""
    return _digest("listing", namespace, creator, label)


def listing_keys(instance: Instance) -> Iterator[bytes]:
    """Every list that an instance is in."""
    for creator in (None, instance.creator):
        for label in (None, *instance.labels.items()):
            yield listing_key(instance.agent.namespace, creator, label)


def matching_keys(namespace: str, creator: str | None, match_labels: Mapping[str, str]) -> list[bytes]:
    """The lists that an instance has to be in, all of them, to be what is asked for."""
    labels = match_labels.items() or [None]
    return [listing_key(namespace, creator, label) for label in labels]


def _digest(*parts: str | Label | None) -> bytes:
    return hashlib.sha256(json.dumps(parts).encode()).digest()
