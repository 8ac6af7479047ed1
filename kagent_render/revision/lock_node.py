"""Reads a lock's document field by field and says which one has another shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_render.diagnostics.diagnostic import FieldPath

Record = TypeVar("Record")

# Names become file names, so that a lock from elsewhere must not lead out of its folder.
_OBJECT_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?")
_WORDS: Final = {str: "text", int: "an integer", bool: "true or false", dict: "a mapping", list: "a list"}


class ShapeError(ValueError):
    """A document that is no lock; `path` leads to the field at fault."""

    def __init__(self, path: FieldPath, problem: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem


class Node:
    """A mapping of the document with its place, read field by field; raises ShapeError."""

    def __init__(self, value: Any, path: FieldPath = ()) -> None:
        if not isinstance(value, dict):
            raise ShapeError(path, "is not a mapping")
        self.value = value
        self.path = path

    def text(self, name: str) -> str:
        """A required text."""
        found: str = self._typed(name, str)
        return found

    def optional_text(self, name: str) -> str | None:
        """A text, or None where the field is absent."""
        return self.text(name) if name in self.value else None

    def object_name(self, name: str) -> str:
        """A required text that is the name of an object."""
        return _checked_name(self.text(name), (*self.path, name))

    def integer(self, name: str) -> int:
        """A required integer from 1."""
        found: int = self._typed(name, int)
        if found < 1 or isinstance(found, bool):
            raise ShapeError((*self.path, name), "is not a positive integer")
        return found

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false; required where there is no default."""
        if default is not None and name not in self.value:
            return default
        found: bool = self._typed(name, bool)
        return found

    def node(self, name: str) -> Node:
        """A required mapping."""
        return Node(self._typed(name, dict), (*self.path, name))

    def text_map(self, name: str) -> dict[str, str]:
        """A mapping of texts; empty where it is absent."""
        entries: dict[str, str] = self._typed(name, dict) if name in self.value else {}
        for key, value in entries.items():
            if not isinstance(value, str):
                raise ShapeError((*self.path, name, key), "is not text")
        return entries

    def texts(self, name: str) -> tuple[str, ...]:
        """A required list of texts."""
        items: list[Any] = self._typed(name, list)
        for index, item in enumerate(items):
            if not isinstance(item, str):
                raise ShapeError((*self.path, name, index), "is not text")
        return tuple(items)

    def object_names(self, name: str) -> tuple[str, ...]:
        """A required list of names of objects."""
        found = self.texts(name)
        return tuple(_checked_name(item, (*self.path, name, index)) for index, item in enumerate(found))

    def records(self, name: str, decode: Callable[[Node], Record]) -> tuple[Record, ...]:
        """A required list of mappings, each decoded."""
        items: list[Any] = self._typed(name, list)
        return tuple(decode(Node(item, (*self.path, name, index))) for index, item in enumerate(items))

    def _typed(self, name: str, kind: type) -> Any:
        if name not in self.value:
            raise ShapeError((*self.path, name), "is missing")
        if not isinstance(self.value[name], kind):
            raise ShapeError((*self.path, name), f"is not {_WORDS[kind]}")
        return self.value[name]


def _checked_name(text: str, path: FieldPath) -> str:
    if not _OBJECT_NAME.fullmatch(text):
        raise ShapeError(path, "is not the name of an object")
    return text
