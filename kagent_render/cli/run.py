"""What `render` and `check` share: a root prepared, planned and held against its output."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.cli.artifacts import get_contents
from kagent_render.cli.failure import Status
from kagent_render.cli.history import CommittedOutput
from kagent_render.cli.memory import open_memo, program_identity
from kagent_render.cli.report import PairReport
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.diagnostics.diagnostic import Diagnostic, Severity, distinct, escalate
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.comparison import drift
from kagent_render.emit.layout import Role, place_of
from kagent_render.preparation.capability_records import read_records
from kagent_render.preparation.conditions import pair_conditions
from kagent_render.preparation.currency import Currency
from kagent_render.preparation.flow import Preparation, prepare
from kagent_render.preparation.in_use import names_in_use
from kagent_render.preparation.known_files import KnownFiles
from kagent_render.preparation.output import PlannedOutput, plan_pairs
from kagent_render.source.discovery import discover

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.compile.artifact_pins import Packages
    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.emit.folder import OutputReader
    from kagent_render.source.config import RenderConfig


@dataclass(frozen=True, slots=True)
class RootRun:
    """One root prepared and held against its output; `currency` says what is not as it should be."""

    root: Root
    config: RenderConfig
    preparation: Preparation
    planned: PlannedOutput
    currency: Currency

    @property
    def hindered(self) -> dict[PairRef, list[Diagnostic]]:
        """Pairs that must not be overwritten, and why.

        The lock is of a newer release, an artifact has other content, or a retained manifest is lost.
        """
        found = {pair: list(self._hindering(pair)) for pair in self.planned.pairs}
        return {pair: hindrances for pair, hindrances in found.items() if hindrances}

    @property
    def hindrances(self) -> list[Diagnostic]:
        """What keeps the plan from being written, and foreign files as warnings."""
        own = [found for findings in self.hindered.values() for found in findings]
        return [*own, *drift(self.currency.comparison, self.config.output, foreign=Severity.WARNING)]

    def _hindering(self, pair: PairRef) -> Iterator[Diagnostic]:
        newer = pair in self.currency.newer
        for found in self.currency.by_pair[pair]:
            if found.reason is Reason.ARTIFACT_DIGEST_MISMATCH or (
                newer and found.reason is Reason.LOCK_INVALID
            ):
                yield found
        yield from (found for found in self.planned.diagnostics if found.pair == pair)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What keeps pairs from being prepared, and what was found on the way."""
        return distinct([*self.preparation.diagnostics, *self.planned.diagnostics])


def prepare_root(root: Root, config: RenderConfig, settings: Settings, progress: Progress) -> Preparation:
    """Read a root's documents, get its artifacts and prepare every pair."""
    progress.say("Reading manifests")

    def fetch(wanted: Sequence[ArtifactSource]) -> Packages:
        found = get_contents(root, config, settings, wanted, progress)
        progress.say("Preparing pairs")
        return found

    with open_memo(wanted=settings.remembers) as memo:
        files = KnownFiles(memo, program_identity(), root.reader)
        sources = discover(root.reader, config, files.recall)
        records = read_records(root.committed, config, load_catalog())
        preparation = prepare(
            sources.documents, config, records, fetch, strict=settings.strict, decode_one=files.decode
        )
        files.remember({found.source.path for found in sources.diagnostics if found.source is not None})
    told = distinct([*escalate(sources.diagnostics, strict=settings.strict), *preparation.diagnostics])
    return dataclasses.replace(preparation, diagnostics=tuple(told))


def hold_against_output(
    root: Root,
    config: RenderConfig,
    settings: Settings,
    preparation: Preparation,
    output: OutputReader,
    aside: Collection[PairRef] = (),
) -> RootRun:
    """Plan the output of what was prepared and compare it with what is there.

    Pairs that are set `aside` keep what they have, as those that failed do.
    """
    kept = {*_kept_pairs(preparation, output), *aside}
    written = [outcome for outcome in preparation.pairs if outcome.pair not in aside]
    in_use = names_in_use(preparation.documents)
    asked = {*kept, *(outcome.pair for outcome in preparation.pairs)}
    with open_memo(wanted=settings.remembers) as memo:
        history = CommittedOutput(root, config.output, settings, memo)
        planned = plan_pairs(
            dataclasses.replace(preparation, pairs=tuple(written)),
            config,
            history,
            in_use,
            kept,
            memo,
            program_identity(),
            _outliving(output, asked, in_use),
        )
    currency = Currency(planned, output, preparation.inventory, config, preparation.records.own)
    return RootRun(root, config, preparation, planned, currency)


def _kept_pairs(preparation: Preparation, output: OutputReader) -> set[PairRef]:
    """Pairs whose output stays as it is: those that failed, and all others where it is not known who asks.

    A document that is not valid may be what asks for a pair, so none is gone while there is one. A pair that
    was written is known by its kustomization, too: one that lost its lock loses nothing else by failing.
    """
    prepared = {outcome.pair for outcome in preparation.pairs if outcome.is_prepared}
    failed = {outcome.pair for outcome in preparation.pairs} - prepared
    unsure = any(found.is_error and found.pair is None for found in preparation.diagnostics)
    if not failed and not unsure:
        return set()
    places = (place_of(entry.path) for entry in output.entries())
    written = {place.pair for place in places if place and place.pair and place.role is not Role.MANIFEST}
    return written - prepared if unsure else written & failed


def _outliving(
    output: OutputReader, asked: Collection[PairRef], in_use: Mapping[str, Collection[str]]
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


def reported_pairs(
    preparation: Preparation,
    run: RootRun | None = None,
    findings: Mapping[PairRef, Sequence[Diagnostic]] | None = None,
) -> list[PairReport]:
    """Every pair with its conditions, `findings` about its output included."""
    locked = run.planned.pairs if run is not None else {}
    return [
        PairReport(
            outcome.pair,
            locked[outcome.pair].revision if outcome.pair in locked else None,
            pair_conditions(
                [*outcome.diagnostics, *(findings or {}).get(outcome.pair, ())], blocked=outcome.blocked
            ),
            outcome.graph.tree.root if outcome.graph.tree is not None else None,
        )
        for outcome in preparation.pairs
    ]


def worst_status(diagnostics: Iterable[Diagnostic]) -> Status:
    """2 where the configuration is at fault, 1 where anything else is, else 0."""
    reasons = {found.reason for found in diagnostics if found.is_error}
    if Reason.CONFIG_INVALID in reasons:
        return Status.USAGE
    return Status.FINDINGS if reasons else Status.CLEAN
