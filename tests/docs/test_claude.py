"""`docs/claude.md` names what the adapter reserves and refuses."""

from __future__ import annotations

import re

from kagent_render.compile.adapters.claude.files import AGENTS, MCP, SETTINGS
from kagent_render.compile.adapters.claude.reserved import NAMES, PREFIXES
from tests.docs.markdown import page
from tests.runtimes.claude.installation import version

PAGE = "docs/claude.md"


def test_the_page_lists_every_reserved_name() -> None:
    section = page(PAGE).partition("## Reserved environment names\n")[2].partition("\n## ")[0]
    listed = set(re.findall("`([A-Z_]+)`", section)) - {"ANTHROPIC_API_KEY"}
    assert listed == {*NAMES, *PREFIXES}


def test_the_page_names_the_version_and_the_files() -> None:
    text = page(PAGE)
    assert f"Claude Code {version()}" in text
    for name in (AGENTS, MCP, SETTINGS):
        assert f"`{name}`" in text
