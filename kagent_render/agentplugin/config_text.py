"""Config as the operator writes it: sigs.k8s.io/yaml's `Marshal`, which is yaml.v2 over Go's JSON.

yaml.v2 is a port of libyaml, so that libyaml's writer, driven event by event, gives the same bytes.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin.key_order import natural_order
from kagent_render.source.scalar import is_timestamp, json_value, resolve_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from yaml.events import Event

_END_MARK: Final = "...\n"
_WIDTH: Final = 80
_SMALLEST: Final = -(2**63)
_LARGEST: Final = 2**64 - 1
_POSITIONAL: Final = (1e-4, 1e6)
_SEXAGESIMAL: Final = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")


def config_text(value: Mapping[str, Any]) -> str:
    """The YAML of plain data with text keys, as the operator writes it into a ConfigMap."""
    import yaml

    events = list(_document(value))
    text: str = yaml.emit(events, Dumper=yaml.CDumper, width=_WIDTH, allow_unicode=True)
    # libyaml marks the end of a document that closes with a kept line break; yaml.v2 does not.
    return text.removesuffix(_END_MARK)


def _document(value: Mapping[str, Any]) -> Iterator[Event]:
    from yaml import events

    yield events.StreamStartEvent()
    yield events.DocumentStartEvent(explicit=False)
    yield from _node(dict(value))
    yield events.DocumentEndEvent(explicit=False)
    yield events.StreamEndEvent()


def _node(value: Any) -> Iterator[Event]:
    from yaml import events

    if isinstance(value, dict):
        yield events.MappingStartEvent(None, None, implicit=True, flow_style=False)
        for key in natural_order(value):
            yield _scalar(key)
            yield from _node(value[key])
        yield events.MappingEndEvent()
    elif isinstance(value, list):
        yield events.SequenceStartEvent(None, None, implicit=True, flow_style=False)
        for item in value:
            yield from _node(item)
        yield events.SequenceEndEvent()
    else:
        yield _scalar(value)


def _scalar(value: Any) -> Event:
    from yaml.events import ScalarEvent

    text, style = (value, _style(value)) if isinstance(value, str) else (_word(value), None)
    return ScalarEvent(None, None, (True, True), text, style=style)


def _style(text: str) -> str | None:
    """The style that is asked for; the writer takes double quotes where it cannot be had."""
    if "\n" in text:
        return "|"
    return None if _is_plain(text) else '"'


def _is_plain(text: str) -> bool:
    """Whether YAML 1.1 reads `text` without quotes as the same text."""
    if is_timestamp(text) or _SEXAGESIMAL.fullmatch(text):
        return False
    return isinstance(resolve_plain(text), str)


def _word(value: float | bool | None) -> str:
    """A number, boolean or null as Go writes it; all numbers are float64 there."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    number = json_value(float(value))
    if isinstance(number, int) and _SMALLEST <= number <= _LARGEST:
        return str(number)
    return _float_text(float(value))


def _float_text(value: float) -> str:
    """A float as Go's `%g` has it: the shortest digits, with an exponent from six digits on."""
    if _POSITIONAL[0] <= abs(value) < _POSITIONAL[1]:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    mantissa = f"{'-' if sign else ''}{first}{'.' if rest else ''}{''.join(rest)}"
    return f"{mantissa}e{int(exponent) + len(rest):+03d}"
