"""Finds the modes that vendored files were committed with where a copy of the repository has lost them.

Argo CD unpacks every file of a repository with one mode unless a plugin says otherwise. The modes are part of
the tree digest, so a guess that gives the promised digest is no guess any more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.tree_digest import tree_digest

if TYPE_CHECKING:
    from collections.abc import Callable

_PROGRAMS: Final = (b"#!", b"\x7fELF")
"""How a file begins that is of use only as a program."""

_GUESSES: Final[tuple[Callable[[PackageFile], bool], ...]] = (
    lambda file: file.data.startswith(_PROGRAMS),
    lambda _: False,
    lambda _: True,
)


def with_modes_of(package: Package, digest: str) -> Package | None:
    """The package with the modes that give it `digest`; None where no guess does."""
    for is_program in _GUESSES:
        files = {path: replace(file, executable=is_program(file)) for path, file in package.files.items()}
        guess = replace(package, files=files)
        if tree_digest(guess) == digest:
            return guess
    return None
