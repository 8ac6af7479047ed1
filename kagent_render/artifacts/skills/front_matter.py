"""The YAML front matter of a SKILL.md, read as the Agent Skills reference validator reads it."""

from __future__ import annotations

from typing import Any, Final

from kagent_render.artifacts.skills.plain_yaml import PlainYamlInvalid, read_plain_yaml

FrontMatter = dict[str, Any]
_MARK: Final = "---"
_FRONT_MATTER_CHARACTERS: Final = 1 << 16


class FrontMatterInvalid(Exception):  # noqa: N818  (names what is wrong, as every failure here does)
    """The file does not start with usable front matter; the message completes `SKILL.md ...`."""


def front_matter(data: bytes) -> FrontMatter:
    """The front matter's mapping: values are text, lists or mappings; raises FrontMatterInvalid."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise FrontMatterInvalid("is not UTF-8") from None
    try:
        value = read_plain_yaml(_between_marks(text))
    except PlainYamlInvalid as invalid:
        place = f" in line {invalid.line + 1}" if invalid.line else ""
        raise FrontMatterInvalid(f"has front matter that {invalid.message}{place}") from None
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
