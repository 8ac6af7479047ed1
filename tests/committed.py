"""The manifests that this repository holds: examples, golden repositories, and the pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kagent_render.agentplugin.names import is_valid
from kagent_render.api.decoding import decode
from kagent_render.preparation.in_use import check_in_use
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.objects import read_objects
from tests.docs.markdown import blocks, page
from tests.parts import REPOSITORY

if TYPE_CHECKING:
    from kagent_render.source.document import Document

_FOLDERS = ("examples", "tests/golden/repositories")


def committed_files() -> list[Path]:
    """Every YAML file that a user could have written."""
    found = [path for folder in _FOLDERS for path in (REPOSITORY / folder).rglob("*.yaml")]
    return sorted(path for path in found if "rendered" not in path.parts and ".kagent" not in path.parts)


def valid_manifests() -> list[Document]:
    """Those without an error of their own; the name of a plugin is one that the operator can use."""
    return [
        document
        for document in committed_manifests()
        if not any(fault.is_error for fault in (*decode([document])[1], *check_in_use([document])))
        and (document.ref.kind != "AgentPlugin" or is_valid(document.ref.name or ""))
    ]


def committed_manifests() -> Iterator[Document]:
    """The objects of kinds that are read, of every file and of the page that shows every field."""
    for path in committed_files():
        try:
            yield from read_objects(str(path.relative_to(REPOSITORY)), path.read_bytes())
        except YAMLInvalidError:
            continue  # wrong on purpose
    for fence in blocks(page("docs/manifests.md"), "yaml"):
        yield from read_objects(fence.path or "docs/manifests.md", fence.text.encode())
