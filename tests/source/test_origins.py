"""Which folders an output may have moved from."""

from __future__ import annotations

import pytest

from kagent_render.source.roots import likely_origins

_GONE = [("staging/team", "rendered"), ("prod/team", "rendered"), ("prod/other", "out")]


@pytest.mark.parametrize(
    ("root", "gone", "found"),
    [
        ("a", [], ()),
        ("a", [("a", "old"), ("b", "rendered")], ("a/old",)),
        ("", [("", "old")], ("old",)),
        ("x/other", _GONE, ("prod/other/out", "prod/team/rendered", "staging/team/rendered")),
        ("x/prod/team", _GONE, ("prod/team/rendered", "staging/team/rendered", "prod/other/out")),
        ("x", _GONE, ("prod/other/out", "prod/team/rendered", "staging/team/rendered")),
    ],
)
def test_the_own_folder_comes_first_and_else_the_one_whose_path_ends_alike(
    root: str, gone: list[tuple[str, str]], found: tuple[str, ...]
) -> None:
    assert likely_origins(root, gone) == found
