"""Which earlier revisions' ActorTemplates stay, so that running instances keep what they were made from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from kagent_render.revision.retained import RetainedRevision

if TYPE_CHECKING:
    from collections.abc import Collection

    from kagent_render.revision.lock_history import LockHistory


class Current(Protocol):
    """A revision with the ActorTemplates that it writes itself: a lock, or what its text says of it."""

    @property
    def revision(self) -> str:
        """`sha256:` and the hex digest."""
        ...

    @property
    def actor_templates(self) -> tuple[str, ...]:
        """The names of its ActorTemplates."""
        ...


def retain(
    current: Current, committed: LockHistory | None, revisions: int, in_use: Collection[str] = frozenset()
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


def continues(present: LockHistory, committed: LockHistory) -> bool:
    """Whether a lock was written, or rendered anew, on top of the `committed` one.

    One of another branch or of another time says nothing about what may go.
    """
    known = {present.current.revision, *(earlier.revision for earlier in present.retained)}
    same = set(committed.current.actor_templates) <= set(present.current.actor_templates)
    return committed.current.revision in known or same


def without_let_go(
    committed: LockHistory, present: LockHistory, revisions: int, in_use: Collection[str] = frozenset()
) -> LockHistory:
    """The `committed` history without what the lock that is there now has let go (decision 42).

    Let go is what that lock does not list although `revisions` leaves room for it, and with it whatever is
    older; what it merely had no room for is not. What is `in_use` is never let go, and neither is the
    committed revision itself.
    """
    if not continues(present, committed):
        return committed
    listed = {(earlier.revision, name) for earlier in present.retained for name in earlier.actor_templates}
    expected = retain(present.current, committed, revisions)
    newest = next((found.revision for found in expected if not _is_listed(found, listed, in_use)), None)
    if newest is None:
        return committed
    own = frozenset(present.current.actor_templates)
    kept: list[RetainedRevision] = []
    gone = newest == committed.current.revision
    for earlier in committed.retained:
        gone = gone or earlier.revision == newest
        names = tuple(
            name
            for name in earlier.actor_templates
            if not gone or name in own or name in in_use or (earlier.revision, name) in listed
        )
        if names:
            kept.append(replace(earlier, actor_templates=names))
    return replace(committed, retained=tuple(kept))


def known_to(
    history: LockHistory, other: LockHistory | None, in_use: Collection[str] = frozenset()
) -> LockHistory:
    """A history without the earlier revisions that the `other` knows nothing of, but for what is `in_use`."""
    known = {other.current.revision, *(earlier.revision for earlier in other.retained)} if other else set()
    kept = (
        earlier
        if earlier.revision in known
        else replace(
            earlier, actor_templates=tuple(name for name in earlier.actor_templates if name in in_use)
        )
        for earlier in history.retained
    )
    return replace(history, retained=tuple(earlier for earlier in kept if earlier.actor_templates))


def _is_listed(
    expected: RetainedRevision, listed: Collection[tuple[str, str]], in_use: Collection[str]
) -> bool:
    """Whether a lock lists what it has to of a revision; what is in use counts either way."""
    return all((expected.revision, name) in listed or name in in_use for name in expected.actor_templates)


def _history(current: Current, committed: LockHistory | None) -> list[RetainedRevision]:
    """The earlier revisions, newest first; one that is current again is no longer earlier."""
    if committed is None:
        return []
    return [
        revision
        for revision in dict.fromkeys((committed.current, *committed.retained))
        if revision.revision != current.revision
    ]
