"""Log lines as JSON for machines, as text for files, and in short for who sits at a terminal."""

from __future__ import annotations

import json
import logging
import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from kagent_apply.observability.log_record import log_line
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_apply.observability.log_record import Value

_DIGEST: Final = re.compile(r"(?:sha256:)?\b([0-9a-f]{12})[0-9a-f]{28,52}\b")
_PAIR: Final = ("namespace", "harness", "agent_template")
_INDENT: Final = "\n" + " " * len("12:34:56  ")
_COLOURS: Final = {"debug": "2", "info": "36", "warning": "33", "error": "31", "critical": "1;31"}


class JsonFormat(logging.Formatter):
    """One JSON object on one line of ASCII; `trace_id` and `span_id` where there are some."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, without its end."""
        line = log_line(record)
        document: dict[str, object] = {
            "time": line.time,
            "level": line.level,
            "logger": line.logger,
            "message": line.message,
        }
        if line.trace_id:
            document |= {"trace_id": line.trace_id, "span_id": line.span_id}
        if line.fields:
            document["fields"] = line.fields
        return json.dumps(document, separators=(",", ":"))


class TextFormat(logging.Formatter):
    """Time, level, message and `name=value`."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, without its end and without a character that moves a cursor."""
        line = log_line(record)
        fields = [f"{printable(name)}={_shown(value)}" for name, value in line.fields.items()]
        trace = [f"trace_id={line.trace_id}"] if line.trace_id else []
        told = " ".join([printable(line.message), *fields, *trace])
        return f"{line.time} {printable(line.level).upper():<7} {told}"


class TerminalFormat(logging.Formatter):
    """The time of day, the level where it is not `info`, the message and its fields, as wide as the terminal.

    Digests have the 12 digits by which tables show them.
    """

    def __init__(self, width: Callable[[], int], *, colour: bool) -> None:
        super().__init__()
        self._width = width
        self._colour = colour

    def format(self, record: logging.LogRecord) -> str:
        """The lines of a record: each after the first begins with a whole word, below the message."""
        line = log_line(record)
        fields = [f"{printable(name)}={_shown(value)}" for name, value in _short(line.fields).items()]
        level = "" if line.level == "info" else f"{printable(line.level)}: "
        message = f"{level}{_cut_digests(printable(line.message))}"
        text = _wrapped(" ".join([message, *fields]).split(" "), self._width() - len(_INDENT))
        painted = f"{self._painted(level, line.level)}{text[len(level) :]}"
        return f"{datetime.fromtimestamp(record.created):%H:%M:%S}  {painted}"

    def _painted(self, text: str, level: str) -> str:
        return f"\x1b[{_COLOURS.get(level, '0')}m{text}\x1b[0m" if self._colour and text else text


def _short(fields: Mapping[str, Value]) -> dict[str, Value]:
    """Fields with short digests, and a pair as one of them."""
    shown = {name: _cut_digests(value) if isinstance(value, str) else value for name, value in fields.items()}
    if all(name in shown for name in _PAIR):
        pair = "/".join(str(shown.pop(name)) for name in _PAIR)
        return {"pair": pair, **shown}
    return shown


def _cut_digests(text: str) -> str:
    return _DIGEST.sub(r"\1", text)


def _wrapped(words: list[str], width: int) -> str:
    """Words in lines of a width, as far as each of them fits."""
    text = room = words[0]
    for word in words[1:]:
        fits = len(room) + 1 + len(word) <= width
        text += f" {word}" if fits else f"{_INDENT}{word}"
        room = f"{room} {word}" if fits else word
    return text


def _shown(value: Value) -> str:
    """A value that cannot be taken for the next field."""
    plain = isinstance(value, str) and value and not set(value) & set(' "=')
    return printable(str(value) if plain else json.dumps(value, ensure_ascii=False))
