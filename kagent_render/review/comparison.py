"""Compares the facts of two sides by identity alone, and judges each difference by the table of rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kagent_render.api.credential_literals import looks_like_credential
from kagent_render.review.change import Change, Kind, Patch
from kagent_render.review.effect import Effect
from kagent_render.review.fact import MASKED, WITHHELD
from kagent_render.review.hunks import unified
from kagent_render.review.topics import BINDING, CREDENTIAL, LIMIT, PROMPT, RANK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kagent_render.review.fact import Fact
    from kagent_render.review.topics import Topic

    Facts = Mapping[tuple[str, str, str], Fact]

LONGEST_VALUE: Final = 300
"""Characters of one value that are shown."""

UNREAD: Final = "nobody can read what was added"
"""Why a text widens: what looks like a credential is not shown, whatever it tells a model."""

UNSHOWN: Final = "what changed of it is not shown"
"""Why a change shows the same on both sides."""


def compare_facts(before: Iterable[Fact], after: Iterable[Fact]) -> tuple[Change, ...]:
    """Every difference: what widens first, then in the order of binding paths, and at each place by weight.

    What goes away with its server, boundary or agent can only narrow, and what comes with one only widen:
    the limit of a tool that is gone is no limit that was lifted.
    """
    old, new = _by_key(before), _by_key(after)
    held_before = {fact.holder for fact in old.values()}
    held_after = {fact.holder for fact in new.values()}
    own = {(fact.place, fact.value) for fact in old.values() if fact.topic == CREDENTIAL}
    found = [
        *(_added(fact, held_before, own) for fact in _alone(new, old, held_before)),
        *(_removed(fact, held_after) for fact in _alone(old, new, held_after)),
        *_changed(old, new),
    ]
    return tuple(sorted(found, key=order))


def _by_key(facts: Iterable[Fact]) -> dict[tuple[str, str, str], Fact]:
    """The facts by what they are of; several of one thing are one, and none of them is lost."""
    found: dict[tuple[str, str, str], Fact] = {}
    for fact in facts:
        other = found.setdefault(fact.key, fact)
        if (other.value, other.seal) != (fact.value, fact.seal):
            value, seal = (" | ".join(pair) for pair in ((other.value, fact.value), (other.seal, fact.seal)))
            found[fact.key] = replace(fact, value=value, seal=seal)
    return found


def _alone(facts: Facts, others: Facts, held: set[str]) -> Iterator[Fact]:
    """The facts of one side alone, without those that merely follow."""
    for key, fact in facts.items():
        if key not in others and not (fact.topic.follows and fact.holder not in held):
            yield fact


def order(change: Change) -> tuple[object, ...]:
    """Where a change stands among those of one subject: what widens first."""
    return change.effect is not Effect.WIDENS, change.place, RANK[change.topic.name], change.name


def _added(fact: Fact, held_before: set[str], credentials: Collection[tuple[str, str]]) -> Change:
    """What is new; a header for one of the `credentials` that the process had before gives it nothing."""
    effect = fact.topic.rule.added.effect("", fact.value)
    if fact.topic == BINDING and any(
        place == fact.place and value and fact.value.endswith(value) for place, value in credentials
    ):
        effect = Effect.NEUTRAL
    if fact.holder not in held_before and (effect is Effect.NARROWS or fact.topic == LIMIT):
        effect = Effect.NEUTRAL
    return _change(None, fact, Kind.ADDED, effect)


def _removed(fact: Fact, held_after: set[str]) -> Change:
    effect = fact.topic.rule.removed.effect(fact.value, "")
    if fact.holder not in held_after and effect is Effect.WIDENS:
        effect = Effect.NEUTRAL
    return _change(fact, None, Kind.REMOVED, effect)


def _changed(old: Facts, new: Facts) -> Iterator[Change]:
    for key in old.keys() & new.keys():
        was, now = old[key], new[key]
        if (was.value, was.seal) != (now.value, now.seal):
            yield _change(was, now, Kind.CHANGED, was.topic.rule.changed.effect(was.value, now.value))


def _change(was: Fact | None, now: Fact | None, kind: Kind, effect: Effect) -> Change:
    fact = now or was
    assert fact is not None
    before, after = _shown(was), _shown(now)
    same = kind is Kind.CHANGED and before == after
    patches: tuple[Patch, ...] = ()
    unread = fact.topic.is_text and after == WITHHELD
    if _is_told_by_line(fact.topic, was, now):
        lines = unified(was.value if was else "", now.value if now else "")
        patches = (Patch("", kind, lines),) if lines else ()
        before, after, same = None, None, False
        unread = f"+{MASKED}" in lines
    note = UNSHOWN if same and before != WITHHELD else ""
    if unread:
        effect, note = Effect.WIDENS, UNREAD
    return Change(
        fact.topic, fact.place, fact.name, kind, effect, before, after, patches, note, detail=fact.detail
    )


def _is_told_by_line(topic: Topic, *facts: Fact | None) -> bool:
    """A description of one line that can be shown whole is told as it is."""
    values = [fact.value for fact in facts if fact is not None]
    several = any("\n" in value or len(value) > LONGEST_VALUE for value in values)
    return topic.is_text and (several or topic == PROMPT)


def _shown(fact: Fact | None) -> str | None:
    if fact is None:
        return None
    return WITHHELD if looks_like_credential("", fact.value) else fact.value
