"""Judges what was got for the vendored store: what may be in it, and what is wrong with the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.source_identity import source_key, source_text
from kagent_render.artifacts.store.vendorable import check_vendorable
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason
from kagent_render.preparation.other_content import check_locked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.selection import Selection
    from kagent_render.artifacts.store.index import IndexEntry

    Outcome = Package | ArtifactFailure


@dataclass(frozen=True, slots=True)
class Judged:
    """What may be vendored, and the failure of each source that may not."""

    packages: Mapping[ArtifactSource, Package]
    failures: Mapping[ArtifactSource, ArtifactFailure]


def judge_content(
    outcomes: Mapping[ArtifactSource, Outcome],
    entries: Mapping[str, IndexEntry],
    locked: Mapping[str, Sequence[Selection]],
) -> Judged:
    """Hold what was got against what a repository can keep, and what index and locks pin by identity key."""
    judged = {source: _judge(source, outcome, entries, locked) for source, outcome in outcomes.items()}
    return Judged(
        {source: found for source, found in judged.items() if not isinstance(found, ArtifactFailure)},
        {source: found for source, found in judged.items() if isinstance(found, ArtifactFailure)},
    )


def _judge(
    source: ArtifactSource,
    outcome: Outcome,
    entries: Mapping[str, IndexEntry],
    locked: Mapping[str, Sequence[Selection]],
) -> Outcome:
    if isinstance(outcome, ArtifactFailure):
        return outcome
    try:
        check_vendorable(source, outcome)
        key = source_key(source)
        _check_indexed(source, outcome, entries.get(key))
        check_locked(source, outcome, locked.get(key, ()))
    except ArtifactFailure as failure:
        return failure
    return outcome


def _check_indexed(source: ArtifactSource, package: Package, entry: IndexEntry | None) -> None:
    """What is got in the place of damaged content has to be what the index pins."""
    found = tree_digest(package)
    if entry is not None and entry.digest != found:
        raise ArtifactFailure(
            Reason.ARTIFACT_DIGEST_MISMATCH,
            f"{source_text(source)} gives other content than its entry in the index of the vendored store"
            f" pins: expected `{entry.digest}`, got `{found}`",
            hint="either what serves it was tampered with: find out who changed it; or the index was edited:"
            " restore it from Git, or delete the entry to pin what is served now",
        )


def not_vendored(source: ArtifactSource) -> ArtifactFailure:
    """The failure of a source that the vendored store does not hold."""
    return ArtifactFailure(
        Reason.ARTIFACT_NOT_VENDORED,
        f"{source_text(source)} is not in `.kagent/artifacts`",
        hint="run `kagent-render vendor`, then `git add --force .kagent/artifacts`",
    )
