"""Whole repositories and the whole output of each; `make golden` records what a reviewer then reads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.running import run, tree

REPOSITORIES = Path(__file__).parent / "repositories"
OLD, NEW = "ate.dev/v1alpha1", "ateapi/v0.4"
"""The custom resource, and the resource of Substrate's own API."""

BY_TARGET = {"ten-trees-python"}
"""Repositories whose output stands in directories: `test_targets.py`."""

AT_FAULT = {OLD: {"platform-agents-at-fault", "custom-resource-alone"}}
AT_FAULT[NEW] = {"providers", "upstream", "custom-resource-alone"}
"""Repositories of which something is at fault, which is recorded, too."""

_NAMES = sorted({path.name for path in REPOSITORIES.iterdir()} - BY_TARGET)


def switch(root: Path, target: str) -> None:
    """Let a root's RenderConfig name another target, and leave every other byte of it."""
    config = root / "kagent-render.yaml"
    (line,) = (line for line in config.read_text().splitlines() if line.startswith("  target: "))
    config.write_text(config.read_text().replace(line, f"  target: {target}"))


@pytest.mark.parametrize("name", _NAMES)
def test_a_repository_renders_to_its_recorded_output(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    root = shutil.copytree(REPOSITORIES / name, tmp_path / name)
    assert rendered(Path(root), at_fault=name in AT_FAULT[OLD]) == snapshot


@pytest.mark.parametrize("name", [name for name in _NAMES if not name.startswith("platform-agents")])
def test_the_same_repository_renders_to_its_recorded_output_for_the_newer_target(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    root = Path(shutil.copytree(REPOSITORIES / name, tmp_path / name))
    switch(root, NEW)
    assert rendered(root, at_fault=name in AT_FAULT[NEW]) == snapshot


def rendered(root: Path, *, at_fault: bool) -> str:
    """Every file of a root's output, after what was told where something is at fault."""
    done = run("render", "--offline", *(["--keep-going"] if at_fault else []), cwd=root)
    assert done.status == (1 if at_fault else 0), done.err
    output = {path: data.decode() for path, data in tree(root / "rendered").items()}
    if at_fault:
        output = {"stderr": done.err, **output}
    return "\n".join(f"=== {path}\n{text}" for path, text in output.items())
