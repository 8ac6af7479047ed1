"""Prints what a command found: diagnostics on stderr, data on stdout."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kagent_render.cli.excerpt import Excerpts
from kagent_render.diagnostics.diagnostic import Diagnostic, PairRef, PlatformAgentRef, Severity
from kagent_render.diagnostics.document import to_document
from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import printable, summarize, write_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.agentplugin.compiled import CompiledAgent, PluginStatus
    from kagent_render.cli.options import Settings
    from kagent_render.cli.roots import Root
    from kagent_render.graph.tree import Node
    from kagent_render.preparation.conditions import PairCondition


@dataclass(frozen=True, slots=True)
class PairReport:
    """One pair for printing; `revision` is None where it did not prepare, `root` its tree's root."""

    pair: PairRef
    revision: str | None
    conditions: tuple[PairCondition, ...]
    root: Node | None = None


@dataclass(frozen=True, slots=True)
class AgentReport:
    """One PlatformAgent for printing; `revision` and `compiled` are None where it did not prepare."""

    agent: PlatformAgentRef
    revision: str | None
    conditions: tuple[PairCondition, ...]
    compiled: CompiledAgent | None = None


@dataclass(frozen=True, slots=True)
class RootReport:
    """What one root gave; `changed` are paths from the root, `removed` of them are gone.

    `orphans` are the statuses of plugins that no PlatformAgent takes. `halted`: an error kept it from being
    written. `unstaged` are the paths that the index has otherwise than planned; None where nobody asked.
    `beside_others`: the output folder holds files that are of no commit, too.
    """

    root: Root
    pairs: Sequence[PairReport]
    diagnostics: Sequence[Diagnostic]
    changed: Sequence[str]
    removed: int = 0
    agents: Sequence[AgentReport] = ()
    orphans: Sequence[PluginStatus] = ()
    halted: bool = False
    unstaged: Sequence[str] | None = None
    beside_others: bool = False

    @property
    def subjects(self) -> Sequence[PairReport | AgentReport]:
        """Everything that was to be prepared."""
        return [*self.pairs, *self.agents]


def print_json(reports: Sequence[RootReport]) -> None:
    """One JSON object for all roots (DESIGN 14); paths of several roots start at PATH."""
    print_document(prepared_subjects(reports), reports)


def prepared_subjects(reports: Sequence[RootReport]) -> dict[str, Any]:
    """Pairs, and PlatformAgents and plugins where there are any, as JSON."""
    subject: dict[str, Any] = {"pairs": [_pair(pair) for report in reports for pair in report.pairs]}
    if any(report.agents or report.orphans for report in reports):
        subject["platformAgents"] = [_agent(agent) for report in reports for agent in report.agents]
        subject["agentPlugins"] = [_plugin(*found) for report in reports for found in _statuses(report)]
    return subject


def print_document(subject: Mapping[str, Any], reports: Sequence[RootReport]) -> None:
    """What a command is about, then what it found and changed, as one JSON object."""
    click.echo(json_text(document_of(subject, reports)))


def json_text(document: Mapping[str, Any]) -> str:
    """A document as JSON in which a runner of jobs, whose log it may be in, finds no command."""
    return json.dumps(document, indent=2, ensure_ascii=False).replace("##[", "##\\u005b")


def document_of(subject: Mapping[str, Any], reports: Sequence[RootReport]) -> dict[str, Any]:
    """That object, before it is printed."""
    document: dict[str, Any] = {
        **subject,
        "diagnostics": [
            _located(to_document(found), report) for report in reports for found in report.diagnostics
        ],
        "changed": [path_from_start(path, report.root) for report in reports for path in report.changed],
    }
    if any(report.unstaged is not None for report in reports):
        document["unstaged"] = [
            path_from_start(path, report.root) for report in reports for path in report.unstaged or ()
        ]
    return document


def _pair(report: PairReport) -> dict[str, Any]:
    return {
        "namespace": report.pair.namespace,
        "harness": report.pair.harness,
        "template": report.pair.template,
        "revision": report.revision,
        "conditions": _conditions(report.conditions),
    }


def _conditions(conditions: Sequence[PairCondition]) -> list[dict[str, str]]:
    return [
        {
            "type": condition.type.value,
            "status": "True" if condition.status else "False",
            "reason": condition.reason,
            "message": condition.message,
        }
        for condition in conditions
    ]


def _agent(report: AgentReport) -> dict[str, Any]:
    return {
        "namespace": report.agent.namespace,
        "name": report.agent.name,
        "revision": report.revision,
        "conditions": _conditions(report.conditions),
    }


def _statuses(report: RootReport) -> list[tuple[PluginStatus, CompiledAgent | None]]:
    """The status of every plugin that has one, by namespace and name, with the agent that it is of."""
    found: list[tuple[PluginStatus, CompiledAgent | None]] = [(status, None) for status in report.orphans]
    compiled = (agent.compiled for agent in report.agents if agent.compiled is not None)
    found += [(status, agent) for agent in compiled for status in agent.statuses]
    return sorted(found, key=lambda item: (item[0].plugin.namespace, item[0].plugin.name))


def _plugin(status: PluginStatus, agent: CompiledAgent | None) -> dict[str, Any]:
    image = agent.image_of(status.plugin) if agent is not None else None
    return {
        "namespace": status.plugin.namespace,
        "name": status.plugin.name,
        "agentRef": status.plugin.agent,
        "profile": status.plugin.profile or None,
        "image": status.plugin.image,
        "digest": image.digest if image is not None else None,
        "rendered": agent is not None and status.plugin in agent.rendered,
        "phase": status.phase,
        "reason": status.reason,
        "message": status.message,
        "targetAgents": list(status.target_agents) if status.target_agents is not None else None,
        "observedGeneration": status.observed_generation,
    }


def _located(document: dict[str, Any], report: RootReport) -> dict[str, Any]:
    if document["source"] is not None:
        document["source"]["path"] = path_from_start(document["source"]["path"], report.root)
    return document


def path_from_start(path: str, root: Root) -> str:
    """A path of a root below PATH from PATH; of the root above PATH from the root itself."""
    if not root.prefix or root.prefix.startswith("..") or path.startswith("<"):
        return path
    return Path(root.prefix, path).as_posix()


def shown_diagnostics(report: RootReport, settings: Settings) -> list[Diagnostic]:
    """Those that are for people: notes only with `--verbose`."""
    return [found for found in report.diagnostics if settings.verbose or found.severity is not Severity.INFO]


def print_diagnostics(report: RootReport, settings: Settings, *, quoting: bool = True) -> None:
    """Every diagnostic on stderr, its source line with it if `quoting`; notes only with `--verbose`."""
    shown = shown_diagnostics(report, settings)
    if shown:
        line = Excerpts(report.root.reader).line if quoting else _no_line
        style = Style(settings.colour)
        text = write_text(shown, style, line, lambda path: _from_here(path, report.root))
        click.echo(text + "\n", err=True, color=settings.colour)


def _no_line(_path: str, _number: int) -> None:
    """No source line at all."""


def _from_here(path: str, root: Root) -> str:
    """A path that can be opened from the working directory."""
    return path if path.startswith("<") else os.path.relpath(root.folder / path)


def counted(pairs: int, agents: int) -> str:
    """So many pairs and PlatformAgents, in words; agents are named only where there are any."""
    parts = [f"{pairs or 'no'} pair{'s' if pairs != 1 else ''}"] if pairs or not agents else []
    parts += [f"{agents} platform agent{'s' if agents != 1 else ''}"] if agents else []
    return " and ".join(parts)


def print_summary(
    text: str, report: RootReport, settings: Settings, *, named: bool, stopped: bool = False
) -> None:
    """The last line on stderr: what was done, and how much was found.

    It is `named` where there are several roots, and `stopped` where another one kept it from its work.
    """
    style = Style(settings.colour)
    line = summary_line(text, report, settings, style, named=named, stopped=stopped)
    click.echo(line, err=True, color=settings.colour)


def summary_line(
    text: str, report: RootReport, settings: Settings, style: Style, *, named: bool, stopped: bool = False
) -> str:
    """What `print_summary` prints."""
    counted = summarize(report.diagnostics, notes_hidden=not settings.verbose)
    failed = stopped or any(found.is_error for found in report.diagnostics)
    mark = style.bad("✗") if failed else style.good("✓")
    place = f"{printable(os.path.relpath(report.root.folder))}: " if named else ""
    return f"{mark} {place}{text}{f' ({counted})' if counted else ''}"
