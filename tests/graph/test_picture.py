from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.graph.picture import STYLE, WIDTH, describe, draw_tree, shorten
from kagent_render.graph.picture_layout import NARROWEST, Rectangle, lay_out
from kagent_render.graph.picture_node import Mark, PictureNode

SVG = "{http://www.w3.org/2000/svg}"


def node(name: str, *children: PictureNode, dedicated: bool = False, mark: Mark | None = None) -> PictureNode:
    return PictureNode(name, "template", ("a fact",), dedicated, mark, "runtime", None, children)


def chain(length: int, *, dedicated: bool) -> PictureNode:
    return node(
        "link", *([chain(length - 1, dedicated=dedicated)] if length > 1 else ()), dedicated=dedicated
    )


@st.composite
def trees(draw: st.DrawFn) -> PictureNode:
    """A tree of up to 64 nodes, each below an earlier one."""
    count = draw(st.integers(1, 64))
    parents = [draw(st.integers(0, max(0, index - 1))) for index in range(count)]
    grown: dict[int, PictureNode] = {}
    for index in reversed(range(count)):
        below = [grown[child] for child in range(index + 1, count) if parents[child] == index]
        grown[index] = node(f"n{index}", *below, dedicated=draw(st.booleans()))
    return grown[0]


def size(tree: PictureNode) -> int:
    return 1 + sum(map(size, tree.children))


def overlap(one: Rectangle, other: Rectangle) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def inside(one: Rectangle, other: Rectangle) -> bool:
    return (
        one.x >= other.x
        and one.y >= other.y
        and one.x + one.width <= other.x + other.width
        and one.y + one.height <= other.y + other.height
    )


def crosses(points: tuple[tuple[float, float], ...], area: Rectangle) -> bool:
    """Whether a line has a corner or a vertical part within an area."""
    for (x, start), (other, end) in pairwise(points):
        within = area.x < x == other < area.x + area.width
        if within and min(start, end) < area.y + area.height and max(start, end) > area.y:
            return True
    return False


@settings(max_examples=25, deadline=None)
@given(trees())
def test_nothing_overlaps_and_every_node_is_drawn_once_in_its_box(tree: PictureNode) -> None:
    drawing = lay_out(tree, WIDTH)
    boxes = [area for _, area in drawing.boxes]
    nodes = [area for _, area in drawing.nodes]
    canvas = Rectangle(0, 0, WIDTH, drawing.height)
    assert len(nodes) == size(tree)
    assert not any(overlap(*both) for both in combinations(boxes, 2))
    assert not any(overlap(*both) for both in combinations(nodes, 2))
    assert all(sum(inside(area, box) for box in boxes) == 1 for area in nodes)
    assert all(inside(box, canvas) for box in boxes)
    assert all(area.width >= NARROWEST - 1e-6 for area in nodes)
    assert not any(crosses(edge.points, area) for edge in drawing.edges for area in nodes)


@settings(max_examples=25, deadline=None)
@given(trees())
def test_lines_to_runtimes_never_cross(tree: PictureNode) -> None:
    lines = [edge.points for edge in lay_out(tree, WIDTH).edges if edge.dedicated]
    for one, other in combinations(lines, 2):
        assert not _cross(one, other), (one, other)
        assert not _cross(other, one), (one, other)


def _cross(one: tuple[tuple[float, float], ...], other: tuple[tuple[float, float], ...]) -> bool:
    """Whether the vertical of one meets a horizontal of the other within both."""
    (x, top), (_, bottom) = one[1], one[2]
    horizontals = ((other[0], other[1]), (other[2], other[3]))
    return any(
        min(a[0], b[0]) < x < max(a[0], b[0]) and top < a[1] < bottom and a[1] not in (top, bottom)
        for a, b in horizontals
    )


@pytest.mark.parametrize("make", [lambda: chain(64, dedicated=True), lambda: chain(64, dedicated=False)])
def test_the_deepest_tree_fits(make: Callable[[], PictureNode]) -> None:
    drawing = lay_out(make(), WIDTH)
    assert min(area.width for _, area in drawing.nodes) >= NARROWEST - 1e-6


HOSTILE = [
    "</text><script>alert(1)</script>",
    "\"onload='x' &amp;",
    "]]><!--",
    "\x1b[31m\x00\x07",
    "\u202egnp.exe",
    "\ud800",
    "漢字" * 80,
]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_name_is_markup(text: str) -> None:
    tree = PictureNode(text, text, (text,), caption=text, children=(PictureNode(text, dedicated=True),))
    svg = draw_tree(tree, text, embed_style=True)
    root = ET.fromstring(svg)
    assert {found.tag.removeprefix(SVG) for found in root.iter()} == {
        "svg", "title", "desc", "style", "g", "rect", "text", "path"
    }  # fmt: skip
    assert not {name for found in root.iter() for name in found.attrib if name.startswith("on")}
    svg.encode()


def test_the_bytes_depend_on_the_values_alone() -> None:
    tree = node("a", node("b", mark=Mark.CHANGED), node("c", dedicated=True, mark=Mark.ADDED))
    assert draw_tree(tree, "t") == draw_tree(node("a", *tree.children), "t")


def test_a_picture_says_what_it_shows_to_who_cannot_see_it() -> None:
    root = ET.fromstring(draw_tree(node("lead", node("helper"), node("critic", dedicated=True)), "A"))
    named = [root.find(f"{SVG}title"), root.find(f"{SVG}desc")]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == " ".join(
        found.get("id", "") for found in named if found is not None
    )
    assert [found.text for found in named if found is not None] == [
        "A",
        "One runtime runs lead with helper. lead calls critic in a runtime of its own. "
        "One runtime runs critic.",
    ]


@pytest.mark.parametrize("mark", Mark)
def test_a_mark_is_a_sign_and_a_word_and_not_only_a_colour(mark: Mark) -> None:
    svg = draw_tree(PictureNode("lead", mark=mark, boundary_mark=mark), "t")
    assert f'class="kr-agent kr-{mark}"' in svg
    assert f'class="kr-boundary kr-{mark}"' in svg
    assert f"lead ({mark})" in describe(PictureNode("lead", mark=mark))
    assert svg.count('class="kr-sign"') == 2


def test_a_picture_asks_for_nothing_and_styles_only_itself() -> None:
    assert "url(" not in STYLE
    assert "@import" not in STYLE
    selectors = [part.split("}")[-1].strip() for part in STYLE.replace("@media", "}@media").split("{")[:-1]]
    assert all(text.startswith((".kr-", "@media")) for text in selectors), selectors


CUTS = [
    ("short", 10, "short"),
    ("exactly-10", 10, "exactly-10"),
    ("eleven-cells", 10, "eleven-ce…"),
    ("漢字漢字", 8, "漢字漢字"),
    ("漢字漢字", 7, "漢字漢…"),
    ("a\x1bb", 10, "a\N{REPLACEMENT CHARACTER}b"),
]


@pytest.mark.parametrize(("text", "cells", "shown"), CUTS)
def test_a_long_name_is_cut_to_its_room(text: str, cells: int, shown: str) -> None:
    assert shorten(text, cells) == shown


def test_what_was_cut_is_in_the_title() -> None:
    name = "a-name-of-an-agent-" * 6
    root = ET.fromstring(draw_tree(PictureNode(name, "template"), "t"))
    assert name not in [found.text for found in root.iter(f"{SVG}text")]
    assert f"{name}\ntemplate" in [found.text for found in root.iter(f"{SVG}title")]
