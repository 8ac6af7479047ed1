"""Which earlier revisions' ActorTemplates stay, so that running instances keep what they were made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.revision.retained import RetainedRevision

if TYPE_CHECKING:
    from collections.abc import Collection

    from kagent_render.revision.lock import Lock
    from kagent_render.revision.lock_history import LockHistory


def retain(
    current: Lock, committed: LockHistory | None, revisions: int, in_use: Collection[str] = frozenset()
) -> tuple[RetainedRevision, ...]:
    """What a lock retains of the history that the `committed` lock knows (DESIGN 12).

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
    return tuple(kept)


def _history(current: Lock, committed: LockHistory | None) -> list[RetainedRevision]:
    """The earlier revisions, newest first; one that is current again is no longer earlier."""
    if committed is None:
        return []
    return [
        revision
        for revision in dict.fromkeys((committed.current, *committed.retained))
        if revision.revision != current.revision
    ]
