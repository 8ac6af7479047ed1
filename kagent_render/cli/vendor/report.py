"""Prints what `vendor` did or `vendor --check` found: one line an artifact, or JSON."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from kagent_render.artifacts.source_identity import (
    Identity,
    identity_key,
    nameable_source,
    shortened,
    source_identity,
    source_key,
)
from kagent_render.artifacts.store.drift import identity_text
from kagent_render.artifacts.store.index import STORE
from kagent_render.artifacts.store.plan import ArtifactState, content_name
from kagent_render.cli.report import RootReport, print_diagnostics, print_document, print_summary
from kagent_render.diagnostics.size import size_text
from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.cli.options import Settings
    from kagent_render.cli.roots import Root
    from kagent_render.cli.vendored import VendoredRoot

_LISTED = 12
"""Artifacts up to which each is listed; more of them are only counted unless asked for."""

_UNDONE = {
    ArtifactState.ADDED: "missing",
    ArtifactState.RESTORED: "damaged",
    ArtifactState.REMOVED: "unused",
}


@dataclass(frozen=True, slots=True)
class ArtifactLine:
    """One artifact for printing; digest and size are None where they are not known."""

    identity: Identity
    state: str
    digest: str | None = None
    size: int | None = None


def print_vendored(roots: Sequence[VendoredRoot], settings: Settings, *, checked: bool = False) -> None:
    """The one JSON object of all roots on stdout, or a text for people on stderr."""
    reports = [_report(root, checked=checked) for root in roots]
    if settings.format == "json":
        artifacts = [_document(line, root.root) for root in roots for line in _lines(root)]
        print_document({"artifacts": artifacts}, reports)
        return
    for root, report in zip(roots, reports, strict=True):
        print_diagnostics(report, settings)
        lines = list(_lines(root))
        _print_table(lines, settings)
        stopped = not checked and not root.written
        text = _checked_text(report, lines) if checked else _written_text(root, report, lines)
        print_summary(text, report, settings, named=len(roots) > 1, stopped=stopped)
        _print_next_step(root, settings)


def _report(root: VendoredRoot, *, checked: bool) -> RootReport:
    return RootReport(root.root, (), root.diagnostics, root.changed if root.written or checked else ())


def _lines(root: VendoredRoot) -> Iterator[ArtifactLine]:
    """Every artifact of the store and of the manifests, in the order of the index."""
    if root.store is None:
        return
    failed = {source_key(source): source for source in root.store.judged.failures}
    lines = {
        identity_key(artifact.identity): ArtifactLine(
            artifact.identity,
            str(artifact.state) if root.written else _UNDONE.get(artifact.state, str(artifact.state)),
            artifact.digest,
            artifact.size,
        )
        for artifact in root.store.plan.artifacts
    }
    for key, source in failed.items():
        known = root.store.present.entries.get(key)
        state = "damaged" if known is not None else "missing"
        lines[key] = ArtifactLine(source_identity(source), state, known.digest if known else None)
    yield from (lines[key] for key in sorted(lines))


def _document(line: ArtifactLine, root: Root) -> dict[str, Any]:
    """One artifact as JSON; `root` leads from PATH to the root that it is of."""
    known = nameable_source(line.identity)
    return {
        "root": root.prefix or ".",
        "source": source_identity(known) if known is not None else None,
        "treeDigest": line.digest,
        "size": line.size,
        "state": line.state,
    }


def _print_table(lines: Sequence[ArtifactLine], settings: Settings) -> None:
    """State, digest, size and source in columns; `--verbose` shows what was kept, all digits, and where."""
    shown = [line for line in lines if settings.verbose or line.state != ArtifactState.KEPT]
    if len(shown) > _LISTED and not settings.verbose:
        return
    rows = [
        (
            line.state,
            _place(line, settings),
            "" if line.size is None else size_text(line.size),
            _source(line, settings),
        )
        for line in shown
    ]
    states, places, sizes = (max((len(row[column]) for row in rows), default=0) for column in range(3))
    style = Style(settings.colour)
    for state, place, size, source in rows:
        known = [f"{place:<{places}}"] * (places > 0) + [f"{size:>{sizes}}"] * (sizes > 0)
        columns = [f"{state:<{states}}", *map(style.dim, known), source]
        click.echo("  ".join(columns), err=True, color=settings.colour)


def _source(line: ArtifactLine, settings: Settings) -> str:
    text = identity_text(line.identity).replace("`", "")
    return text if settings.verbose else shortened(text)


def _place(line: ArtifactLine, settings: Settings) -> str:
    if line.digest is None:
        return ""
    return f"{STORE}/{content_name(line.digest)}" if settings.verbose else line.digest[:19]


def _checked_text(report: RootReport, lines: Sequence[ArtifactLine]) -> str:
    if report.root.config is None:
        return "nothing was checked"
    if any(found.is_error for found in report.diagnostics):
        return f"`{STORE}` is not current"
    return f"{_count(len(lines))} current"


def _written_text(root: VendoredRoot, report: RootReport, lines: Sequence[ArtifactLine]) -> str:
    if not root.written:
        failed = any(found.is_error for found in report.diagnostics)
        return "nothing was written" if failed else "nothing was written, because another root failed"
    counts = Counter(line.state for line in lines)
    parts = [f"{state} {counts[state]}" for state in ArtifactState if counts[state]]
    if root.store is not None and root.store.uses.doubts:
        parts.append("none removed, since not every document could be read")
    held = len(lines) - counts[ArtifactState.REMOVED]
    return ", ".join((f"{_count(held)} vendored" if held else "no artifacts", *parts))


def _count(number: int) -> str:
    return f"{number or 'no'} artifact{'s' if number != 1 else ''}"


def _print_next_step(root: VendoredRoot, settings: Settings) -> None:
    """Git adds what it ignores only when told to, and ignored files are content too."""
    if root.written and root.changed and root.root.repository is not None:
        place = printable(os.path.relpath(root.root.folder / STORE))
        hint = Style(settings.colour).hint("hint")
        click.echo(f"  {hint}: stage it with `git add --force {place}`", err=True, color=settings.colour)
