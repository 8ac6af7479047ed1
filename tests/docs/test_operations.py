"""The page about operations has the numbers of the program."""

from __future__ import annotations

import pytest

from kagent_apply.operations.limits import Limits
from tests.docs.markdown import page

LIMITS = Limits()
SAID = [
    ("docs/operations.md", f"with a lease in the store of {LIMITS.lease:.0f} seconds"),
    ("docs/operations.md", f"lasts {LIMITS.call:.0f} seconds at most"),
    ("docs/operations.md", f"up to {LIMITS.backoff:.0f}"),
    ("docs/decisions/061-a-lease-outlives-every-call.md", f"of which {LIMITS.workers} at a time"),
]


@pytest.mark.parametrize(("name", "said"), SAID)
def test_a_number_is_that_of_the_program(name: str, said: str) -> None:
    assert said in page(name)


def test_what_the_page_counts_in_words_is_so() -> None:
    assert (LIMITS.patience, LIMITS.recovering, LIMITS.open) == (120, 8, 1000)
