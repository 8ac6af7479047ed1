"""What several rooms of the service are tested with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import postgresql
from tests.postgresql import PostgreSQL


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgreSQL]:
    """One PostgreSQL for all tests of a session, which none of them may kill."""
    with postgresql.running() as server:
        yield server
