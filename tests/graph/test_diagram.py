from __future__ import annotations

import re

import pytest

from kagent_render.graph.diagram import make_diagram
from kagent_render.graph.dot import write_dot
from kagent_render.graph.mermaid import write_mermaid
from kagent_render.graph.page import write_page
from kagent_render.graph.pictures import draw_sheet
from tests.graph.overviews import HOSTILE, TEAM, hostile

WRITERS = {
    "mermaid": lambda overview: write_mermaid(make_diagram([overview])),
    "dot": lambda overview: write_dot(make_diagram([overview])),
    "svg": lambda overview: draw_sheet([overview]),
    "html": lambda overview: write_page([overview], "title"),
}


def test_an_object_is_one_vertex_however_many_use_it() -> None:
    diagram = make_diagram([TEAM])
    labels = [vertex.lines for vertex in diagram.vertices if vertex.kind == "object"]
    assert len(labels) == len(set(labels)) == 5
    assert len(diagram.arrows) == len(set(diagram.arrows))


def test_a_brief_diagram_has_agents_alone() -> None:
    diagram = make_diagram([TEAM], brief=True)
    assert {vertex.kind for vertex in diagram.vertices} == {"agent", "plugin"}
    assert {arrow.kind for arrow in diagram.arrows} == {"Shared", "Dedicated"}


def test_an_agent_stands_in_the_box_of_its_runtime_and_its_pair() -> None:
    diagram = make_diagram([TEAM])
    boxes = {box.id: box for box in diagram.boxes}
    for vertex in diagram.vertices:
        if vertex.kind == "agent" and vertex.lines[0] != "keeper":
            assert vertex.box is not None
            assert boxes[vertex.box].parent is not None


@pytest.mark.parametrize("form", WRITERS)
def test_the_same_overview_gives_the_same_bytes(form: str) -> None:
    assert WRITERS[form](TEAM) == WRITERS[form](TEAM)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_mermaid_labels_hold_no_markup(text: str) -> None:
    for line in WRITERS["mermaid"](hostile(text)).splitlines():
        for label in re.findall(r'"([^"]*)"', line):
            assert re.fullmatch(r"(?:[\w ./:,@()=?-]|#\d+;|<br/>)*", label), label
        assert line.count('"') in (0, 2), line


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_page_holds_no_script_and_allows_none(text: str) -> None:
    page = WRITERS["html"](hostile(text))
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=", page)
    assert "\x1b" not in page
