"""One authored repository gives the recorded output for each target: `make golden` records it again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.golden.both_targets import AUTHORED, GOLDEN, author, differing, folder, pairs, record
from tests.golden.test_golden import NEW, OLD
from tests.parts import program
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


@pytest.mark.parametrize("target", [OLD, NEW])
@pytest.mark.parametrize("name", AUTHORED)
def test_kustomize_yields_the_actor_templates_or_a_config_map_for_each_pair(name: str, target: str) -> None:
    output = folder(name, target)
    command = [program("kubectl"), "kustomize", str(output)]
    built = list(yaml.safe_load_all(subprocess.run(command, capture_output=True, check=True).stdout))
    files = {path.stem: yaml.safe_load(path.read_text()) for path in output.rglob("actortemplates/*.yaml")}
    if target == OLD:
        assert {found["metadata"]["name"]: found for found in built} == files
        return
    data = [found["data"] for found in built]
    assert {found["kind"] for found in built} == {"ConfigMap"}
    assert sorted(found["revision.lock.yaml"] for found in data) == sorted(
        (output / pair / "revision.lock.yaml").read_text() for pair in pairs(output)
    )
    carried = [name for found in data for name in found if name != "revision.lock.yaml"]
    assert sorted(carried) == sorted(f"{name}.yaml" for name in files)


def test_every_golden_directory_belongs_to_a_repository() -> None:
    known = {folder(name, target) for name in AUTHORED for target in (OLD, NEW)}
    assert set(GOLDEN.glob("*/*")) == known
