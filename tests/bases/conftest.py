from __future__ import annotations

from pathlib import Path

import pytest

from tests.running import copy_example


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    """The incident example, rendered."""
    return copy_example(tmp_path / "incident")
