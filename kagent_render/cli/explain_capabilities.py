"""`explain PAIR capabilities`: the record that a pair's runtime was held against."""

from __future__ import annotations

import dataclasses
import json
import sys
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from kagent_render.cli.options import Settings, wants_colour
from kagent_render.diagnostics.diagnostic import Severity, field_text
from kagent_render.diagnostics.document import object_document
from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import printable
from kagent_render.preparation.capability_report import CapabilityLine, report_capabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.revision.compiled_pair import CompiledPair

_COLUMNS = ("CAPABILITY", "VALUE", "NEEDED HERE", "EVIDENCE")
_WIDEST = 28
"""Characters beyond which a cell goes on in the next line."""


def explain_capabilities(compiled: CompiledPair, settings: Settings) -> None:
    """Print the record of a pair, whether or not it lets the pair be prepared."""
    lines = report_capabilities(compiled)
    if settings.format == "json":
        document = {**_record(compiled), "capabilities": [_document(line) for line in lines]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _print(compiled, lines, settings)


def _record(compiled: CompiledPair) -> dict[str, Any]:
    record = compiled.record
    return {
        "record": record.name,
        "version": record.version,
        "digest": record.digest,
        "adapter": record.adapter,
        "runtime": {"name": record.runtime_name, "version": record.runtime_version},
        "image": _image(compiled),
        "chosenBy": "image" if _is_named(record, compiled) else "default",
    }


def _document(line: CapabilityLine) -> dict[str, Any]:
    return {
        "name": line.name,
        "value": line.value,
        "evidence": line.evidence or None,
        "requirements": list(line.needs),
        "met": line.met,
        "neededBy": [
            {
                "object": object_document(source.document.ref),
                "field": field_text(source.field),
                "source": dataclasses.asdict(source.document.position(source.field)),
            }
            for source in line.fields
        ],
    }


def _print(compiled: CompiledPair, lines: Sequence[CapabilityLine], settings: Settings) -> None:
    colour = wants_colour(settings.colour_choice, sys.stdout)
    style = Style(colour)
    record = compiled.record
    chosen = (
        "for this image" if _is_named(record, compiled) else f"the default of the adapter {record.adapter}"
    )
    heading = f"Capability record {record.name} ({chosen})"
    click.echo(f"{style.bold(printable(heading))}", color=colour)
    click.echo(f"  version {record.version}, {printable(record.runtime)}", color=colour)
    click.echo(f"  {style.dim(record.digest)}\n", color=colour)
    rows = [_cells(line) for line in lines]
    widths = [max(len(text) for row in rows for text in (_COLUMNS[at], *row[at])) for at in range(3)]
    click.echo(style.bold(_row(_COLUMNS, widths)), color=colour)
    for line, row in zip(lines, rows, strict=True):
        for cells in zip_longest(*row, fillvalue=""):
            click.echo(_painted(line, _row(cells, widths), style), color=colour)


def _cells(line: CapabilityLine) -> list[list[str]]:
    """The columns of one capability, each as its lines; evidence stays whole, to be copied."""
    folded = (wrap(printable(cell), _WIDEST) for cell in (line.name, line.value, _needed(line)))
    return [*folded, [printable(line.evidence)]]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
    return "  ".join([*padded, cells[-1]]).rstrip()


def _needed(line: CapabilityLine) -> str:
    """What the pair needs of it: the bare name says no more than the first column."""
    if not line.needs:
        return "-"
    parts = [need.removeprefix(line.name).lstrip("=") for need in line.needs]
    what = ", ".join(part for part in parts if part)
    verdict = {True: "yes", False: "yes, denied", None: "yes, unproven"}[line.met]
    return f"{verdict}: {what}" if what else verdict


def _painted(line: CapabilityLine, text: str, style: Style) -> str:
    if line.met is False:
        return style.bad(text)
    if line.needs:
        return text if line.met else style.severity(Severity.WARNING, text)
    return style.dim(text)


def _image(compiled: CompiledPair) -> str:
    return compiled.boundaries[0][0].bundle.image


def _is_named(record: CapabilityRecord, compiled: CompiledPair) -> bool:
    return _image(compiled).rpartition("@")[2] in record.images
