"""What the program says to each example of `docs/reasons.md`; run as a module, it writes it to the page."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from kagent_render.diagnostics.reasons import Reason
from tests.docs import examples, plugin_images
from tests.docs.arrangements import ARRANGEMENTS, FAILURES
from tests.docs.markdown import Block, blocks, page, sections
from tests.parts import REPOSITORY

PAGE = "docs/reasons.md"
_CHECKS = {
    Reason.ARTIFACT_NOT_VENDORED: examples.check_vendored,
    Reason.STORE_DRIFT: examples.check_vendored,
    Reason.NOT_MIGRATABLE: examples.migrate,
}
"""What is run in place of `check` for the reasons that other commands alone find."""


def entries() -> dict[str, str]:
    """The entry of each reason on the page, by the code in its heading."""
    return {title.strip("`"): body for title, body in sections(page(PAGE), 3).items()}


def bases() -> dict[str, list[Block]]:
    """What the examples of a section start from beside what `init` writes, by the code of each entry."""
    found = {}
    for body in sections(page(PAGE), 2).values():
        start, *_ = re.split(r"^### ", body, maxsplit=1, flags=re.MULTILINE)
        found.update(dict.fromkeys(re.findall(r"^### `(.+)`$", body, re.MULTILINE), blocks(start)))
    return found


def shown(entry: str) -> str:
    """The message that an entry shows: its last text block without a file's name."""
    return [block for block in blocks(entry, "text") if not block.path][-1].text


def real(reason: Reason, entry: str, root: Path) -> str:
    """The message that the example of an entry really gives, or an empty text where it gives none."""
    if reason in FAILURES:
        failure = FAILURES[reason]()
        found = {"severity": "error", "reason": failure.reason, "message": failure.message}
        return _told({**found, "hint": failure.hint})
    examples.start(root)
    examples.apply(bases()[reason], root)
    examples.apply(blocks(entry), root)
    if reason in plugin_images.CALLS:
        return _first(reason, plugin_images.diagnostics(reason, blocks(entry), root))
    if reason in ARRANGEMENTS:
        ARRANGEMENTS[reason](root)
    document = _CHECKS.get(reason, examples.check)(root).json
    if reason is Reason.BLOCKED:
        return _first_blocked(document)
    return _first(reason, document["diagnostics"])


def _first(reason: Reason, diagnostics: list[dict[str, Any]]) -> str:
    return next((_told(found) for found in diagnostics if found["reason"] == reason), "")


def _told(found: dict[str, Any]) -> str:
    hint = f"  hint: {found['hint']}\n" if found["hint"] else ""
    return f"{found['severity']}[{found['reason']}]: {found['message']}\n{hint}"


def _first_blocked(document: dict[str, Any]) -> str:
    conditions = [condition for pair in document["pairs"] for condition in pair["conditions"]]
    blocked = next(found for found in conditions if found["reason"] == Reason.BLOCKED)
    return "{type}={status} {reason}: {message}\n".format(**blocked)


def record() -> None:
    """Write the real message of every example to the page."""
    text = page(PAGE)
    for name, entry in entries().items():
        with tempfile.TemporaryDirectory() as folder:
            message = real(Reason(name), entry, Path(folder))
        before = f"```text\n{shown(entry)}```\n\n**Fix.**"
        assert entry.count(before) == 1, name
        text = text.replace(entry, entry.replace(before, f"```text\n{message}```\n\n**Fix.**"))
    (REPOSITORY / PAGE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    record()
