"""Chromium for tests that look at drawings, and the drawing library that it loads from a file."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, ViewportSize, sync_playwright

from tests.parts import missing, program

MERMAID = "11.12.1"
_INTEGRITY = "UlIZrRariB11TY1RtTgUWp65tphtBv4CSq7vyS2ZZ2TgoMjs2nloq+wFqxiwcxlhHUvs7DPGgMjs2aeQxz5h9g=="
_MEMBER = "package/dist/mermaid.min.js"


@dataclass
class Heard:
    """What a page says on its console, and what it asks for."""

    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        page.on("console", self._said)
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        self.said.append(message.text)

    def _asked(self, request: Request) -> None:
        self.asked.append(request.url)


@contextmanager
def started() -> Iterator[Browser]:
    """The browser."""
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, width: int = 1_400, *, dark: bool = False) -> Iterator[Page]:
    """A page of a window without a network."""
    size = ViewportSize(width=width, height=800)
    context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", offline=True)
    yield context.new_page()
    context.close()


def mermaid_library() -> str:
    """Mermaid's one file, got with npm once and held against the digest that its registry published."""
    npm = program("npm")
    folder = Path(tempfile.gettempdir()) / f"kagent-mermaid-{MERMAID}"
    folder.mkdir(exist_ok=True)
    package = folder / f"mermaid-{MERMAID}.tgz"
    with open(folder / "lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not package.exists():
            command = [npm, "pack", f"mermaid@{MERMAID}"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
            if done.returncode:
                missing(f"npm could not get Mermaid: {done.stderr[-2000:]}")
    digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
    assert digest == _INTEGRITY
    with tarfile.open(package) as archive:
        member = archive.extractfile(_MEMBER)
        assert member is not None
        return member.read().decode()
