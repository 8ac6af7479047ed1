"""Where everything stands in the drawing of a tree: one column of boxes, a box for each runtime.

A box holds its head and the nodes that share the head's runtime; what any of them binds as Dedicated stands
in boxes of its own below, further to the right. Lines to those boxes run in lanes at the left of the box, one
for each node with such bindings. The boxes of the rightmost lane come first, so that no two lines cross.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.graph.picture_node import PictureNode

NARROWEST: Final = 170.0
"""The width that a node keeps, however deep the tree is."""

MARGIN: Final = 8.0
PADDING: Final = 9.0
CAPTION: Final = 16.0
LINE: Final = 16.0
_GAP: Final = 8.0
_BETWEEN: Final = 16.0
_STEP: Final = 24.0
_LANE: Final = 9.0
_SHARED_STEP: Final = 20.0


@dataclass(frozen=True, slots=True)
class Rectangle:
    """An area; lengths are pixels of the drawing, from its top left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from a node down to one that it binds: its corners, from the first to the last."""

    dedicated: bool
    node: PictureNode
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """All that is drawn, in reading order, and the height that it needs."""

    height: float
    boxes: tuple[tuple[PictureNode, Rectangle], ...]
    nodes: tuple[tuple[PictureNode, Rectangle], ...]
    edges: tuple[Edge, ...]


def lay_out(root: PictureNode, width: float) -> Drawing:
    """Place a tree; deeper trees have smaller steps, so that each node keeps a width that can be read."""
    needed = _needed(root)
    available = width - 2 * (MARGIN + PADDING) - NARROWEST
    placing = _Placing(width, min(1.0, max(available, 0.0) / needed) if needed else 1.0)
    bottom = placing.box(root, MARGIN, MARGIN)
    return Drawing(bottom + MARGIN, tuple(placing.boxes), tuple(placing.nodes), tuple(placing.edges))


def members(head: PictureNode) -> Iterator[tuple[PictureNode, int]]:
    """The nodes of a box, the head first, each with its depth in the box."""
    waiting = [(head, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node, depth
        waiting += [(child, depth + 1) for child in reversed(node.children) if not child.dedicated]


def _needed(head: PictureNode) -> float:
    """How far to the right the innermost node stands where no step is made smaller."""
    deepest, waiting = 0.0, [(head, 0.0)]
    while waiting:
        node, start = waiting.pop()
        inside = list(members(node))
        lanes = sum(_binds(member) for member, _ in inside)
        deepest = max(deepest, start + lanes * _LANE + max(depth for _, depth in inside) * _SHARED_STEP)
        below = start + _step(lanes)
        waiting += [(child, below) for member, _ in inside for child in _dedicated(member)]
    return deepest


def _step(lanes: int) -> float:
    return max(_STEP, (lanes + 1) * _LANE)


def _dedicated(node: PictureNode) -> list[PictureNode]:
    return [child for child in node.children if child.dedicated]


def _binds(node: PictureNode) -> bool:
    return any(child.dedicated for child in node.children)


@dataclass
class _Placing:
    """A drawing in the making; `scale` is that of steps to the right."""

    width: float
    scale: float
    boxes: list[tuple[PictureNode, Rectangle]] = field(default_factory=list)
    nodes: list[tuple[PictureNode, Rectangle]] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def box(self, head: PictureNode, x: float, y: float) -> float:
        """Place a box with all that is below it; gives where it ends."""
        inside = list(members(head))
        lanes = sum(_binds(node) for node, _ in inside)
        left = x + PADDING + lanes * _LANE * self.scale
        placed, bottom = self._members(inside, left, y + (CAPTION if head.caption else 0.0) + PADDING)
        bottom += PADDING
        self.boxes.append((head, Rectangle(x, y, self.width - MARGIN - x, bottom - y)))
        binders = [(node, area) for node, area in placed if _binds(node)]
        for lane, (binder, area) in reversed(list(enumerate(binders, 1))):
            along = x + lane * _LANE * self.scale
            for child in _dedicated(binder):
                bottom = self._below(area, child, along, x + _step(lanes) * self.scale, bottom + _BETWEEN)
        return bottom

    def _members(
        self, inside: Sequence[tuple[PictureNode, int]], left: float, y: float
    ) -> tuple[list[tuple[PictureNode, Rectangle]], float]:
        """Place the nodes of one box, each below the one before; gives where the last one ends, too."""
        placed: list[tuple[PictureNode, Rectangle]] = []
        holders: list[Rectangle] = []
        for node, depth in inside:
            x = left + depth * _SHARED_STEP * self.scale
            area = Rectangle(x, y, self.width - MARGIN - PADDING - x, LINE * len(node.lines) + 12.0)
            del holders[depth:]
            if holders:
                self._shared(holders[-1], node, area)
            holders.append(area)
            placed.append((node, area))
            y += area.height + _GAP
        self.nodes += placed
        return placed, y - _GAP

    def _shared(self, parent: Rectangle, node: PictureNode, area: Rectangle) -> None:
        along, middle = parent.x + _SHARED_STEP * self.scale / 2, area.y + area.height / 2
        points = ((along, parent.y + parent.height), (along, middle), (area.x, middle))
        self.edges.append(Edge(False, node, points))

    def _below(self, binder: Rectangle, child: PictureNode, along: float, x: float, y: float) -> float:
        """Place the box of a Dedicated binding, and the line to it."""
        first = len(self.nodes)
        bottom = self.box(child, x, y)
        area, start = self.nodes[first][1], binder.y + binder.height / 2
        end = area.y + area.height / 2
        self.edges.append(Edge(True, child, ((binder.x, start), (along, start), (along, end), (x, end))))
        return bottom
