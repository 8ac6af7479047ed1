from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apply.cluster.lasting_server import LastingServer
from tests.cluster.definitions import upstream


@pytest.fixture(scope="package")
def server() -> Iterator[LastingServer]:
    """A server with upstream's definitions, and Leases; each test has a namespace of its own."""
    with LastingServer() as running:
        for name in ("ate.dev_actortemplates", "kagent.dev_harnesses", "kagent.dev_agenttemplates"):
            running.define(upstream(name))
        running.define_leases()
        yield running


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    """A namespace that no other test has."""
    return f"n-{abs(hash(request.node.nodeid)) % 10**12}"
