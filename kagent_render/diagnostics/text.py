"""Diagnostics for people: what, where with the source line and a caret, and what to do."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kagent_render.diagnostics.style import Style

_SHOWN_PLACES = 3
_TAB = "    "


def write_text(
    diagnostics: Sequence[Diagnostic],
    style: Style,
    source_line: Callable[[str, int], str | None],
    display_path: Callable[[str], str],
) -> str:
    """Every error by itself, warnings that say the same thing together, then a count."""
    blocks = ["\n".join(_block(group, style, source_line, display_path)) for group in _grouped(diagnostics)]
    return "\n\n".join(blocks)


def summarize(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`; empty when there is neither."""
    counts = {Severity.ERROR: 0, Severity.WARNING: 0, Severity.INFO: 0}
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    parts = [
        f"{count} {severity.value}{'s' if count != 1 else ''}"
        for severity, count in counts.items()
        if count and severity is not Severity.INFO
    ]
    return ", ".join(parts)


def _grouped(diagnostics: Sequence[Diagnostic]) -> list[list[Diagnostic]]:
    groups: dict[object, list[Diagnostic]] = {}
    for index, diagnostic in enumerate(diagnostics):
        key = index if diagnostic.is_error else (diagnostic.reason, diagnostic.message)
        groups.setdefault(key, []).append(diagnostic)
    return list(groups.values())


def _block(
    group: list[Diagnostic],
    style: Style,
    source_line: Callable[[str, int], str | None],
    display_path: Callable[[str], str],
) -> Iterator[str]:
    first, rest = group[0], group[1:]
    label = style.severity(first.severity, f"{first.severity.value}[{first.reason}]")
    yield f"{label}: {style.bold(printable(first.message))}"
    if first.source is not None:
        yield f"  {style.frame('-->')} {_place(first, display_path)}"
        yield from _excerpt(first, style, source_line)
    if first.pair is not None:
        yield f"  {style.frame('=')} while preparing {printable(str(first.pair))}"
    for other in rest[:_SHOWN_PLACES]:
        yield f"  {style.frame('-->')} {_place(other, display_path)}"
    if len(rest) > _SHOWN_PLACES:
        yield f"  {style.frame('=')} and at {len(rest) - _SHOWN_PLACES} more places"
    if first.hint:
        yield f"  {style.hint('hint')}: {printable(first.hint)}"


def _place(diagnostic: Diagnostic, display_path: Callable[[str], str]) -> str:
    source = diagnostic.source
    if source is None:
        return printable(str(diagnostic.object))
    place = f"{display_path(printable(source.path))}:{source.line}:{source.column}"
    of = f" in {diagnostic.object}" if diagnostic.object else ""
    return place + printable(of + (f" at {diagnostic.field}" if diagnostic.field else ""))


def _excerpt(
    diagnostic: Diagnostic, style: Style, source_line: Callable[[str, int], str | None]
) -> Iterator[str]:
    """The source line with a caret below the field; nothing where the line may hold a credential."""
    source = diagnostic.source
    if source is None or diagnostic.sensitive:
        return
    text = source_line(source.path, source.line)
    if text is None:
        return
    number = str(source.line)
    before, shown = text[: source.column - 1], printable(text.replace("\t", _TAB).rstrip())
    indent = " " * _columns(before)
    length = max(1, _columns(text[source.column - 1 :].split(":", 1)[0].rstrip()))
    margin = " " * len(number)
    yield f" {margin} {style.frame('|')}"
    yield f" {style.frame(number)} {style.frame('|')} {shown[:200]}"
    if len(indent) < 200:
        carets = "^" * min(length, 200 - len(indent))
        yield f" {margin} {style.frame('|')} {indent}{style.severity(diagnostic.severity, carets)}"


def _columns(text: str) -> int:
    """How many columns a text takes on a terminal."""
    return sum(_width(character) for character in text.replace("\t", _TAB))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def printable(text: str) -> str:
    """Text without control or format characters: a manifest cannot move a terminal's cursor."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character == " " else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )
