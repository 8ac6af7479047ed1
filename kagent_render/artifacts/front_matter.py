"""The YAML front matter of a SKILL.md, read as the Agent Skills reference validator reads it.

Its dialect is smaller than YAML: every scalar is text, and flow style, anchors, tags and duplicate keys are
refused. The file is otherwise Markdown and is not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

FrontMatter = dict[str, Any]
_MARK: Final = "---"
_FRONT_MATTER_CHARACTERS: Final = 1 << 16
_DEPTH: Final = 20


class FrontMatterInvalid(Exception):  # noqa: N818  (names what is wrong, as every failure here does)
    """The file does not start with front matter of this dialect; the message completes `SKILL.md ...`."""


def front_matter(data: bytes) -> FrontMatter:
    """The front matter's mapping: values are text, lists or mappings; raises FrontMatterInvalid."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise FrontMatterInvalid("is not UTF-8") from None
    value = _parsed(_between_marks(text))
    if not isinstance(value, dict):
        raise FrontMatterInvalid("has front matter that is not a YAML mapping")
    return value


def _between_marks(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() != _MARK:
        raise FrontMatterInvalid("does not start with a line `---`")
    taken = 0
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() == _MARK:
            return "\n".join(lines[1:number])
        taken += len(line) + 1
        if taken > _FRONT_MATTER_CHARACTERS:
            raise FrontMatterInvalid("has front matter of more than 65,536 characters")
    raise FrontMatterInvalid("has front matter that no second line `---` closes")


def _parsed(text: str) -> object:
    import yaml

    try:
        events = yaml.parse(text, Loader=yaml.CLoader)
        return _document(iter(events))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 2}" if mark else ""
        raise FrontMatterInvalid(f"has front matter that is not YAML{place}") from None


def _document(events: Iterator[Any]) -> object:
    import yaml

    documents = [
        _node(next(events), events, 0) for event in events if isinstance(event, yaml.DocumentStartEvent)
    ]
    if len(documents) != 1:
        raise FrontMatterInvalid("has front matter that is not one YAML document")
    return documents[0]


def _node(event: Any, events: Iterator[Any], depth: int) -> object:
    import yaml

    if isinstance(event, yaml.AliasEvent) or event.anchor is not None or event.tag is not None:
        raise FrontMatterInvalid(f"uses a YAML anchor, alias or tag{_line(event)}")
    if isinstance(event, yaml.ScalarEvent):
        return str(event.value)
    if event.flow_style:
        raise FrontMatterInvalid(f"uses YAML flow style{_line(event)}, which Agent Skills do not have")
    if depth == _DEPTH:
        raise FrontMatterInvalid("has front matter that is nested too deeply")
    if isinstance(event, yaml.SequenceStartEvent):
        return [_node(item, events, depth + 1) for item in _until(events, yaml.SequenceEndEvent)]
    return _mapping(events, depth)


def _mapping(events: Iterator[Any], depth: int) -> FrontMatter:
    import yaml

    mapping: FrontMatter = {}
    for event in _until(events, yaml.MappingEndEvent):
        key = _node(event, events, depth + 1)
        if not isinstance(key, str):
            raise FrontMatterInvalid(f"has a key that is not text{_line(event)}")
        if key in mapping:
            raise FrontMatterInvalid(f"has the same key twice{_line(event)}")
        mapping[key] = _node(next(events), events, depth + 1)
    return mapping


def _until(events: Iterator[Any], end: type) -> Iterator[Any]:
    for event in events:
        if isinstance(event, end):
            return
        yield event


def _line(event: Any) -> str:
    return f" in line {event.start_mark.line + 2}"
