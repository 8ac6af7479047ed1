"""What is written of a status, and what of it is somebody else's: values in, values out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.cluster.committed import Verdict
from kagent_render.revision.canonical_json import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kagent_apply.cluster.committed import CommittedHarness, CommittedPair
    from kagent_apply.cluster.live import LiveObject
    from kagent_apply.cluster.status_pieces import Path, Pieces
    from kagent_apply.revisions.port import PairStatus

_LONGEST_MESSAGE: Final = 32_768
_UPSTREAM: Final = "v1alpha3"
_PREPARED: Final = "Prepared"
_TIME: Final = "lastTransitionTime"


@dataclass(frozen=True, slots=True)
class Publication:
    """The pieces to apply, and those that stay as others have them, by path with the other's name.

    `is_due`: what is there differs from the pieces, or holds one of ours that is not wanted any more.
    """

    pieces: Pieces
    left: Mapping[Path, str]
    is_due: bool


def harness_pieces(live: LiveObject, committed: CommittedHarness, has_pool: bool | None, now: str) -> Pieces:
    """The status of a Harness whose live spec is the committed one."""
    ready = _readiness(committed, has_pool)
    present = live.status.get(("conditions", ready.type))
    return {
        ("observedGeneration",): live.identity.generation,
        ("capabilities",): dict(committed.capabilities),
        ("conditions", ready.type): _condition(ready, live, [present], now),
    }


def template_pieces(
    live: LiveObject, pairs: Sequence[tuple[CommittedPair, PairStatus | None]], now: str
) -> Pieces:
    """The status of an AgentTemplate whose live spec is the committed one, with all its pairs."""
    pieces: Pieces = {("observedGeneration",): live.identity.generation}
    for pair, status in pairs:
        pieces["harnesses", pair.agent.harness] = _entry(live, pair, status, now)
    return pieces


def publication(live: LiveObject, wanted: Pieces) -> Publication:
    """What of the wanted pieces to apply, and whether there is anything to do."""
    left = {path: other for path in wanted if (other := live.owners.other(path)) is not None}
    pieces = {path: value for path, value in wanted.items() if path not in left}
    differs = any(not _same(value, live.status.get(path)) for path, value in pieces.items())
    return Publication(pieces, left, differs or bool(live.owners.own - pieces.keys()))


def timeless(value: Any) -> Any:
    """The same without times, to see whether there is anything new to say."""
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items() if key != _TIME}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def _readiness(committed: CommittedHarness, has_pool: bool | None) -> Verdict:
    named = f"WorkerPool `{committed.namespace}/{committed.worker_pool}`"
    if committed.fault is not None:
        return Verdict("Ready", "False", *committed.fault)
    if has_pool is None:
        return Verdict("Ready", "Unknown", "WorkerPoolUnknown", f"nobody can tell whether {named} is there")
    if not has_pool:
        return Verdict("Ready", "False", "WorkerPoolNotFound", f"{named} is not there")
    return Verdict("Ready", "True", "Ready")


def _entry(live: LiveObject, pair: CommittedPair, status: PairStatus | None, now: str) -> Mapping[str, Any]:
    present = live.status.get(("harnesses", pair.agent.harness))
    known = present.get("conditions") if isinstance(present, dict) else None
    conditions = known if isinstance(known, list) else []
    entry: dict[str, Any] = {
        "harness": pair.agent.harness,
        "desiredRevision": pair.revision or _attempted(live, pair),
        "conditions": [
            _condition(verdict, live, conditions, now) for verdict in _verdicts(live, pair, status)
        ],
    }
    if status is not None and status.serving:
        entry["latestSuccessfulRevision"] = status.serving
    return entry


def _attempted(live: LiveObject, pair: CommittedPair) -> str:
    """What stands for a revision that could not be made, since the field may not be empty (facts 1.3)."""
    return digest(
        {
            "uid": live.identity.uid,
            "generation": live.identity.generation,
            "specDigest": live.spec_digest,
            "harness": pair.agent.harness,
        }
    )


def _verdicts(live: LiveObject, pair: CommittedPair, status: PairStatus | None) -> Iterable[Verdict]:
    """The conditions of a pair; upstream's version has `Ready` in the place of `Prepared` (facts 1.3)."""
    if not live.identity.api_version.endswith(f"/{_UPSTREAM}"):
        return pair.verdicts
    return [_ready(pair, found, status) if found.type == _PREPARED else found for found in pair.verdicts]


def _ready(pair: CommittedPair, prepared: Verdict, status: PairStatus | None) -> Verdict:
    """What is prepared is ready once it serves."""
    if prepared.status != "True":
        return Verdict("Ready", prepared.status, prepared.reason, prepared.message)
    if status is not None and status.serving == pair.revision:
        return Verdict("Ready", "True", "Ready")
    problem = status.problem if status is not None else ""
    return Verdict("Ready", "False", "ActorTemplatePending", problem or "the revision does not serve yet")


def _condition(verdict: Verdict, live: LiveObject, present: Sequence[Any], now: str) -> dict[str, Any]:
    """A condition, which has its time from the one of its type that is there with the same status."""
    before = next(
        (found for found in present if isinstance(found, dict) and found.get("type") == verdict.type), {}
    )
    since = before.get(_TIME) if before.get("status") == verdict.status else None
    return {
        "type": verdict.type,
        "status": verdict.status,
        "reason": verdict.reason,
        "message": verdict.message[:_LONGEST_MESSAGE],
        "observedGeneration": live.identity.generation,
        _TIME: since if isinstance(since, str) else now,
    }


def _same(wanted: Any, present: Any) -> bool:
    """Whether two values are equal; a server may keep conditions in another order."""
    return bool(_ordered(wanted) == _ordered(present))


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(item) for key, item in value.items()}
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return sorted((_ordered(item) for item in value), key=lambda item: str(item.get("type")))
    return value
