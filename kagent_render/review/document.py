"""A review for programs: one JSON object, every key always present."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.review.review import verdict
from kagent_render.review.subject import SubjectKind

if TYPE_CHECKING:
    from kagent_render.review.change import Change, Patch
    from kagent_render.review.review import Review, ReviewedSide
    from kagent_render.review.subject import Doubt, Subject
    from kagent_render.review.tree import Branch

KEYS = {SubjectKind.ROOT: "roots", SubjectKind.PAIR: "pairs", SubjectKind.AGENT: "platformAgents"}
"""Under which key the subjects of each kind are."""

_NAMES = {
    SubjectKind.ROOT: ("root",),
    SubjectKind.PAIR: ("namespace", "harness", "template"),
    SubjectKind.AGENT: ("namespace", "name"),
}


def review_document(review: Review) -> dict[str, Any]:
    """The whole review as plain data; subjects that are the same on both sides are only counted."""
    subjects = {
        key: [_subject(found) for found in review.subjects if found.what is kind]
        for kind, key in KEYS.items()
    }
    return {
        "verdict": verdict(review),
        "differs": review.differs,
        "widens": review.widens,
        "base": _side(review.base),
        "head": _side(review.head),
        **subjects,
        "same": {key: review.same.get(kind, 0) for kind, key in KEYS.items()},
    }


def _side(side: ReviewedSide) -> dict[str, Any]:
    return {"name": side.name, "commit": side.commit}


def _subject(subject: Subject) -> dict[str, Any]:
    before, after = subject.revisions
    names = _NAMES[subject.what]
    return {
        **dict(zip(names, subject.name.split("/"), strict=True) if len(names) > 1 else ()),
        "root": subject.root or ".",
        "change": subject.kind.value if subject.kind is not None else None,
        "effect": subject.effect.value,
        "revision": {"base": before, "head": after},
        "doubts": [_doubt(doubt) for doubt in subject.doubts],
        "tree": [_branch(branch) for branch in subject.tree],
        "changes": [_change(change) for change in subject.changes],
    }


def _doubt(doubt: Doubt) -> dict[str, Any]:
    return {
        "side": doubt.side,
        "state": doubt.state.value,
        "text": doubt.text,
        "widens": doubt.widens,
        "messages": list(doubt.messages),
    }


def _branch(branch: Branch) -> dict[str, Any]:
    return {
        "path": branch.path,
        "template": branch.template or None,
        "note": branch.note or None,
        "change": branch.kind.value if branch.kind is not None else None,
        "widens": branch.widens,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "topic": change.topic.name,
        "place": change.place,
        "name": change.name,
        "change": change.kind.value,
        "effect": change.effect.value,
        "before": change.before,
        "after": change.after,
        "note": change.note or None,
        "detail": change.detail or None,
        "committedOnly": change.committed,
        "patches": [_patch(patch) for patch in change.patches],
    }


def _patch(patch: Patch) -> dict[str, Any]:
    return {
        "path": patch.path or None,
        "change": patch.kind.value,
        "note": patch.note or None,
        "lines": list(patch.lines),
    }
