"""The event source under the YAML reader: libyaml, through PyYAML's C extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def open_events(data: bytes) -> Callable[[], Any]:
    """A function that gives the stream's next event; raises RuntimeError without the C extension."""
    try:
        from yaml._yaml import CParser
    except ImportError as error:
        raise RuntimeError("PyYAML lacks its C extension, without which no YAML is read") from error
    return CParser(data).get_event
