"""The clients of models that kagent-adk is installed with send a key in a header that is bound."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.compile.adapters.python.configuration import KEY_HEADERS
from tests.runtimes.adk.environment import answer_of

pytestmark = pytest.mark.server

UNCALLED = ("FOUNDRY_API_KEY",)
"""kagent-adk takes no model of Foundry."""


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The headers that carry a placeholder, by the variable that holds it."""
    return answer_of("sending.py", "kagent-credential-injected", tmp_path_factory.mktemp("home"))


def test_every_client_is_looked_at(carried: Any) -> None:
    assert {*carried, *UNCALLED} == set(KEY_HEADERS)


@pytest.mark.parametrize("variable", [name for name in KEY_HEADERS if name not in UNCALLED])
def test_a_key_is_sent_in_one_header_that_is_bound(carried: Any, variable: str) -> None:
    (sent,) = carried[variable].items()
    assert sent in KEY_HEADERS[variable]
