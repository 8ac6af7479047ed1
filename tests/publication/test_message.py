"""The message of a commit on an output branch."""

from __future__ import annotations

import pytest

from kagent_render.publication.message import commit_message

_SOURCE = "0123456789abcdef0123456789abcdef01234567"
_TRAILER = f"Kagent-Render-Source: {_SOURCE}\n"


@pytest.mark.parametrize(
    ("own", "subjects", "message"),
    [
        (None, [], f"Render 0123456789ab\n\n{_TRAILER}"),
        (None, ["a/b/c sha256:1"], f"Render 0123456789ab\n\n- a/b/c sha256:1\n\n{_TRAILER}"),
        ("Mine", ["a/b/c sha256:1"], f"Mine\n\n{_TRAILER}"),
        (" \n", [], f"Render 0123456789ab\n\n{_TRAILER}"),
        ("Mine\n\nText: of a body\nand more", [], f"Mine\n\nText: of a body\nand more\n\n{_TRAILER}"),
        ("Mine\n\nSigned-off-by: A <a@b>\n", [], f"Mine\n\nSigned-off-by: A <a@b>\n{_TRAILER}"),
        ("Fixes: everything", [], f"Fixes: everything\n\n{_TRAILER}"),
    ],
)
def test_a_message_ends_with_the_source(own: str | None, subjects: list[str], message: str) -> None:
    assert commit_message(_SOURCE, subjects, own) == message


def test_a_message_names_no_more_than_fifty() -> None:
    lines = commit_message(_SOURCE, [f"a/b/c{number} removed" for number in range(60)]).splitlines()
    assert len([line for line in lines if line.startswith("- a/")]) == 50
    assert "- and 10 more" in lines
