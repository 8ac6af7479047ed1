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
from kagent_render.compile.capabilities.record import value_text
from kagent_render.diagnostics.diagnostic import Severity, field_text
from kagent_render.diagnostics.document import object_document
from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import printable
from kagent_render.preparation.capability_report import (
    CapabilityLine,
    CapabilityNeed,
    report_capabilities,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.revision.compiled_pair import CompiledPair

_COLUMNS = ("CAPABILITY", "NEEDED HERE", "VALUE", "SHOWN BY")
_WIDEST = 26
"""Characters beyond which a cell goes on in the next line, so that a row fits a terminal of 80."""


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
    pair = compiled.pair
    return {
        "pair": {"namespace": pair.namespace, "harness": pair.harness, "template": pair.template},
        "record": record.name,
        "version": record.version,
        "digest": record.digest,
        "adapter": record.adapter,
        "runtime": {"name": record.runtime_name, "version": record.runtime_version},
        "image": _image(compiled),
        "chosenBy": "image" if _is_named(record, compiled) else "default",
    }


def _document(line: CapabilityLine) -> dict[str, Any]:
    value = line.capability.value
    return {
        "name": line.name,
        "value": list(value) if isinstance(value, tuple) else value,
        "others": "unproven" if line.capability.others_open else None,
        "evidence": line.capability.evidence or None,
        "needs": [{"requirement": need.requirement, "met": need.met} for need in line.needs],
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
    default = f"the default of the adapter {record.adapter}"
    chosen = "for this image" if _is_named(record, compiled) else default
    notes = {text: str(number) for number, text in enumerate(_evidence(lines), 1)}
    click.echo(style.bold(f"{compiled.pair}"), color=colour)
    click.echo(printable(f"record {record.name}, {chosen}"), color=colour)
    click.echo(printable(f"version {record.version}, {record.runtime}"), color=colour)
    click.echo(f"{style.dim(record.digest)}\n", color=colour)
    rows = [_cells(line, notes) for line in lines]
    widths = [max(len(text) for row in rows for text in (_COLUMNS[at], *row[at])) for at in range(3)]
    click.echo(style.bold(_row(_COLUMNS, widths)), color=colour)
    for line, row in zip(lines, rows, strict=True):
        for cells in zip_longest(*row, fillvalue=""):
            click.echo(_painted(line, _row(cells, widths), style), color=colour)
    click.echo()
    for text, number in notes.items():
        click.echo(style.dim(f"{number:>3}  {printable(text)}"), color=colour)


def _evidence(lines: Sequence[CapabilityLine]) -> list[str]:
    """What showed the values, each once, in the order of the table."""
    return list(dict.fromkeys(line.capability.evidence for line in lines if line.capability.evidence))


def _cells(line: CapabilityLine, notes: Mapping[str, str]) -> list[list[str]]:
    """The columns of one capability, each as its lines."""
    cells = (line.name, _needed(line), value_text(line.capability), notes.get(line.capability.evidence, ""))
    return [wrap(printable(cell), _WIDEST) for cell in cells]


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=False)]
    return "  ".join([*padded, cells[-1]]).rstrip()


def _needed(line: CapabilityLine) -> str:
    """What the pair needs of it: the bare name says no more than the first column."""
    return ", ".join(_need(line.name, need) for need in line.needs) or "-"


def _need(name: str, need: CapabilityNeed) -> str:
    what = need.requirement.removeprefix(name).lstrip("=") or "yes"
    return what + {True: "", False: " (denied)", None: " (unproven)"}[need.met]


def _painted(line: CapabilityLine, text: str, style: Style) -> str:
    if line.is_denied:
        return style.bad(text)
    if line.is_open:
        return style.severity(Severity.WARNING, text)
    return text if line.needs else style.dim(text)


def _image(compiled: CompiledPair) -> str:
    return compiled.boundaries[0][0].bundle.image


def _is_named(record: CapabilityRecord, compiled: CompiledPair) -> bool:
    return _image(compiled).rpartition("@")[2] in record.images
