"""Links between pages lead somewhere, and the pages that list others leave none out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kagent_apply.cli.main import COMMANDS as APPLY_COMMANDS
from kagent_render.cli.main import COMMANDS
from tests.docs.markdown import page, sections
from tests.parts import REPOSITORY
from tests.test_rooms import ROOMS

_PAGES = ("README.md", "CHANGELOG.md", *(f"docs/{path.name}" for path in (REPOSITORY / "docs").glob("*.md")))
_DECISIONS = sorted((REPOSITORY / "docs/decisions").glob("*.md"))
_LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)")


def _anchors(text: str) -> set[str]:
    """The anchors that GitHub gives to headings: no punctuation, spaces as dashes."""
    headings = {title for level in range(1, 5) for title in sections(text, level)}
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize("name", [*_PAGES, *(f"docs/decisions/{path.name}" for path in _DECISIONS)])
def test_no_link_is_broken(name: str) -> None:
    for target, anchor in _LINK.findall(page(name)):
        found = (REPOSITORY / Path(name).parent / target) if target else REPOSITORY / name
        assert found.exists(), target
        if anchor and found.suffix == ".md":
            assert anchor in _anchors(found.read_text()), f"{target}#{anchor}"


def test_every_page_is_listed() -> None:
    listed = {target for target, _ in _LINK.findall(page("docs/README.md"))}
    assert {Path(name).name for name in _PAGES if name.startswith("docs/")} - listed == {"README.md"}


def test_every_command_leads_to_a_page() -> None:
    tables = sections(page("docs/README.md"), 2)["By command"].split("Of `kagent-apply`")
    for table, known in zip(tables, (COMMANDS, APPLY_COMMANDS), strict=True):
        rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        assert sorted(re.findall(r"`([a-z-]+)`", " ".join(rows))) == sorted(known)


def test_the_architecture_has_a_line_for_every_room() -> None:
    tables = page("docs/architecture.md").split("## ")[0].split("| room of `kagent_apply/` |")
    renders, applies = (re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE) for table in tables)
    assert sorted([*renders, *(f"apply.{room}" for room in applies)]) == sorted(ROOMS)


@pytest.mark.parametrize("path", _DECISIONS, ids=lambda path: path.stem)
def test_a_decision_begins_with_its_number(path: Path) -> None:
    assert path.read_text().startswith(f"# {int(path.stem[:3])}. ")
