"""What `render` and `check` share: a root prepared, planned and held against its output."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.cli.artifacts import get_contents
from kagent_render.cli.failure import Status
from kagent_render.cli.history import CommittedOutput
from kagent_render.cli.memory import open_memo, program_identity
from kagent_render.cli.report import AgentReport, PairReport
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.diagnostics.diagnostic import (
    Diagnostic,
    PlatformAgentRef,
    Severity,
    distinct,
    escalate,
)
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.comparison import drift
from kagent_render.preparation.agent_currency import AgentCurrency
from kagent_render.preparation.agent_output import LockedPlatformAgent, lock_agents
from kagent_render.preparation.capability_records import read_records
from kagent_render.preparation.conditions import pair_conditions
from kagent_render.preparation.currency import Currency
from kagent_render.preparation.flow import Preparation, prepare
from kagent_render.preparation.in_use import names_in_use
from kagent_render.preparation.kept import kept_owners, outliving_manifests, written_owners
from kagent_render.preparation.known_files import KnownFiles
from kagent_render.preparation.output import History, PlannedOutput, plan_pairs
from kagent_render.preparation.output_files import OutputFiles
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
    from kagent_render.emit.layout import Owner
    from kagent_render.preparation.platform_agents import Images
    from kagent_render.source.config import RenderConfig


@dataclass(frozen=True, slots=True)
class RootRun:
    """One root prepared and held against its output; `currency` says what is not as it should be."""

    root: Root
    config: RenderConfig
    preparation: Preparation
    planned: PlannedOutput
    currency: Currency
    agents: Mapping[PlatformAgentRef, LockedPlatformAgent]
    agent_currency: AgentCurrency

    @property
    def hindered(self) -> dict[Owner, list[Diagnostic]]:
        """Pairs and PlatformAgents that must not be overwritten, and why.

        The lock is of a newer release, an artifact has other content, or a retained manifest is lost.
        """
        found: dict[Owner, list[Diagnostic]] = {
            pair: list(self._hindering(pair)) for pair in self.planned.pairs
        }
        found.update({ref: list(self.agent_currency.hindering(ref)) for ref in self.agents})
        return {owner: hindrances for owner, hindrances in found.items() if hindrances}

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
        """What keeps pairs and agents from being prepared, and what was found on the way."""
        return distinct([*self.preparation.told, *self.planned.diagnostics])


def prepare_root(root: Root, config: RenderConfig, settings: Settings, progress: Progress) -> Preparation:
    """Read a root's documents, get its artifacts and prepare every pair."""
    progress.say("Reading manifests")

    def fetch(wanted: Sequence[ArtifactSource]) -> Packages:
        found = get_contents(root, config, settings, wanted, progress)
        progress.say("Preparing pairs")
        return found

    def resolve(wanted: Sequence[str]) -> Images:
        from kagent_render.cli.plugin_images import get_images

        return get_images(root, config, settings, wanted, progress)

    with open_memo(wanted=settings.remembers) as memo:
        files = KnownFiles(memo, program_identity(), root.reader)
        sources = discover(root.reader, config, files.recall)
        records = read_records(root.committed, config, load_catalog())
        preparation = prepare(
            sources.documents,
            config,
            records,
            fetch,
            resolve,
            strict=settings.strict,
            unread=any(found.is_error for found in sources.diagnostics),
            decode_one=files.decode,
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
    aside: Collection[Owner] = (),
    history: History | None = None,
) -> RootRun:
    """Plan the output of what was prepared and compare it with what is there.

    `history` is what was committed before, where the root does not know. Pairs and agents that are set
    `aside` keep what they have, as those that failed do; one that has nothing is not to be listed.
    """
    staying = {owner for owner in written_owners(output) if owner in aside} if aside else set()
    kept = {*kept_owners(preparation, output), *staying}
    agents = lock_agents(
        (outcome for outcome in preparation.agents.outcomes if outcome.ref not in aside),
        config,
        preparation.digested.digests,
    )
    written = [outcome for outcome in preparation.pairs if outcome.pair not in aside]
    in_use = names_in_use(preparation.documents)
    asked = {*kept, *aside, *(outcome.pair for outcome in preparation.pairs)}
    with open_memo(wanted=settings.remembers) as memo:
        planned = plan_pairs(
            dataclasses.replace(preparation, pairs=tuple(written)),
            config,
            history or CommittedOutput(root, config.output, settings, memo),
            in_use,
            kept,
            memo,
            program_identity(),
            outliving_manifests(output, asked, in_use),
            [agent.output for agent in agents.values()],
        )
    files = OutputFiles(planned.plan, output, config.output)
    return RootRun(
        root,
        config,
        preparation,
        planned,
        Currency(planned, files, preparation.inventory, config, preparation.records.own),
        agents,
        AgentCurrency(agents, files, preparation.inventory, config, asked_anew=settings.asks_anew),
    )


def hold_plan_against(run: RootRun, output: OutputReader, settings: Settings) -> RootRun:
    """What was planned already, compared with another folder than the one that it was planned for."""
    files, inventory = OutputFiles(run.planned.plan, output, run.config.output), run.preparation.inventory
    return dataclasses.replace(
        run,
        currency=Currency(run.planned, files, inventory, run.config, run.preparation.records.own),
        agent_currency=AgentCurrency(run.agents, files, inventory, run.config, asked_anew=settings.asks_anew),
    )


def reported_pairs(
    preparation: Preparation,
    run: RootRun | None = None,
    findings: Mapping[PairRef, Sequence[Diagnostic]] | None = None,
) -> list[PairReport]:
    """Every pair with its conditions, `findings` about its output included."""
    locked = run.planned.pairs if run is not None else {}
    planned = run.planned.diagnostics if run is not None else ()
    return [
        PairReport(
            outcome.pair,
            locked[outcome.pair].revision if outcome.pair in locked else None,
            pair_conditions(
                [
                    *outcome.diagnostics,
                    *(found for found in planned if found.pair == outcome.pair),
                    *(findings or {}).get(outcome.pair, ()),
                ],
                blocked=outcome.blocked,
            ),
            outcome.graph.tree.root if outcome.graph.tree is not None else None,
        )
        for outcome in preparation.pairs
    ]


def reported_agents(
    preparation: Preparation,
    run: RootRun | None = None,
    findings: Mapping[PlatformAgentRef, Sequence[Diagnostic]] | None = None,
) -> list[AgentReport]:
    """Every PlatformAgent with its conditions, `findings` about its output included."""
    locked = run.agents if run is not None else {}
    return [
        AgentReport(
            outcome.ref,
            locked[outcome.ref].lock.revision if outcome.ref in locked else None,
            pair_conditions(
                [*outcome.faults, *(findings or {}).get(outcome.ref, ())], blocked=outcome.blocked
            ),
            outcome.compiled,
        )
        for outcome in preparation.agents.outcomes
    ]


def worst_status(diagnostics: Iterable[Diagnostic]) -> Status:
    """2 where the configuration is at fault, 1 where anything else is, else 0."""
    reasons = {found.reason for found in diagnostics if found.is_error}
    if Reason.CONFIG_INVALID in reasons:
        return Status.USAGE
    return Status.FINDINGS if reasons else Status.CLEAN
