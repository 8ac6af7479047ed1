"""A copy of a repository that lost which files are programs still has the content that is pinned."""

from __future__ import annotations

import pytest

from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.store.modes import with_modes_of
from kagent_render.artifacts.tree_digest import tree_digest

_SCRIPT = b"#!/bin/sh\nexit 0\n"
_TEXT = b"---\nname: triage\n---\n"


def _package(**modes: bool) -> Package:
    contents = {"run": _SCRIPT, "tool": b"\x7fELF\x02", "SKILL.md": _TEXT}
    return Package({name: PackageFile(data, modes.get(name, False)) for name, data in contents.items()})


ORIGINALS = {
    "programs alone may be executed": _package(run=True, tool=True),
    "nothing may be executed": _package(),
    "everything may be executed": _package(**{"run": True, "tool": True, "SKILL.md": True}),
}
LOST = {
    "all plain": _package(),
    "all programs": _package(**{"run": True, "tool": True, "SKILL.md": True}),
}


@pytest.mark.parametrize("lost", LOST.values(), ids=LOST)
@pytest.mark.parametrize("original", ORIGINALS.values(), ids=ORIGINALS)
def test_modes_that_give_the_digest_are_found(original: Package, lost: Package) -> None:
    assert with_modes_of(lost, tree_digest(original)) == original


def test_other_bytes_are_never_taken_for_it() -> None:
    original = _package(run=True, tool=True)
    other = Package({**original.files, "run": PackageFile(_SCRIPT + b"# more\n", executable=True)})
    assert with_modes_of(other, tree_digest(original)) is None


def test_modes_that_no_guess_has_stay_unknown() -> None:
    assert with_modes_of(_package(), tree_digest(_package(**{"SKILL.md": True}))) is None
