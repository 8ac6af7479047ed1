"""Draws a tree of agents with its runtimes as a piece of SVG that a page can hold and give colours.

The bytes depend on the values alone. Every text is escaped and cut to what its node can show; the whole of it
is then the node's title. `STYLE` has the colours for light and dark; a page that has it once, or another one
with the same classes, serves any number of pictures. A picture by itself is drawn with `embed_style`.
"""

from __future__ import annotations

import hashlib
import unicodedata
from html import escape
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.text import printable
from kagent_render.graph.picture_layout import CAPTION, LINE, PADDING, lay_out, members
from kagent_render.graph.picture_node import Mark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.graph.picture_layout import Edge, Rectangle
    from kagent_render.graph.picture_node import PictureNode

WIDTH: Final = 368
"""The width of a picture in pixels unless told: what a page of 400 pixels has room for."""

_EM: Final = 0.61
"""The width of one character of a monospaced font, as part of its size; the widest in use have 0.61."""

_SIZES: Final = (13.0, 11.0, 11.0)
_CLASSES: Final = ("name", "sub", "sub")
_BADGE: Final = 20.0


_SIGNS: Final = {
    Mark.ADDED: "+",
    Mark.REMOVED: "\N{MINUS SIGN}",
    Mark.CHANGED: "~",
    Mark.REACHED: "\N{BLACK CIRCLE}",
}


STYLE: Final = """\
.kr-picture{--kr-bg:#f6f8fa;--kr-node:#fff;--kr-line:#57606a;--kr-text:#1f2328;--kr-muted:#57606a;\
--kr-accent:#0550ae;--kr-added:#1a7f37;--kr-removed:#cf222e;--kr-changed:#8a5a00;--kr-reached:#8250df;\
color-scheme:light dark;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.kr-picture{--kr-bg:#161b22;--kr-node:#0d1117;--kr-line:#8b949e;\
--kr-text:#e6edf3;--kr-muted:#9da7b1;--kr-accent:#79c0ff;--kr-added:#56d364;--kr-removed:#ff7b72;\
--kr-changed:#e3b341;--kr-reached:#d2a8ff}}
.kr-picture text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;\
font-size:11px;fill:var(--kr-muted)}
.kr-picture .kr-name{font-size:13px;font-weight:600;fill:var(--kr-text)}
.kr-box{fill:var(--kr-bg);stroke:var(--kr-line);stroke-opacity:.55}
.kr-node{fill:var(--kr-node);stroke:var(--kr-line)}
.kr-edge{fill:none;stroke:var(--kr-line);stroke-width:1.5}
.kr-dedicated{stroke:var(--kr-accent);stroke-dasharray:5 3}
.kr-arrow{fill:var(--kr-accent)}
.kr-added>rect{stroke:var(--kr-added);stroke-width:2}.kr-added>.kr-sign{fill:var(--kr-added)}
.kr-removed>rect{stroke:var(--kr-removed);stroke-width:2;stroke-dasharray:3 3}\
.kr-removed>.kr-sign{fill:var(--kr-removed)}.kr-removed>.kr-name{text-decoration:line-through}
.kr-changed>rect{stroke:var(--kr-changed);stroke-width:2}.kr-changed>.kr-sign{fill:var(--kr-changed)}
.kr-reached>rect{stroke:var(--kr-reached);stroke-width:2}.kr-reached>.kr-sign{fill:var(--kr-reached)}
.kr-picture .kr-sign{font-size:14px;font-weight:700}
"""
"""The style sheet of pictures; every colour is a custom property of `.kr-picture`."""


def draw_tree(root: PictureNode, title: str, *, width: int = WIDTH, embed_style: bool = False) -> str:
    """A tree as one `<svg>` element; `title` says what it shows, and has to differ within one page."""
    drawing = lay_out(root, width)
    identity = hashlib.sha256(title.encode(errors="replace")).hexdigest()[:12]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kr-picture" role="img" width="{width}" '
        f'height="{_number(drawing.height)}" viewBox="0 0 {width} {_number(drawing.height)}" '
        f'aria-labelledby="kr-t-{identity} kr-d-{identity}">'
    )
    parts = [head, f'<title id="kr-t-{identity}">{_text(title)}</title>']
    parts.append(f'<desc id="kr-d-{identity}">{_text(describe(root))}</desc>')
    parts += [f"<style>{STYLE}</style>"] if embed_style else []
    parts += (part for node, area in drawing.boxes for part in _box(node, area))
    parts += (part for edge in drawing.edges for part in _edge(edge))
    parts += (part for node, area in drawing.nodes for part in _node(node, area))
    return "\n".join((*parts, "</svg>\n"))


def describe(root: PictureNode) -> str:
    """A tree in words, one sentence for each runtime."""
    sentences, heads = [], [root]
    while heads:
        head = heads.pop(0)
        inside = [node for node, _ in members(head)]
        shared = f" with {', '.join(map(_said, inside[1:]))}" if inside[1:] else ""
        changed = f", which is {head.boundary_mark}" if head.boundary_mark else ""
        sentences.append(f"One runtime{changed} runs {_said(head)}{shared}.")
        for binder in inside:
            below = [child for child in binder.children if child.dedicated]
            if below:
                verb = f"{binder.name} calls {', '.join(child.name for child in below)}"
                sentences.append(f"{verb} in {'a runtime of its own' if len(below) == 1 else 'their own'}.")
            heads += below
    return " ".join(sentences)


def _said(node: PictureNode) -> str:
    return f"{node.name} ({node.mark})" if node.mark else node.name


def _box(head: PictureNode, area: Rectangle) -> Iterator[str]:
    yield _group("kr-boundary", head.boundary_mark, head.caption)
    yield _rectangle(area, 12, "kr-box")
    room = area.width - 2 * PADDING - (_BADGE if head.boundary_mark else 0.0)
    if head.caption:
        yield _line(head.caption, area.x + PADDING + 2, area.y + CAPTION, room, 11.0, "caption")
    yield from _sign(head.boundary_mark, area, area.y + CAPTION)
    yield "</g>"


def _node(node: PictureNode, area: Rectangle) -> Iterator[str]:
    yield _group("kr-agent", node.mark, "\n".join(node.lines))
    yield _rectangle(area, 7, "kr-node")
    room = area.width - 20 - (_BADGE if node.mark else 0.0)
    for index, line in enumerate(node.lines):
        yield _line(line, area.x + 10, area.y + 18 + index * LINE, room, _SIZES[index], _CLASSES[index])
    yield from _sign(node.mark, area, area.y + 19)
    yield "</g>"


def _edge(edge: Edge) -> Iterator[str]:
    path = "".join(
        f"{'L' if index else 'M'}{_number(x)} {_number(y)}" for index, (x, y) in enumerate(edge.points)
    )
    kind = " kr-dedicated" if edge.dedicated else ""
    yield f'<path class="kr-edge{kind}" d="{path}"/>'
    if edge.dedicated:
        x, y = edge.points[-1]
        back = f"L{_number(x - 6)} "
        tip = f"M{_number(x)} {_number(y)}{back}{_number(y - 4)}{back}{_number(y + 4)}Z"
        yield f'<path class="kr-arrow" d="{tip}"/>'


def _group(kind: str, mark: Mark | None, title: str) -> str:
    marked = f" kr-{mark}" if mark else ""
    told = f"<title>{_text(f'{mark}: {title}' if mark else title)}</title>" if title else ""
    return f'<g class="{kind}{marked}">{told}'


def _rectangle(area: Rectangle, radius: int, kind: str) -> str:
    place = f'x="{_number(area.x)}" y="{_number(area.y)}"'
    size = f'width="{_number(area.width)}" height="{_number(area.height)}"'
    return f'<rect class="{kind}" {place} {size} rx="{radius}"/>'


def _line(text: str, x: float, y: float, room: float, size: float, kind: str) -> str:
    shown = shorten(text, int(room / (size * _EM)))
    return f'<text class="kr-{kind}" x="{_number(x)}" y="{_number(y)}">{_text(shown)}</text>'


def _sign(mark: Mark | None, area: Rectangle, y: float) -> Iterator[str]:
    if mark:
        x = _number(area.x + area.width - 20)
        yield f'<text class="kr-sign" x="{x}" y="{_number(y)}">{_SIGNS[mark]}</text>'


def shorten(text: str, cells: int) -> str:
    """A text cut to so many columns of a monospaced font, an ellipsis at the end where it was longer."""
    clean = printable(text)
    if sum(map(_cells, clean)) <= cells:
        return clean
    kept, used = [], 1
    for character in clean:
        used += _cells(character)
        if used > cells:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def _cells(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _text(text: str) -> str:
    return escape("\n".join(map(printable, text.split("\n"))))


def _number(value: float) -> str:
    """A length with at most one decimal, the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")
