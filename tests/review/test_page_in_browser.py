"""The page of a review in a real browser: it asks for nothing, fits any width, and works by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kagent_render.review import topics
from kagent_render.review.fact import Fact
from kagent_render.review.page import page
from tests.browser import browser, visiting
from tests.cli.reviewed import edit_everything, write_base
from tests.review.reviews import HOSTILE, hostile_review, review, side, subject
from tests.running import run

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    """One browser for all pages."""
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a repository with a bit of everything edited."""
    folder = write_base(tmp_path_factory.mktemp("page") / "repository")
    edit_everything(folder)
    done = run("diff", "--offline", "-o", "html", cwd=folder)
    assert done.status == 0, done.err
    (folder / "review.html").write_text(done.out)
    return folder / "review.html"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_asks_for_nothing_complains_of_nothing_and_fits(
    opened: Browser, written: Path, width: int, dark: bool
) -> None:
    with visiting(opened, written, width, dark=dark) as visit:
        assert (visit.requests, visit.complaints, visit.overflows()) == ([], [], False)
        assert visit.page.locator("svg.kr-picture").count() == 5
        assert visit.page.locator("#s3 svg").is_visible()
        assert visit.page.get_by_text("+Then write to everyone.").is_visible()
        background = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(255, 255, 255)") is not dark


def test_letters_from_right_to_left_swap_no_values(opened: Browser, tmp_path: Path) -> None:
    one, two = (side(Fact(topics.VARIANT, "", "", name)) for name in ("\u05d0\u05d1", "\u05d2\u05d3"))
    (tmp_path / "page.html").write_text(page(review(subject(one, two))))
    with visiting(opened, tmp_path / "page.html", 1_400) as visit:
        before, after = (
            visit.page.get_by_text(text, exact=True).bounding_box()
            for text in ("\u05d0\u05d1", "\u05d2\u05d3")
        )
        assert before
        assert after
        assert before["x"] < after["x"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_page_asks_for_nothing_and_runs_nothing(opened: Browser, tmp_path: Path, text: str) -> None:
    (tmp_path / "page.html").write_text(page(hostile_review(text * 30)))
    with visiting(opened, tmp_path / "page.html", 400) as visit:
        assert (visit.requests, visit.complaints, visit.overflows()) == ([], [], False)
        assert visit.page.locator("main section").count() == 1


def test_the_filter_works_by_keyboard_and_leaves_what_widens(opened: Browser, written: Path) -> None:
    with visiting(opened, written, 1400) as visit:
        visit.page.keyboard.press("Tab")
        visit.page.keyboard.press("Space")
        assert visit.page.locator(".changes > .effect-widens:visible").count() > 0
        assert visit.page.locator(".effect-neutral:visible, .effect-narrows:visible").count() == 0
        visit.page.keyboard.press("Space")
        assert visit.page.locator(".effect-neutral:visible").count() > 0


def test_links_lead_to_their_subjects(opened: Browser, written: Path) -> None:
    with visiting(opened, written, 400) as visit:
        visit.page.keyboard.press("Tab")
        visit.page.keyboard.press("Tab")
        visit.page.keyboard.press("Enter")
        assert visit.page.url.endswith("#s0")


def test_a_review_of_nothing_is_a_page_as_well(opened: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page(review(same=3)))
    with visiting(opened, tmp_path / "page.html", 400) as visit:
        assert (visit.requests, visit.complaints, visit.overflows()) == ([], [], False)
        assert visit.page.get_by_text("No agent changed: 3 pairs are the same").is_visible()
