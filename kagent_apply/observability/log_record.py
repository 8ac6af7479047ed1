"""What a log line says, whatever form it has: bounded, without credentials, and all of it plain values."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from kagent_apply.observability.masking import masked, masked_value
from kagent_apply.observability.own_places import own_places
from kagent_apply.observability.trace_context import current

if TYPE_CHECKING:
    from collections.abc import Callable

_LONGEST_MESSAGE: Final = 4096
_LONGEST_VALUE: Final = 1024
_LONGEST_NAME: Final = 64
_MOST_FIELDS: Final = 32
_OWN_NAMES: Final = frozenset({*vars(logging.makeLogRecord({})), "message", "asctime", "taskName"})

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class LogLine:
    """One record; `fields` has the `extra` of a call, and of an exception its type and places in our code."""

    time: str
    level: str
    logger: str
    message: str
    trace_id: str
    span_id: str
    fields: Mapping[str, Value]


def log_line(record: logging.LogRecord) -> LogLine:
    """What a record says; never raises, whatever it was given."""
    context = current()
    return LogLine(
        time=_time(record.created),
        level=record.levelname.lower(),
        logger=record.name,
        message=_shown(_message(record), _LONGEST_MESSAGE, masked),
        trace_id=context.trace_id if context else "",
        span_id=context.span_id if context else "",
        fields={**_fields(record), **_exception(record)},
    )


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _message(record: logging.LogRecord) -> str:
    message, given = _text(record.msg), record.args
    try:
        if isinstance(given, Mapping):
            return message % {name: _spoken(argument) for name, argument in given.items()}
        return message % tuple(_spoken(argument) for argument in given) if given else message
    except Exception:  # arguments that do not fit, or an object whose text cannot be had
        return message


def _spoken(value: object) -> object:
    """An exception as its type: its text may quote what was sent, and libraries log it as an argument."""
    return type(value).__qualname__ if isinstance(value, BaseException) else value


def _fields(record: logging.LogRecord) -> dict[str, Value]:
    given = [(name, value) for name, value in vars(record).items() if name not in _OWN_NAMES]
    return {
        _cut(_text(name), _LONGEST_NAME): _value(_text(name), value) for name, value in given[:_MOST_FIELDS]
    }


def _value(name: str, value: object) -> Value:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 1 << 53:  # what a reader in another language can hold
        return int(value)
    if isinstance(value, float) and abs(value) < float("inf"):
        return float(value)
    return _shown(_text(value), _LONGEST_VALUE, partial(masked_value, name))


def _exception(record: logging.LogRecord) -> dict[str, Value]:
    """Neither its text, which may quote what was sent, nor lines of source."""
    if not record.exc_info or record.exc_info[0] is None:
        return {}
    kind, _, trace = record.exc_info
    return {"exception": kind.__qualname__, "raised_at": " < ".join(own_places(trace))}


def _text(value: object) -> str:
    """The text of anything, without halves of characters that no UTF-8 can carry."""
    try:
        return str(_spoken(value)).encode(errors="replace").decode()
    except Exception:
        return "(cannot be shown)"


def _shown(text: str, longest: int, mask: Callable[[str], str]) -> str:
    """Text without credentials, and with a bound on how much is looked at."""
    window = text[: 2 * longest]
    if len(window) < len(text):
        # A word that was cut may be a credential without the end that tells of it.
        window = f"{window.rpartition(' ')[0]}…"
    return _cut(mask(window), longest)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
