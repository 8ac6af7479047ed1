"""`docs/codex.md` names what the adapter reserves."""

from __future__ import annotations

import re

from kagent_render.compile.adapters.codex.reserved import NAMES, OPEN, PREFIXES
from tests.docs.markdown import page


def test_the_page_lists_every_reserved_name() -> None:
    section = page("docs/codex.md").partition("## Reserved variables\n")[2].partition("\n## ")[0]
    assert set(re.findall("`([A-Z_]+)`", section)) - OPEN == {*NAMES, *PREFIXES}
