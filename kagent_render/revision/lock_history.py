"""What retention needs of an earlier lock, found without reading the rest of it.

A canonical lock has each of these lines at an indent that nothing else has: text of several lines is always
indented further.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.revision.retained import RetainedRevision

if TYPE_CHECKING:
    from collections.abc import Mapping

_REVISION: Final = re.compile(rb"^  revision: (sha256:[0-9a-f]{64})$", re.MULTILINE)
_CURRENT: Final = re.compile(rb"^    actorTemplate: ([a-z0-9][-a-z0-9.]*)$", re.MULTILINE)
_SECTION: Final = b"\n  retained:\n"
_EARLIER: Final = re.compile(
    rb"  - revision: (sha256:[0-9a-f]{64})\n    actorTemplates:\n((?:    - [a-z0-9][-a-z0-9.]*\n)+)"
)


@dataclass(frozen=True, slots=True)
class LockHistory:
    """A lock's revision with its ActorTemplates, and the earlier ones that it retains, newest first."""

    current: RetainedRevision
    retained: tuple[RetainedRevision, ...]


def read_history(text: bytes) -> LockHistory | None:
    """The history in a lock's text; None where it is no canonical lock."""
    revision = _REVISION.search(text)
    if revision is None:
        return None
    names = tuple(name.decode() for name in _CURRENT.findall(text))
    section = text.partition(_SECTION)[2]
    retained = tuple(
        RetainedRevision(found[1].decode(), tuple(_names(found[2]))) for found in _EARLIER.finditer(section)
    )
    return LockHistory(RetainedRevision(revision[1].decode(), names), retained)


def _names(lines: bytes) -> list[str]:
    return [line.removeprefix(b"    - ").decode() for line in lines.splitlines()]


def join_histories(first: LockHistory, other: LockHistory) -> LockHistory:
    """What a merge of two locks has to retain: the first's revision is the latest, then the other's."""
    earlier: dict[str, RetainedRevision] = {}
    for found in (other.current, *first.retained, *other.retained):
        if found.revision != first.current.revision:
            earlier.setdefault(found.revision, found)
    return LockHistory(first.current, tuple(earlier.values()))


def encode_histories(histories: Mapping[str, LockHistory]) -> bytes:
    """Histories by path, as one text to keep."""
    return json.dumps(
        {
            path: [[known.revision, *known.actor_templates] for known in (history.current, *history.retained)]
            for path, history in histories.items()
        }
    ).encode()


def decode_histories(content: bytes) -> dict[str, LockHistory]:
    """The histories that `encode_histories` was given."""
    found = {}
    for path, revisions in json.loads(content).items():
        current, *retained = (RetainedRevision(names[0], tuple(names[1:])) for names in revisions)
        found[path] = LockHistory(current, tuple(retained))
    return found
