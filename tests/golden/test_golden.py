"""Whole repositories and the whole output of each; `make golden` records what a reviewer then reads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.running import run, tree

REPOSITORIES = Path(__file__).parent / "repositories"
AT_FAULT = {"platform-agents-at-fault"}
"""Repositories that are written although something is at fault, which is recorded, too."""


@pytest.mark.parametrize("name", sorted(path.name for path in REPOSITORIES.iterdir()))
def test_a_repository_renders_to_its_recorded_output(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    root = tmp_path / name
    shutil.copytree(REPOSITORIES / name, root)
    done = run("render", "--offline", cwd=root)
    assert done.status == (1 if name in AT_FAULT else 0), done.err
    output = {path: data.decode() for path, data in tree(root / "rendered").items()}
    if name in AT_FAULT:
        output = {"stderr": done.err, **output}
    assert "\n".join(f"=== {path}\n{text}" for path, text in output.items()) == snapshot
