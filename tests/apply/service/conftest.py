"""One server for the tests of a module, its parts as at first for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apply.service.parts import World
from tests.apply.service.serving import Client, serving


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[World, Client]]:
    """A server that lives as long as the module's tests."""
    world = World()
    with serving(world) as (_, client):
        yield world, client


@pytest.fixture
def world(shared: tuple[World, Client]) -> World:
    """What stands behind the server."""
    shared[0].reset()
    return shared[0]


@pytest.fixture
def client(shared: tuple[World, Client]) -> Client:
    """A client of the server."""
    return shared[1]
