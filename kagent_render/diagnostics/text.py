"""Diagnostics for people: what, where with the source line and a caret, and what to do."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kagent_render.diagnostics.reasons import Reason
    from kagent_render.diagnostics.style import Style

_SHOWN_PLACES = 3
_TAB = "    "


def write_text(
    diagnostics: Sequence[Diagnostic],
    style: Style,
    source_line: Callable[[str, int], str | None],
    display_path: Callable[[str], str],
) -> str:
    """Warnings first, all of one reason together, then every error by itself with its source line."""
    others: dict[tuple[Severity, Reason], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        if not diagnostic.is_error:
            others.setdefault((diagnostic.severity, diagnostic.reason), []).append(diagnostic)
    blocks = [_reason_block(group, style, display_path) for group in others.values()]
    errors = (diagnostic for diagnostic in diagnostics if diagnostic.is_error)
    blocks += [_error_block(error, style, source_line, display_path) for error in errors]
    return inert("\n\n".join("\n".join(block) for block in blocks))


def inert(text: str) -> str:
    """Text in which a runner of jobs finds no command: it looks for this form anywhere in a line of a log."""
    return text.replace("##[", "##\\[")


_NOUNS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def summarize(diagnostics: Iterable[Diagnostic], *, notes_hidden: bool = False) -> str:
    """`2 errors, 1 warning, 1 note`; notes that are hidden say which flag shows them."""
    counts = {Severity.ERROR: 0, Severity.WARNING: 0, Severity.INFO: 0}
    for diagnostic in diagnostics:
        counts[diagnostic.severity] += 1
    parts = [
        f"{count} {_NOUNS[severity]}{'s' if count != 1 else ''}"
        for severity, count in counts.items()
        if count
    ]
    return ", ".join(parts) + (" with -v" if notes_hidden and counts[Severity.INFO] else "")


def _reason_block(group: list[Diagnostic], style: Style, display_path: Callable[[str], str]) -> Iterator[str]:
    """Each message once with its first places, and each hint once behind the last that has it."""
    messages: dict[str, list[Diagnostic]] = {}
    for diagnostic in group:
        messages.setdefault(diagnostic.message, []).append(diagnostic)
    last = {diagnostic.hint: diagnostic.message for diagnostic in group if diagnostic.hint}
    for message, same in messages.items():
        yield from _heading(same[0], style)
        for diagnostic in same[:_SHOWN_PLACES]:
            yield f"  {style.frame('-->')} {_place(diagnostic, display_path)}"
        if len(same) > _SHOWN_PLACES:
            yield f"  {style.frame('=')} and at {len(same) - _SHOWN_PLACES} more places"
        for hint in (hint for hint, behind in last.items() if behind == message):
            yield f"  {style.hint('hint')}: {printable(hint)}"


def _error_block(
    error: Diagnostic,
    style: Style,
    source_line: Callable[[str, int], str | None],
    display_path: Callable[[str], str],
) -> Iterator[str]:
    yield from _heading(error, style)
    if error.source is not None:
        yield f"  {style.frame('-->')} {_place(error, display_path)}"
        yield from _excerpt(error, style, source_line)
    if error.pair is not None:
        yield f"  {style.frame('=')} while preparing {printable(str(error.pair))}"
    if error.hint:
        yield f"  {style.hint('hint')}: {printable(error.hint)}"


def _heading(diagnostic: Diagnostic, style: Style) -> Iterator[str]:
    label = style.severity(diagnostic.severity, f"{diagnostic.severity.value}[{diagnostic.reason}]")
    yield f"{label}: {style.bold(printable(diagnostic.message))}"


def _place(diagnostic: Diagnostic, display_path: Callable[[str], str]) -> str:
    source = diagnostic.source
    if source is None:
        return printable(str(diagnostic.object))
    place = f"{display_path(printable(source.path))}:{source.line}:{source.column}"
    of = f" in {diagnostic.object}" if diagnostic.object and diagnostic.object.kind else ""
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
    """Text without control or format characters: a manifest cannot move a terminal's cursor.

    Nor are there letters that nobody sees, of which whole sentences can be made.
    """
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(
        character if character.isprintable() or character == " " else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )
    return shown if shown.isascii() else _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", shown)


_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
    "|(?<![#*0-9\xa9\xae\u203c-\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]"
)
"""Fillers and selectors of variants that Python calls printable; one after an emoji says how to draw it."""
