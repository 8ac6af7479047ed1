"""A server for the commands, its parts as at first for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apply.service.parts import World
from tests.apply.service.serving import serving


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[World, str]]:
    """A server that lives as long as the module's tests, and its address."""
    world = World()
    with serving(world) as (server, _):
        yield world, f"127.0.0.1:{server.port}"


@pytest.fixture
def world(shared: tuple[World, str], monkeypatch: pytest.MonkeyPatch) -> World:
    """What stands behind the server that every command asks."""
    monkeypatch.setenv("KAGENT_APPLY_SERVER", shared[1])
    shared[0].reset()
    return shared[0]
