"""The entries of `docs/reasons.md` as reports carry them; run as a module, it writes them to the package."""

from __future__ import annotations

import json
import re

from kagent_render.diagnostics.explanations import FILE
from tests.docs.messages import entries
from tests.parts import REPOSITORY

_TARGET = REPOSITORY / "kagent_render" / "diagnostics" / FILE
_DESCRIPTION = re.compile(r"\*Condition: \w+\.\* (.+?)\n\n", re.DOTALL)
_FIX = re.compile(r"^\*\*Fix\.\*\* (.+?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"(.+?[.:])(?:\s|$)", re.DOTALL)
_SEVERITY = re.compile(r"A (?:warning|note)[^.:]*[.:] ")
_LINK = re.compile(r"\[(.+?)\]\([^)]+\)", re.DOTALL)


def explained(entry: str) -> dict[str, str]:
    """What a report says of one entry: its first sentence, its description and its fix, without links."""
    description, fix = _DESCRIPTION.search(entry), _FIX.search(entry)
    assert description
    assert fix
    text = _SEVERITY.sub("", _plain(description[1]), count=1)
    text = text[0].upper() + text[1:]
    sentence = _SENTENCE.match(text)
    assert sentence, text
    return {"summary": f"{sentence[1][:-1]}.", "description": text, "fix": _plain(fix[1])}


def written() -> str:
    """The file of the package."""
    found = {code: explained(entry) for code, entry in entries().items()}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _plain(text: str) -> str:
    return " ".join(_LINK.sub(r"\1", text).split())


if __name__ == "__main__":
    _TARGET.write_text(written(), encoding="utf-8")
