"""What `/readyz` says of the store and of Substrate: a sentence, without their own words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from kagent_apply.cli.server.observing import readiness_checks
from kagent_apply.store.port import StoreError
from kagent_apply.substrate.port import ComputeDeniedError, ComputeUnavailableError


@dataclass
class Part:
    """A store or a Compute that answers, or raises what it was given."""

    error: Exception | None = None

    def ping(self, _timeout: float = 0) -> None:
        if self.error:
            raise self.error


class Well:
    """An index and operations with which nothing is wrong."""

    draining = False
    is_known = True

    def problem(self) -> str:
        return ""


ENDED = "`GetActorTemplate` ended with `UNAVAILABLE`"
PLACE = f"{ENDED}: 10.0.0.1:443 does not answer"


@pytest.mark.parametrize(
    ("store", "substrate", "missing", "problems"),
    [
        (None, None, {}, {}),
        (StoreError("the store does not answer"), None, {"store": "the store does not answer"}, {}),
        (None, ComputeUnavailableError(PLACE, ""), {}, {"substrate": ENDED}),
        (
            None,
            ComputeDeniedError(PLACE, ""),
            {},
            {"substrate": ENDED},
        ),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(
    store: Exception | None, substrate: Exception | None, missing: Any, problems: Any
) -> None:
    well: Any = Well()
    parts: tuple[Any, Any] = (Part(store), Part(substrate))
    found = readiness_checks(*parts, well, well).look()
    assert (found.missing, found.problems) == (missing, problems)
