"""What each reason code means and how it is mended, in the words of `docs/reasons.md`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from kagent_render.diagnostics.reasons import Reason

FILE: Final = "explanations.json"
"""Written from the page by `python -m tests.docs.explanations`; a test keeps the two in step."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One entry of the page without its example, in plain text."""

    summary: str
    description: str
    fix: str


def load_explanations() -> dict[Reason, Explanation]:
    """The explanation of every reason."""
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return {Reason(code): Explanation(**entry) for code, entry in json.loads(text).items()}
