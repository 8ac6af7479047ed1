"""What reports say of a reason is what its page says; `python -m tests.docs.explanations` writes it."""

from __future__ import annotations

from importlib.resources import files

from kagent_render.diagnostics.explanations import FILE, load_explanations
from kagent_render.diagnostics.reasons import Reason
from tests.docs.explanations import written


def test_the_package_says_what_the_page_says() -> None:
    assert files("kagent_render.diagnostics").joinpath(FILE).read_text(encoding="utf-8") == written()


def test_every_reason_is_explained_within_github_s_bounds() -> None:
    found = load_explanations()
    assert list(found) == list(Reason)
    for explanation in found.values():
        assert explanation.summary.endswith(".")
        assert max(len(explanation.summary), len(explanation.description), len(explanation.fix)) <= 1024
