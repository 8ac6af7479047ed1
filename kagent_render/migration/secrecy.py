"""Which lines of a source file nothing may show: Secrets, and literals that may be credentials."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from kagent_render.api.inspection import sensitive_places
from kagent_render.api.kinds import DIALECTS
from kagent_render.migration.nodes import node_at, read_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.migration.nodes import Document
    from kagent_render.migration.objects import Located, SourceText


def hidden_lines(source: SourceText) -> frozenset[int]:
    """The numbers, from 0, of the lines between line feeds that may not be shown."""
    documents = read_nodes(source.text)
    feeds = [found.start() for found in re.finditer("\n", source.text)]
    lines: set[int] = set()
    for located in source.objects:
        for start, end in _hidden(located, documents):
            lines.update(range(bisect_left(feeds, start), bisect_left(feeds, end) + 1))
    return frozenset(lines)


def _hidden(located: Located, documents: list[Document]) -> Iterator[tuple[int, int]]:
    """From where to where an object holds what is hidden."""
    ref, prefix, document = located.document.ref, located.document.prefix, documents[located.index]
    if ref.kind == "Secret":
        own = node_at(document.root, prefix)
        if prefix and own is not None:
            yield own.outer, own.end
        else:
            yield documents[located.index - 1].end if located.index else 0, max(document.end - 1, 0)
        return
    dialect = DIALECTS.get((ref.api_version, ref.kind))
    for place in sensitive_places(located.document, dialect.model) if dialect is not None else ():
        node = node_at(document.root, prefix + place)
        if node is not None:
            yield node.meant.outer, node.meant.end
