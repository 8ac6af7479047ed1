"""An API server that has kagent's own definitions takes whatever `migrate` makes of a root."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.migration.roots import migrated, read, styled, texts
from tests.oracle_crd import CrdOracle

pytestmark = pytest.mark.oracle

PLURALS = {
    "Harness": "harnesses",
    "AgentTemplate": "agenttemplates",
    "ModelConfig": "modelconfigs",
    "RemoteMCPServer": "remotemcpservers",
}


@pytest.fixture(scope="module")
def oracle() -> Iterator[CrdOracle]:
    """The oracle, started once."""
    with CrdOracle() as running:
        yield running


@pytest.mark.parametrize("seed", range(6))
def test_what_was_moved_is_taken(oracle: CrdOracle, seed: int) -> None:
    files = styled(seed)
    config, reader = read({**files, **migrated(files).contents})
    objects = [located.document for source in texts(reader, config) for located in source.objects]
    new = [found for found in objects if found.ref.api_version == "kagent.dev/v1alpha3"]
    assert {found.ref.kind for found in new} == {*PLURALS}
    for found in new:
        verdict = oracle.validate(f"kagent.dev_{PLURALS[found.ref.kind]}.yaml", "v1alpha3", found.value)
        assert not verdict.refused, verdict
