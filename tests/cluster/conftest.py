from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api_server import ApiServer
from tests.cluster.definitions import ours


@pytest.fixture(scope="package")
def servers() -> Iterator[dict[str, ApiServer]]:
    """A server with our definitions for each version of our kinds."""
    with ApiServer() as older, ApiServer() as newer:
        for served, running in (("v1alpha2", older), ("v1alpha3", newer)):
            for definition in ours(served):
                running.define(definition)
        yield {"v1alpha1": newer, "v1alpha2": older, "v1alpha3": newer}
