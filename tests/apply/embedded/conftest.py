"""A Control for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kagent_apply.embedded.opening import open_echo
from tests.apply.embedded.calls import Client


@pytest.fixture
def echo(tmp_path: Path) -> Iterator[Client]:
    control = open_echo(tmp_path / "control")
    yield Client(control)
    control.close()
