"""`docs/krm.md`: its configuration is one, its results are told, its kustomizations build."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kagent_render.krm.configuration import read_function_config
from kagent_render.krm.resource_list import item_of
from tests.docs.markdown import blocks, page
from tests.parts import REPOSITORY, go_tool
from tests.running import run

_BLOCKS = {block.path: block.text for block in blocks(page("docs/krm.md")) if block.path}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What `init` writes, rendered, with the files of the page."""
    assert run("init", cwd=tmp_path).status == 0
    assert run("render", cwd=tmp_path).status == 0
    (tmp_path / "function.yaml").write_text(_BLOCKS["function.yaml"])
    return tmp_path


def test_the_configuration_says_what_is_the_default() -> None:
    config = yaml.safe_load(_BLOCKS["function.yaml"])
    told = read_function_config(item_of(config))
    del config["spec"]["strict"]
    assert read_function_config(item_of(config)) == told
    assert told.root == "."


def test_the_results_are_those_of_an_edit(root: Path) -> None:
    edited = root / "agents" / "assistant.yaml"
    edited.write_text(edited.read_text().replace("gpt-5-mini", "gpt-5"))
    items: list[Any] = []
    for path in sorted((root / "agents").glob("*.yaml")):
        for value in yaml.safe_load_all(path.read_text()):
            name = f"agents/{path.name}"
            value["metadata"]["annotations"] = {"internal.config.kubernetes.io/path": name}
            items.append(value)
    given = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "functionConfig": yaml.safe_load(_BLOCKS["function.yaml"]),
        "items": items,
    }
    done = run("krm", cwd=root, stdin=yaml.safe_dump(given).encode())
    assert done.status == 1
    assert yaml.safe_load(done.out)["results"] == yaml.safe_load(_BLOCKS["results"])["results"]


@pytest.mark.oracle
@pytest.mark.parametrize("way", ["generator", "transformer"])
def test_kustomize_runs_it_both_ways(way: str, root: Path) -> None:
    (root / "kustomization.yaml").write_text(_BLOCKS[way])
    program = root / "kagent-render-krm"
    script = _BLOCKS["kagent-render-krm"]
    assert "kagent-render krm" in script
    program.write_text(script.replace("kagent-render krm", f"{sys.executable} -m kagent_render krm"))
    program.chmod(0o755)
    kustomize = go_tool("sigs.k8s.io/kustomize/kustomize/v5", "v5.8.1")
    done = subprocess.run(
        [str(kustomize), "build", "--enable-alpha-plugins", "--enable-exec", "."],
        cwd=root,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.returncode == 0, done.stderr
    kinds = [value["kind"] for value in yaml.safe_load_all(done.stdout)]
    assert kinds.count("ActorTemplate") == 1
    assert ("Harness" in kinds) is (way == "transformer")
