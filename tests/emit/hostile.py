"""Texts that a careless writer of YAML, or a careless reader, changes."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from kagent_render.revision.canonical_yaml import dump

ESCAPED = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
"""Characters that no file of ours has as they are: kustomize refuses some, and makes line feeds of others."""

TEXTS = (
    "", "\n", "\n\n", "a", "a\n", "a\n\n", " a", "\ta", "a ", "a \n", "a\t\nb", "\n a\nb", "  a\n b\n",
    "a\r\nb\r\n", "a\rb", "---\n", "a\n---\nb\n", "...\n", "--- |\n", "%YAML 1.2\n", "# a\n", "#", "a: b\n",
    "- a\n", "key=value\n", "=", "null", "true\n", "1e3", "0o7", "2001-01-01", "~", "'", '"', "\\", "\\n",
    "{a", "[", "&a *b !c", "| >", "@", "`", "\x00", "\x07", "\x7f", "\x1b[31m", "é", "\U0001f600\n", "\ufffd",
    "\u200b", "\u202e", "${A}\n", "x" * 200, "x " * 100, "{{ .Values }}", "$(VAR)",
    "a\x85b\n", "a\u2028b\n", "a\u2029b\n", "\ufeffa\n", "\ufffe",
)  # fmt: skip


def texts() -> st.SearchStrategy[str]:
    """Any text that a file can hold, often made of what is troublesome."""
    anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
    return st.lists(st.sampled_from(TEXTS) | anything, max_size=4).map("".join)


def documents() -> st.SearchStrategy[dict[str, Any]]:
    """Values that this program could write."""
    return st.dictionaries(texts(), texts() | st.booleans() | st.integers(0, 9), min_size=1, max_size=4)


def contents() -> st.SearchStrategy[bytes]:
    """Files of UTF-8: as this program writes them, below a comment, or anything."""
    written = documents().map(dump)
    return (written | written.map("# binding path: critic\n{}".format) | texts()).map(str.encode)
