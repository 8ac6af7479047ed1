"""One authored repository gives the recorded output for each target: `make golden` records it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden.both_targets import AUTHORED, GOLDEN, author, differing, folder, record
from tests.golden.test_golden import NEW, OLD
from tests.running import run, tree


@pytest.mark.parametrize("target", [OLD, NEW])
@pytest.mark.parametrize("name", AUTHORED)
def test_a_repository_renders_to_the_golden_directory_of_each_target(
    name: str, target: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    root = author(name, tmp_path / name, target)
    done = run("render", "--offline", cwd=root)
    assert done.status == 0, done.err
    output = tree(root / "rendered")
    if request.config.getoption("update_snapshots"):
        record(name, target, output)
    assert not (found := "\n\n".join(differing(name, target, output))), found


def test_every_golden_directory_belongs_to_a_repository() -> None:
    known = {folder(name, target) for name in AUTHORED for target in (OLD, NEW)}
    assert set(GOLDEN.glob("*/*")) == known
