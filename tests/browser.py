"""A real browser for pages that are written: every request and every complaint of a page is noted."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.parts import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


@dataclass
class Visit:
    """One page that was opened; `requests` are those beyond the page itself."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def overflows(self) -> bool:
        """Whether the page as a whole scrolls sideways."""
        return bool(
            self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        )


def chromium() -> str:
    """The browser of this machine."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        missing("no `chromium` on PATH to open pages")
    return str(found)


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser without a window while it is used."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium(), args=list(_FLAGS))
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def visiting(opened: Browser, file: Path, width: int, *, dark: bool = False) -> Iterator[Visit]:
    """A file opened in a window of so many pixels; what it asks for beyond itself is refused and noted."""
    address = file.resolve().as_uri()
    with _window(opened, width, dark, address) as visit:
        visit.page.goto(address)
        yield visit


@contextmanager
def showing(opened: Browser, text: str, width: int = 1_400, *, dark: bool = False) -> Iterator[Visit]:
    """A page of this text, likewise; it has no address, and whatever it asks for is refused and noted."""
    with _window(opened, width, dark) as visit:
        visit.page.set_content(text)
        yield visit


@contextmanager
def _window(opened: Browser, width: int, dark: bool, allowed: str = "") -> Iterator[Visit]:
    context = opened.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
    )
    visit = Visit(context.new_page())

    def judge(route: Route) -> None:
        url = route.request.url
        if url == allowed:
            route.continue_()
            return
        visit.requests.append(url)
        route.abort()

    context.route("**/*", judge)
    visit.page.on("console", lambda message: visit.complaints.append(message.text))
    visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
    try:
        yield visit
    finally:
        context.close()
