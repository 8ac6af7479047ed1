"""A diagram as a Mermaid flowchart, as GitHub and GitLab draw it in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import Isolation
from kagent_render.diagnostics.text import printable
from kagent_render.graph.diagram import USES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.graph.diagram import Diagram, Vertex

_SHAPES: Final = {"agent": ('["', '"]'), "plugin": ('[["', '"]]'), "object": ('(["', '"])')}
_ARROWS: Final = {Isolation.SHARED: "---", Isolation.DEDICATED: "-. Dedicated .->", USES: "-->"}
_PLAIN: Final = re.compile(r"[^\w ./:,@()=?-]")
_STYLES: Final = (
    "classDef object stroke-dasharray:2 2",
    "classDef marked stroke:#b35900,stroke-width:3px",
)


def write_mermaid(diagram: Diagram) -> str:
    """The flowchart; labels are texts of Mermaid with everything that it could read as markup encoded."""
    lines = ["flowchart LR", *_boxes(diagram, None, "  ")]
    lines += [f"  {_vertex(vertex)}" for vertex in diagram.vertices if vertex.box is None]
    lines += [f"  {arrow.source} {_ARROWS[arrow.kind]} {arrow.target}" for arrow in diagram.arrows]
    return "\n".join((*lines, *(f"  {style}" for style in _STYLES))) + "\n"


def _boxes(diagram: Diagram, parent: str | None, indent: str) -> Iterator[str]:
    for box in diagram.boxes:
        if box.parent == parent:
            yield f'{indent}subgraph {box.id}["{_label(box.label)}"]'
            yield from _boxes(diagram, box.id, f"{indent}  ")
            yield from (f"{indent}  {_vertex(vertex)}" for vertex in diagram.vertices if vertex.box == box.id)
            yield f"{indent}end"


def _vertex(vertex: Vertex) -> str:
    start, end = _SHAPES[vertex.kind]
    kind = ":::marked" if vertex.marked else ":::object" if vertex.kind == "object" else ""
    return f"{vertex.id}{start}{'<br/>'.join(map(_label, vertex.lines))}{end}{kind}"


def _label(text: str) -> str:
    """A text with each character that Mermaid or HTML could take for markup as a number."""
    # Mermaid makes a new line of a backslash before an `n`, written as a number or not.
    shown = printable(text).replace("\\", "\N{FULLWIDTH REVERSE SOLIDUS}")
    return _PLAIN.sub(lambda found: f"#{ord(found[0])};", shown)
