"""Log lines as JSON for machines, and in columns for a terminal."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Final

from kagent_apply.observability.log_record import log_line
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from kagent_apply.observability.log_record import Value

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
    """Time, level, message and `name=value`; the level in colour where that is asked for."""

    def __init__(self, *, colour: bool) -> None:
        super().__init__()
        self._colour = colour

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, without its end and without a character that moves a cursor."""
        line = log_line(record)
        fields = [f"{printable(name)}={_shown(value)}" for name, value in line.fields.items()]
        trace = [f"trace_id={line.trace_id}"] if line.trace_id else []
        told = " ".join([printable(line.message), *fields, *trace])
        return f"{line.time} {self._level(line.level)} {told}"

    def _level(self, level: str) -> str:
        shown = f"{printable(level).upper():<7}"
        return f"\x1b[{_COLOURS.get(level, '0')}m{shown}\x1b[0m" if self._colour else shown


def _shown(value: Value) -> str:
    """A value that cannot be taken for the next field."""
    plain = isinstance(value, str) and value and not set(value) & set(' "=')
    return printable(str(value) if plain else json.dumps(value, ensure_ascii=False))
