"""Which earlier revisions' ActorTemplates stay, so that running instances keep what they were made from."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kagent_render.revision.lock import Lock, RetainedRevision

if TYPE_CHECKING:
    from collections.abc import Collection


def retain(
    current: Lock, committed: Lock | None, revisions: int, in_use: Collection[str] = frozenset()
) -> Lock:
    """The lock with what it retains of the history that the `committed` lock knows (DESIGN 12).

    `revisions` counts the current one. An ActorTemplate that is `in_use` stays beyond that number. What the
    current revision writes itself is not listed again.
    """
    kept: list[RetainedRevision] = []
    own = frozenset(current.actor_templates)
    for index, earlier in enumerate(_history(current, committed)):
        recent = index < revisions - 1
        names = tuple(
            name for name in earlier.actor_templates if name not in own and (recent or name in in_use)
        )
        if names:
            kept.append(RetainedRevision(earlier.revision, names))
    return dataclasses.replace(current, retained=tuple(kept))


def _history(current: Lock, committed: Lock | None) -> list[RetainedRevision]:
    """The earlier revisions, newest first; one that is current again is no longer earlier."""
    if committed is None:
        return []
    last = RetainedRevision(committed.revision, committed.actor_templates)
    return [
        revision
        for revision in dict.fromkeys((last, *committed.retained))
        if revision.revision != current.revision
    ]
