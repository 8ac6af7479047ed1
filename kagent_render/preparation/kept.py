"""What stays in the output folder although nothing that was prepared gives it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kagent_render.emit.layout import Role, place_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.emit.folder import OutputReader
    from kagent_render.emit.layout import Owner
    from kagent_render.preparation.flow import Preparation


def kept_owners(preparation: Preparation, output: OutputReader) -> set[Owner]:
    """Pairs and PlatformAgents whose output stays as it is: those that failed, and all others where in doubt.

    A document that is not valid may be what asks for one, so none is gone while there is such a document. A
    pair that was written is known by its kustomization, too: one that lost its lock loses nothing else by
    failing.
    """
    outcomes: dict[Owner, bool] = {outcome.pair: outcome.is_prepared for outcome in preparation.pairs}
    outcomes.update({agent.ref: agent.compiled is not None for agent in preparation.agents.outcomes})
    prepared = {owner for owner, is_prepared in outcomes.items() if is_prepared}
    failed = outcomes.keys() - prepared
    unsure = any(found.is_error and found.pair is None for found in preparation.diagnostics)
    if not failed and not unsure:
        return set()
    written = set(written_owners(output))
    return written - prepared if unsure else written & failed


def written_owners(output: OutputReader) -> Iterator[Owner]:
    """Whose files stand in the folder; a manifest alone may be one that a pair merely left behind."""
    for entry in output.entries():
        place = place_of(entry.path)
        if place is not None and place.owner is not None and place.role is not Role.MANIFEST:
            yield place.owner


def outliving_manifests(
    output: OutputReader, asked: Collection[Owner], in_use: Mapping[str, Collection[str]]
) -> dict[PairRef, list[str]]:
    """The ActorTemplates in use of pairs that nothing asks for any more (DESIGN 4)."""
    found: defaultdict[PairRef, list[str]] = defaultdict(list)
    for path in sorted(entry.path for entry in output.entries()) if in_use else ():
        place, name = place_of(path), path.rpartition("/")[2].removesuffix(".yaml")
        if place is None or place.pair is None or place.role is not Role.MANIFEST or place.pair in asked:
            continue
        if name in in_use.get(place.pair.namespace, ()):
            found[place.pair].append(name)
    return found
