"""One fact about an agent, and what of it may be shown."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.credential_literals import looks_like_credential, may_be_credential

if TYPE_CHECKING:
    from kagent_render.review.topics import Topic

WITHHELD: Final = "(not shown)"
"""What stands for a value that may be a credential."""

MASKED: Final = "(this line looks like a credential and is not shown)"
"""What stands for a line of a text that has the shape of a credential."""

_SWITCHES: Final = ("true", "false")
_DEEPEST: Final = 32
_DEEPER: Final = "(nested too deeply to be told)"
_PLAIN_KEY: Final = re.compile(r"[^.\[\]\"\\]+")
_NO_TEXT: Final = re.compile(
    r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?inf|nan|null|true|false|\{\}|\[\]|\(nested.*|\".*",
    re.IGNORECASE | re.DOTALL,
)
"""Texts that read as a value of another type, and those that are written as such texts are."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What one side says of one thing.

    `place` is a binding path, or the name of a plugin; `name` tells facts of one topic and place apart.
    `value` is shown, `seal` is only compared: a digest of what must not be shown. `inside` names what the
    fact goes away with, such as a server or a boundary; the place itself unless told. `detail` is shown with
    it, and not compared.
    """

    topic: Topic
    place: str
    name: str
    value: str = ""
    seal: str = ""
    inside: str = ""
    detail: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes two facts of two sides one thing: identity alone, never likeness."""
        return self.topic.name, self.place, self.name

    @property
    def holder(self) -> str:
        """What the fact goes away with."""
        return self.inside or f"agent {self.place}"


def sealed(text: str) -> str:
    """What stands for a text in a comparison."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def literal(topic: Topic, place: str, name: str, value: str, inside: str = "") -> Fact:
    """The fact of a literal, which is shown unless its name or its value says that it may be a credential."""
    shown = WITHHELD if value not in _SWITCHES and may_be_credential(name, value) else value
    return Fact(topic, place, name, shown, sealed(value), inside)


def hidden(topic: Topic, place: str, name: str, value: str, inside: str = "") -> Fact:
    """The fact of a literal that is never shown."""
    return Fact(topic, place, name, WITHHELD, sealed(value), inside)


def masked(lines: Sequence[str]) -> list[str]:
    """Lines of a text, those in the shape of a credential replaced; private keys over all their lines."""
    shown, inside = [], False
    for line in lines:
        inside = inside or (_KEY_BEGINS in line and _KEY in line)
        shown.append(MASKED if inside or looks_like_credential("", line) else line)
        inside = inside and _KEY_ENDS not in line
    return shown


_KEY_BEGINS: Final = "-----BEGIN"
_KEY_ENDS: Final = "-----END"
_KEY: Final = "PRIVATE KEY"


def leaves(value: Any, path: str = "", depth: int = _DEEPEST) -> Iterator[tuple[str, str]]:
    """Every scalar of nested data as text, by its path; what is empty or too deep is one leaf.

    No two data give the same: a key with a dot is quoted, and so is a text that reads as something else.
    """
    if isinstance(value, Mapping) and value and depth:
        for name in sorted(value):
            yield from leaves(value[name], _below(path, str(name)), depth - 1)
    elif isinstance(value, list | tuple) and value and depth:
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}[{index}]", depth - 1)
    else:
        yield path, _scalar(value)


def _digest(value: Any) -> str:
    """What stands for nested data of any depth."""
    found, left = hashlib.sha256(), [value]
    while left:
        item = left.pop()
        if isinstance(item, Mapping):
            found.update(f"{len(item)} fields\0".encode())
            left += (part for name in sorted(item) for part in (item[name], name))
        elif isinstance(item, list | tuple):
            found.update(f"{len(item)} items\0".encode())
            left += item
        else:
            found.update(f"{item!r}\0".encode(errors="surrogatepass"))
    return found.hexdigest()


def _below(path: str, name: str) -> str:
    if not _PLAIN_KEY.fullmatch(name):
        return f"{path}[{json.dumps(name, ensure_ascii=False)}]"
    return f"{path}.{name}" if path else name


def _scalar(value: Any) -> str:
    if value and isinstance(value, Mapping | list | tuple):
        return f"{_DEEPER} sha256:{_digest(value)[:12]}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if _NO_TEXT.fullmatch(value) else value
    return "null" if value is None else str(value)
