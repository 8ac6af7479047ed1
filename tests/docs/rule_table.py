"""The table of rules in `docs/review.md`, out of the rules themselves; run as a module, it writes it."""

from __future__ import annotations

from kagent_render.review.topics import TOPICS
from tests.docs.markdown import page
from tests.parts import REPOSITORY

PAGE = "docs/review.md"
_BEGIN, _END = "<!-- rules -->\n", "<!-- /rules -->"


def table() -> str:
    """Every row, the weightiest first."""
    head = "| what | that is | added | removed | changed |\n|---|---|---|---|---|\n"
    return head + "".join(
        f"| `{topic.title}` | {topic.about} | {topic.rule.added.text} | {topic.rule.removed.text}"
        f" | {topic.rule.changed.text} |\n"
        for topic in TOPICS
    )


def placed() -> str:
    """What stands between the marks on the page."""
    return page(PAGE).partition(_BEGIN)[2].partition(_END)[0]


def record() -> None:
    """Write the table to its place."""
    before, _, rest = page(PAGE).partition(_BEGIN)
    text = f"{before}{_BEGIN}{table()}{_END}{rest.partition(_END)[2]}"
    (REPOSITORY / PAGE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    record()
