"""Reads YAML as Kubernetes does: bytes to plain data, with the line and column of every field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from yaml.error import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from kagent_render.source.composer import Composed, Composer
from kagent_render.source.dialect import guard_dialect
from kagent_render.source.events import open_events
from kagent_render.source.failure import CompositionError, YAMLInvalidError
from kagent_render.source.positions import LazyLocator, SourceText, fix_places
from kagent_render.source.secret import holds_secret, without_values
from kagent_render.source.syntax import describe, is_seen_late

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.source.document import Locator

MAX_BYTES: Final = 32 * 1024 * 1024
"""The largest file that is read."""

_MAX_TAG_DIRECTIVES: Final = 100
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, eq=False)
class YAMLDocument:
    """One document of a stream as plain data; a Secret's values are None."""

    value: Any
    locator: Locator


def read_yaml(data: bytes, *, strict: bool = True) -> list[YAMLDocument]:
    """Every document of a stream, in order; raises YAMLInvalidError.

    Strict refuses keys that are set twice, as the API server's strict decoding does; otherwise the last wins.
    """
    source = SourceText(_decode(data))
    composed = list(_compose(data, source, strict=strict))
    # The text that lazy positions need may not outlive this call where it holds a Secret.
    locate = _locate_now if any(holds_secret(document.value) for document in composed) else _locate_later
    return [locate(document, source) for document in composed]


def read_first_value(data: bytes) -> Any:
    """The value of a stream's first document, None without one; raises YAMLInvalidError.

    Lenient, and the rest of the stream is not looked at, as yaml.v2's `Unmarshal` does for readers of a
    single value.
    """
    first = next(_compose(data, SourceText(_decode(data)), strict=False), None)
    return first.value if first is not None else None


def _compose(data: bytes, source: SourceText, *, strict: bool) -> Iterator[Composed]:
    try:
        events = guard_dialect(open_events(data), source.text)
        yield from Composer(events, source.text, strict=strict).documents()
    except CompositionError as error:
        raise YAMLInvalidError(str(error), *source.lines.place(error.index), error.hint) from None
    except YAMLError as error:
        message, hint = describe(getattr(error, "problem", None) or getattr(error, "reason", None))
        raise YAMLInvalidError(message, *source.lines.place(_index(error, data)), hint) from None


def _decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise YAMLInvalidError(f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB", 1, 1)
    if data.count(b"%TAG") > _MAX_TAG_DIRECTIVES:
        # libyaml compares every tag directive with all before it.
        raise YAMLInvalidError(f"the file has more than {_MAX_TAG_DIRECTIVES} `%TAG` directives", 1, 1)
    try:
        return data.removeprefix(_BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError as error:
        before = SourceText(error.object[: error.start].decode())
        place = before.lines.place(len(before.text))
        raise YAMLInvalidError("the file is not UTF-8", *place, "save the file as UTF-8") from None


def _locate_later(document: Composed, source: SourceText) -> YAMLDocument:
    return YAMLDocument(document.value, LazyLocator(source, document.start, document.end))


def _locate_now(document: Composed, source: SourceText) -> YAMLDocument:
    value = without_values(document.value)
    return YAMLDocument(value, fix_places(source, document.start, document.end, value))


def _index(error: YAMLError, data: bytes) -> int:
    """The character at which the parser stopped, or where what it cannot read begins."""
    if isinstance(error, ReaderError):
        before = data[: error.position].removeprefix(_BYTE_ORDER_MARK)
        return len(before.decode(errors="ignore"))
    if not isinstance(error, MarkedYAMLError):
        return 0
    marks = [error.problem_mark, error.context_mark]
    if is_seen_late(error.problem):
        marks.reverse()
    return next((mark.index for mark in marks if mark is not None), 0)
