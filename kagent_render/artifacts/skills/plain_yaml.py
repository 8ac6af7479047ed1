"""YAML in which every scalar is text: no flow style, anchors, tags or duplicate keys.

This is the dialect of the Agent Skills reference validator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH: Final = 20
_SPECIAL: Final = ("<<", "=")
"""What YAML 1.1 gives a meaning of its own (its merge and value types) unless it is quoted."""

_NOT_BREAKS: Final = {0x85: "\u2003", 0x2028: "\u2003", 0x2029: "\u2003", 0xFEFF: "\ufffd"}
"""What ends a line in YAML 1.1, or is passed over there, is a character as others in YAML 1.2."""


class PlainYamlInvalid(Exception):  # noqa: N818  (names what is wrong, as every failure here does)
    """Text that is not of this dialect; the message completes `FILE ...`, `line` counts from 1."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def read_plain_yaml(text: str) -> object:
    """The one document of `text`, as text, lists and mappings; raises PlainYamlInvalid."""
    import yaml

    # The reference's scanner descends from PyYAML's own, which judges tabs otherwise than libyaml.
    loader = yaml.SafeLoader if "\t" in text else yaml.CLoader
    events = yaml.parse(text.translate(_NOT_BREAKS), Loader=loader)
    try:
        documents = list(_documents(events))
    except yaml.YAMLError as error:
        raise _not_yaml(error) from None
    if len(documents) != 1:
        raise PlainYamlInvalid("is not one YAML document")
    return documents[0]


def _not_yaml(error: Any) -> PlainYamlInvalid:
    mark = getattr(error, "problem_mark", None)
    line = None if mark is None else mark.line + 1
    if "'\\t'" in (getattr(error, "problem", None) or ""):
        return PlainYamlInvalid("has a tab where YAML takes spaces alone", line)
    return PlainYamlInvalid("is not YAML", line)


def _documents(events: Iterator[Any]) -> Iterator[object]:
    import yaml

    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            yield _node(next(events), events, 0)
        if isinstance(event, yaml.DocumentEndEvent) and event.explicit:
            raise PlainYamlInvalid("has an end-of-document mark")


def _node(event: Any, events: Iterator[Any], depth: int) -> object:
    import yaml

    line = event.start_mark.line + 1
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None or event.tag is not None:
        raise PlainYamlInvalid("uses a YAML anchor, alias or tag", line)
    if isinstance(event, yaml.ScalarEvent):
        if event.implicit[0] and event.value in _SPECIAL:
            raise PlainYamlInvalid(f"has a `{event.value}` without quotes", line)
        return str(event.value)
    if event.flow_style:
        raise PlainYamlInvalid("uses YAML flow style", line)
    if depth == _DEPTH:
        raise PlainYamlInvalid("is nested too deeply", line)
    if isinstance(event, yaml.SequenceStartEvent):
        return [_node(item, events, depth + 1) for item in _until(events, yaml.SequenceEndEvent)]
    return _mapping(events, depth)


def _mapping(events: Iterator[Any], depth: int) -> dict[str, object]:
    import yaml

    mapping: dict[str, object] = {}
    for event in _until(events, yaml.MappingEndEvent):
        key = _node(event, events, depth + 1)
        if not isinstance(key, str):
            raise PlainYamlInvalid("has a key that is not text", event.start_mark.line + 1)
        if key in mapping:
            raise PlainYamlInvalid("has the same key twice", event.start_mark.line + 1)
        mapping[key] = _node(next(events), events, depth + 1)
    return mapping


def _until(events: Iterator[Any], end: type) -> Iterator[Any]:
    for event in events:
        if isinstance(event, end):
            return
        yield event
