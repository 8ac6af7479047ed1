"""`python -m tests.docs.settings_table` writes the table of settings in docs/kagent-apply.md again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kagent_apply.settings.model import Settings
from kagent_apply.settings.sources import flag
from tests.parts import REPOSITORY

PAGE = REPOSITORY / "docs" / "kagent-apply.md"
_HEAD = "| setting | default | is |\n|---|---|---|\n"


def rows() -> Iterator[str]:
    """A row for each setting."""
    for name, field in Settings.model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        metavar = str(extra["metavar"]).replace("|", "\\|")
        written = f"`{flag(name)}`" + (f" {metavar}" if metavar else "")
        default = "" if field.default in (None, "", (), False) else f"`{field.default}`".replace(".0`", "`")
        yield f"| {written} | {default} | {field.description} |"


def written(text: str) -> str:
    """The page with the table as it is now."""
    head, _, rest = text.partition(_HEAD)
    table = "\n".join(rows()) + "\n"
    return head + _HEAD + table + re.sub(r"\A(?:\|.*\n|SETTINGS\n)*", "", rest)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
