"""The objects of a file with the YAML document that each is in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.source.objects import input_objects
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from kagent_render.source.document import Document

OLD: Final = "kagent.dev/v1alpha2"
"""The version that objects come from."""

NEW: Final = "kagent.dev/v1alpha3"
"""The version that they go to."""

MOVING: Final = ("Harness", "AgentTemplate", "ModelConfig", "RemoteMCPServer")
"""The kinds that both versions have."""


@dataclass(frozen=True, slots=True)
class Located:
    """One object and the number of its YAML document in the file."""

    document: Document
    index: int

    @property
    def moves(self) -> bool:
        """Whether it is of a kind and version to be moved."""
        return self.document.ref.api_version == OLD and self.document.ref.kind in MOVING


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file: its text without the byte order `mark`, the data of its documents, and its objects."""

    path: str
    mark: str
    text: str
    values: tuple[Any, ...]
    objects: tuple[Located, ...]

    def encoded(self, text: str) -> bytes:
        """Another text as bytes of this file."""
        return (self.mark + text).encode()


_BYTE_ORDER_MARK: Final = "\ufeff"


def read_source(path: str, data: bytes) -> SourceText:
    """A file that has objects of ours; raises YAMLInvalidError."""
    documents = read_yaml(data)
    text = data.decode()
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    objects = tuple(
        Located(found, index)
        for index, document in enumerate(documents)
        for found in input_objects(path, document)
    )
    values = tuple(document.value for document in documents)
    return SourceText(path, mark, text[len(mark) :], values, objects)
