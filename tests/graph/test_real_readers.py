"""What the tools themselves make of the drawings: Graphviz, Mermaid and a browser."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from kagent_render.diagnostics.text import printable
from kagent_render.graph.diagram import make_diagram
from kagent_render.graph.dot import write_dot
from kagent_render.graph.mermaid import write_mermaid
from kagent_render.graph.overview import Overview
from kagent_render.graph.page import write_page
from kagent_render.graph.picture import draw_tree
from kagent_render.graph.picture_node import PictureNode
from tests.browser import browser as started
from tests.browser import showing
from tests.graph.mermaid_library import mermaid_library
from tests.graph.overviews import HOSTILE, TEAM, hostile
from tests.parts import program

pytestmark = pytest.mark.server

OVERVIEWS = [TEAM, *map(hostile, HOSTILE)]
NAMES = ["team", *map(ascii, HOSTILE)]


@pytest.mark.parametrize("overview", OVERVIEWS, ids=NAMES)
def test_graphviz_reads_every_vertex_with_its_label(overview: Overview) -> None:
    diagram = make_diagram([overview])
    dot = program("dot")
    done = subprocess.run([dot, "-Tjson"], input=write_dot(diagram), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    objects = json.loads(done.stdout)["objects"]
    drawn = {found["name"]: found for found in objects}
    for vertex in diagram.vertices:
        texts = [part["text"] for part in drawn[vertex.id]["_ldraw_"] if part["op"] == "T"]
        assert [text.strip() for text in texts] == [printable(line).strip() for line in vertex.lines]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as found:
        yield found


@pytest.fixture(scope="module")
def mermaid(browser: Browser) -> Iterator[Page]:
    library = mermaid_library()
    with showing(browser, "<!doctype html><title>t</title><body></body>") as visit:
        page = visit.page
        page.add_script_tag(content=library)
        page.evaluate("mermaid.initialize({startOnLoad: false})")
        yield page


DRAW = """async text => {
  const {svg} = await mermaid.render("drawing", text);
  const holder = document.createElement("div");
  holder.innerHTML = svg;
  const labels = kind => [...holder.querySelectorAll(kind + " .nodeLabel")].map(found => found.textContent);
  return {
    nodes: labels(".node"),
    boxes: labels(".cluster-label"),
    edges: holder.querySelectorAll("path.flowchart-link").length,
    active: holder.querySelectorAll("script,a,img,iframe").length,
  };
}"""


@pytest.mark.parametrize("overview", OVERVIEWS, ids=NAMES)
def test_mermaid_draws_every_vertex_with_its_label(mermaid: Page, overview: Overview) -> None:
    diagram = make_diagram([overview])
    drawn = mermaid.evaluate(DRAW, write_mermaid(diagram))

    def texts(found: list[str]) -> list[str]:
        return sorted("".join(text.split()).replace("\\", "＼") for text in found)

    assert texts(drawn["nodes"]) == texts([printable("".join(vertex.lines)) for vertex in diagram.vertices])
    assert texts(drawn["boxes"]) == texts([printable(box.label) for box in diagram.boxes])
    assert drawn["edges"] == len(diagram.arrows)
    assert drawn["active"] == 0


MEASURE = """() => ({
  wide: document.documentElement.scrollWidth - window.innerWidth,
  background: getComputedStyle(document.body).backgroundColor,
  overflowing: [...document.querySelectorAll("svg text")].filter(text => {
    const area = text.parentNode.querySelector("rect");
    if (!area) return false;
    const outer = area.getBoundingClientRect(), inner = text.getBoundingClientRect();
    return inner.left < outer.left || inner.right > outer.right || inner.bottom > outer.bottom;
  }).map(text => text.textContent),
})"""
LONG = PictureNode("W" * 200, "w" * 200, ("m" * 200,), True, caption="M" * 200)


@pytest.mark.parametrize("overview", OVERVIEWS, ids=NAMES)
def test_a_page_fits_narrow_and_wide_windows_light_and_dark(browser: Browser, overview: Overview) -> None:
    text = write_page([overview], "Agents")
    backgrounds = set()
    for width, dark in ((400, False), (1_400, True)):
        with showing(browser, text, width, dark=dark) as visit:
            found = visit.page.evaluate(MEASURE)
            assert found["wide"] <= 0
            assert found["overflowing"] == []
            assert (visit.requests, visit.complaints) == ([], [])
            backgrounds.add(found["background"])
    assert len(backgrounds) == 2


def test_the_longest_names_stay_in_their_boxes(browser: Browser) -> None:
    with showing(browser, draw_tree(LONG, "t", embed_style=True), 400) as visit:
        assert visit.page.evaluate(MEASURE)["overflowing"] == []
