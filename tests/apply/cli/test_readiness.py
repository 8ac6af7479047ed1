"""What `/readyz` says of Substrate: in our words, and never in those of its server."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_apply.cli.server.observing import readiness_checks
from kagent_apply.substrate.port import ComputeUnavailableError

TOLD = "`GetActorTemplate` of the ActorTemplate `kagent-apply/generation` ended with `UNAVAILABLE`"


class Fine:
    """A store, an index and operations that lack nothing."""

    draining = False
    is_known = True

    def problem(self) -> str:
        return ""

    def ping(self, *_: float) -> None:
        return


class Silent(Fine):
    """A Substrate that does not answer, or says something."""

    def __init__(self, message: str) -> None:
        self.message = message

    def ping(self, *_: float) -> None:
        if self.message:
            raise ComputeUnavailableError(self.message, "try again")


@pytest.mark.parametrize(
    ("message", "problems"),
    [("", {}), (TOLD, {"substrate": TOLD}), (f"{TOLD}: at 10.0.0.1: refused", {"substrate": TOLD})],
)
def test_a_problem_of_substrate_is_told_without_what_its_server_says(
    message: str, problems: dict[str, str]
) -> None:
    fine: Any = Fine()
    substrate: Any = Silent(message)
    found = readiness_checks(fine, substrate, fine, fine).look()
    assert (found.ready, found.problems) == (True, problems)
