"""A diagram in the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import Isolation
from kagent_render.diagnostics.text import printable
from kagent_render.graph.diagram import USES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.graph.diagram import Diagram, Vertex

_SHAPES: Final = {"agent": "box", "plugin": "component", "object": "note"}
_ARROWS: Final = {
    Isolation.SHARED: "dir=none",
    Isolation.DEDICATED: 'style=dashed, label="Dedicated"',
    USES: 'color="#57606a"',
}
_HEAD: Final = (
    "rankdir=LR",
    'graph [fontname="monospace", fontsize=11, style=rounded]',
    'node [fontname="monospace", fontsize=11]',
    'edge [fontname="monospace", fontsize=9]',
)


def write_dot(diagram: Diagram) -> str:
    """The graph; every label is a quoted string in which nothing is markup."""
    lines = ["digraph agents {", *(f"  {line}" for line in _HEAD), *_boxes(diagram, None, "  ")]
    lines += [f"  {_vertex(vertex)}" for vertex in diagram.vertices if vertex.box is None]
    lines += [f"  {arrow.source} -> {arrow.target} [{_ARROWS[arrow.kind]}]" for arrow in diagram.arrows]
    return "\n".join((*lines, "}")) + "\n"


def _boxes(diagram: Diagram, parent: str | None, indent: str) -> Iterator[str]:
    for box in diagram.boxes:
        if box.parent == parent:
            yield f"{indent}subgraph cluster_{box.id} {{"
            yield f"{indent}  label={_quoted(box.label)}"
            yield from _boxes(diagram, box.id, f"{indent}  ")
            yield from (f"{indent}  {_vertex(vertex)}" for vertex in diagram.vertices if vertex.box == box.id)
            yield f"{indent}}}"


def _vertex(vertex: Vertex) -> str:
    marked = ', color="#b35900", penwidth=3' if vertex.marked else ""
    return f"{vertex.id} [shape={_SHAPES[vertex.kind]}, label={_quoted(*vertex.lines)}{marked}]"


def _quoted(*lines: str) -> str:
    """A label; Graphviz reads backslashes, quotes and HTML's entities in it, so none is left as it is."""
    return '"' + "\\n".join(map(_escaped, lines)) + '"'


def _escaped(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
