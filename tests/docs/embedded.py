"""Files of the repository that a page shows whole; run as a module, it writes them to the pages."""

from __future__ import annotations

from collections.abc import Iterator

from tests.docs.markdown import Block, blocks, page
from tests.parts import REPOSITORY

PAGES = ("docs/lock.md", "docs/agentplugins.md", "docs/argocd.md", "docs/flux.md")
_EXAMPLES = "examples/"


def embedded() -> Iterator[tuple[str, Block]]:
    """Each page with a block that names a file of the repository's examples."""
    for name in PAGES:
        yield from ((name, block) for block in blocks(page(name)) if block.path.startswith(_EXAMPLES))


def record() -> None:
    """Write each file as it is to the page that shows it."""
    for name, block in embedded():
        fence = f"```{block.language} {block.path}\n"
        text = page(name).replace(f"{fence}{block.text}```\n", f"{fence}{page(block.path)}```\n")
        (REPOSITORY / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    record()
