"""What migrating does to one file, and in which order files are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.diagnostics.diagnostic import ObjectRef

Step = tuple[str, bytes, bytes]
"""A path, the bytes that are there and those that are written."""


@dataclass(frozen=True, slots=True)
class FilePlan:
    """One file: its bytes as they were read, and as they are to be.

    `between` are the bytes with what is added alone, where that is not all. `moved` are the objects that
    change, `added` those that are new; `sources` counts those of the vendored store that are written anew.
    """

    path: str
    before: bytes
    after: bytes
    between: bytes | None = None
    moved: tuple[ObjectRef, ...] = ()
    added: tuple[ObjectRef, ...] = ()
    sources: int = 0

    @property
    def adds_alone(self) -> bool:
        """Whether nothing that is there changes."""
        return not self.moved and not self.sources


def writing_steps(files: Sequence[FilePlan]) -> Iterator[Step]:
    """Every file's writing, in an order of which each beginning leaves a root that prepares to the same.

    What is added comes first, since what refers to it may be in any other file, and what goes comes last.
    """
    for file in files:
        if file.between is not None:
            yield file.path, file.before, file.between
        elif file.adds_alone:
            yield file.path, file.before, file.after
    for file in sorted(files, key=lambda file: file.sources):
        if file.between is not None or not file.adds_alone:
            yield file.path, file.between or file.before, file.after
