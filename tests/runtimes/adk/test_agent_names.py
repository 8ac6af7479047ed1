"""The names that the `python` adapter refuses are those with which google-adk makes no agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_render.compile.adapters.agent_card import runtime_name
from kagent_render.compile.boundary import compile_boundary
from tests.compile.boundaries import POLICY, bundle, record, template
from tests.runtimes.adk.environment import answer_of

pytestmark = pytest.mark.server

NAMES = ("lead", "user", "users", "3scale-helper", "a.b", "class", "a3")


def test_the_adapter_takes_the_names_that_google_adk_takes(tmp_path: Path) -> None:
    sound = [
        runtime_name(name)
        for name in NAMES
        if not compile_boundary(bundle(template(name), name=name), record(), POLICY)[1]
    ]
    assert answer_of("naming.py", [runtime_name(name) for name in NAMES], tmp_path) == sound
