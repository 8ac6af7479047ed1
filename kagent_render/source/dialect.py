"""Refuses text that libyaml reads and Kubernetes' older scanner (yaml.v2) refuses or reads differently."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from yaml.events import CollectionEndEvent, CollectionStartEvent, ScalarEvent

from kagent_render.source.failure import CompositionError

if TYPE_CHECKING:
    from collections.abc import Callable

_SUSPECTS: Final = ("?", "!", " :", ",:", "[:", "{:", "\n:", "\t:", "\r:")
_INNER_MARK: Final = re.compile(r"(?:^|(?<=[\n\r\x85\u2028\u2029]))\ufeff")
_SLASH_ESCAPE: Final = re.compile(r"(?<!\\)(?:\\\\)*\\/")


def guard_dialect(get_event: Callable[[], Any], text: str) -> Callable[[], Any]:
    """The same events, with a CompositionError in place of one that Kubernetes would not see."""
    inner_mark = _INNER_MARK.search(text) if "\ufeff" in text else None
    if inner_mark:
        message = "a byte order mark starts a line inside the file"
        raise CompositionError(message, inner_mark.start(), "remove it")
    if not _is_suspect(text):
        return get_event
    flow_depth = 0

    def guarded() -> Any:
        nonlocal flow_depth
        event = get_event()
        if isinstance(event, ScalarEvent):
            _check_scalar(event, text, in_flow=flow_depth > 0)
        elif isinstance(event, CollectionStartEvent):
            flow_depth += 1 if flow_depth or event.flow_style else 0
        elif isinstance(event, CollectionEndEvent):
            flow_depth -= 1 if flow_depth else 0
        return event

    return guarded


def _is_suspect(text: str) -> bool:
    """Whether a closer look is needed; most text is cleared by a few searches at memory speed."""
    if "\\/" in text:
        return True
    return ("[" in text or "{" in text) and any(suspect in text for suspect in _SUSPECTS)


def _check_scalar(event: Any, text: str, *, in_flow: bool) -> None:
    start, end = event.start_mark.index, event.end_mark.index
    if event.style == '"':
        if _SLASH_ESCAPE.search(text, start, end):
            raise CompositionError("Kubernetes does not read the escape `\\/`", start, "write `/`")
    elif in_flow and not event.style:
        _check_flow(event.value, text, start, end)


def _check_flow(value: str, text: str, start: int, end: int) -> None:
    """A plain scalar inside `[]` or `{}`."""
    if "?" in value or value.startswith(":"):
        message = "Kubernetes does not read an unquoted `?` or leading `:` inside `[]` or `{}`"
        raise CompositionError(message, start, "quote the text")
    if end > start and not value and text.startswith(",", end) and not text[end - 1].isspace():
        raise CompositionError(
            "Kubernetes reads the `,` as a part of the tag", end, "write a space before the `,`"
        )
