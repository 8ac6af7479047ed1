"""`kagent-render explain`: where a value in the output comes from, with source positions."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import Settings, shared_options, wants_colour
from kagent_render.diagnostics.diagnostic import distinct, field_text
from kagent_render.diagnostics.document import object_document
from kagent_render.diagnostics.text import printable
from kagent_render.preparation.platform_agents import AgentOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root
    from kagent_render.preparation.explanation import Explanation
    from kagent_render.preparation.flow import Preparation
    from kagent_render.preparation.pair import PairOutcome


CAPABILITIES = "capabilities"
_EMPTY = '""'
_WRITTEN = "write a pair as `namespace/harness/template`, a platform agent as `namespace/name`"


@click.command()
@click.argument("pair")
@click.argument("field", required=False, default="")
@shared_options()
def command(settings: Settings, pair: str, field: str) -> None:
    """Show where the values of PAIR come from: namespace/harness/template, or namespace/name.

    The second is a platform agent, of whose Component FIELD is a field, such as `volumes` or `data`.

    FIELD is a field of an ActorTemplate, such as `spec.containers[0].image` or
    `spec.containers[0].env[KAGENT_CONFIG_JSON].instruction`, or a part of one, such as `egress`.
    `credentials` shows what the pair has of Secrets: variables, and headers that they are put into.
    `capabilities` shows what the pair's runtime can do, what showed that, and which of it the pair needs.
    """
    sys.exit(explain(settings, pair, field))


def explain(settings: Settings, name: str, field: str) -> Status:
    """Explain one pair; the status is what the program exits with."""
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import open_roots
    from kagent_render.cli.run import reported_pairs, worst_status

    roots = open_roots(settings)
    if broken := [RootReport(root, (), root.faults, ()) for root in roots if root.config is None]:
        _report(broken, settings)
        return Status.USAGE
    root, preparation, outcome = _find(roots, settings, name)
    if isinstance(outcome, AgentOutcome):
        return _explain_agent(root, preparation, outcome, settings, field)
    if field == CAPABILITIES and outcome.attempted is not None:
        from kagent_render.cli.explain.capabilities import explain_capabilities

        explain_capabilities(outcome.attempted, settings)
        return Status.CLEAN
    if outcome.compiled is None:
        # A fault that several pairs share is told as one's, and this may be another one.
        general = [found for found in preparation.diagnostics if found.pair is None]
        own = distinct([*general, *outcome.diagnostics])
        pairs = [pair for pair in reported_pairs(preparation) if pair.pair == outcome.pair]
        _report([RootReport(root, pairs, own, ())], settings)
        return worst_status(own)
    _show(_explain(root, preparation, outcome, field), name, field, root, settings)
    return Status.CLEAN


def _explain_agent(
    root: Root, preparation: Preparation, outcome: AgentOutcome, settings: Settings, field: str
) -> Status:
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.run import reported_agents, worst_status
    from kagent_render.preparation.agent_explainer import explain_agent
    from kagent_render.preparation.explanation import select

    assert root.config is not None
    if outcome.compiled is None:
        own = [found for found in preparation.told if found.pair is None]
        agents = [agent for agent in reported_agents(preparation) if agent.agent == outcome.ref]
        _report([RootReport(root, (), own, (), agents=agents)], settings)
        return worst_status(own)
    explanations = explain_agent(outcome.compiled, root.config)
    wanted = select(explanations, {None: field}) if field else explanations
    _show(wanted, str(outcome.ref), field, root, settings)
    return Status.CLEAN


def _show(explanations: Sequence[Explanation], name: str, field: str, root: Root, settings: Settings) -> None:
    if not explanations:
        raise EnvironmentFailure(
            f"nothing in the output of `{name}` is named `{field}`",
            f"run `kagent-render explain {name}` to see all fields",
        )
    if settings.format == "json":
        click.echo(json.dumps([_document(entry) for entry in explanations], indent=2, ensure_ascii=False))
    else:
        _print(explanations, root, settings)


def _report(reports: Sequence[RootReport], settings: Settings) -> None:
    """Say why there is nothing to explain."""
    from kagent_render.cli.report import print_diagnostics, print_json

    if settings.format == "json":
        print_json(reports)
        return
    for report in reports:
        print_diagnostics(report, settings)


def _find(
    roots: Sequence[Root], settings: Settings, name: str
) -> tuple[Root, Preparation, PairOutcome | AgentOutcome]:
    """The one root that has the pair or platform agent, with its preparation."""
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.run import prepare_root

    known: list[str] = []
    found: list[tuple[Root, Preparation, PairOutcome | AgentOutcome]] = []
    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        for root in roots:
            assert root.config is not None
            preparation = prepare_root(root, root.config, settings, progress)
            outcomes: list[PairOutcome | AgentOutcome] = [*preparation.pairs, *preparation.agents.outcomes]
            for outcome in outcomes:
                known.append(str(outcome.ref if isinstance(outcome, AgentOutcome) else outcome.pair))
                if known[-1] == name:
                    found.append((root, preparation, outcome))
    if len(found) > 1:
        folders = ", ".join(f"`{os.path.relpath(root.folder)}`" for root, _, _ in found)
        raise EnvironmentFailure(
            f"{len(found)} roots have `{name}`: {folders}",
            "name one of them as PATH, after the field",
        )
    if found:
        return found[0]
    from kagent_render.graph.nearest import nearest_name

    ending = [pair for pair in known if pair.endswith(f"/{name}")]
    near = ending[0] if len(ending) == 1 else nearest_name(name, sorted(known))
    hint = f"did you mean `{near}`?" if near else _WRITTEN
    raise EnvironmentFailure(
        f"no pair `{name}`" if name.count("/") != 1 else f"nothing is named `{name}`", hint
    )


def _explain(root: Root, preparation: Preparation, outcome: PairOutcome, field: str) -> list[Explanation]:
    from kagent_render.preparation.explainer import explain_pair
    from kagent_render.preparation.explanation import env_names, select
    from kagent_render.target.generations import generation_of

    assert root.config is not None
    assert outcome.compiled is not None
    explanations = explain_pair(outcome.compiled, preparation.policy, root.config, preparation.inventory)
    if not field:
        return explanations
    if not generation_of(outcome.compiled.target).IS_RESOURCE:
        field = field.removeprefix("spec.")  # only objects of Kubernetes have one
    boundaries = (boundary for boundary, _ in outcome.compiled.boundaries)
    return select(explanations, {found.bundle.path: env_names(found, field) for found in boundaries})


def _document(entry: Explanation) -> dict[str, Any]:
    return {
        "boundary": entry.boundary,
        "file" if entry.boundary is None else "actorTemplate": entry.manifest,
        "field": entry.field,
        "value": entry.value,
        "note": entry.note or None,
        "sources": [
            {
                "object": object_document(source.document.ref),
                "field": field_text(source.field),
                "source": dataclasses.asdict(source.position),
            }
            for source in entry.sources
        ],
    }


def _print(explanations: Sequence[Explanation], root: Root, settings: Settings) -> None:
    from kagent_render.diagnostics.style import Style

    colour = wants_colour(settings.colour_choice, sys.stdout)
    style = Style(colour)
    boundary = None
    for entry in explanations:
        if entry.manifest != boundary:
            boundary = entry.manifest
            kind = "" if entry.boundary is None else "ActorTemplate "
            heading = f"{kind}{entry.manifest}" + (f" ({entry.boundary})" if entry.boundary else "")
            click.echo(style.bold(heading), color=colour)
        click.echo(f"  {style.hint(entry.field)} = {printable(entry.value) or _EMPTY}", color=colour)
        for source in entry.sources:
            place = source.position
            path = os.path.relpath(Path(root.folder, place.path))
            what = f"{source.document.ref} {field_text(source.field)}"
            click.echo(
                f"      {style.dim(f'{path}:{place.line}:{place.column}')}  {printable(what)}", color=colour
            )
        if entry.note:
            click.echo(f"      {style.dim(entry.note)}", color=colour)
