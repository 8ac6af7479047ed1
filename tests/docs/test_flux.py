"""`docs/flux.md` lists the files of the example and what the output does for Flux."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.bases.folders import build
from tests.docs.markdown import page
from tests.parts import REPOSITORY
from tests.running import run

_PAGE = page("docs/flux.md")
_EXAMPLE = REPOSITORY / "examples" / "flux"


def test_every_file_of_the_example_is_listed() -> None:
    listed = re.findall(r"^\| \[(\S+)\]", _PAGE, re.MULTILINE)
    kustomization = yaml.safe_load((_EXAMPLE / "kustomization.yaml").read_text())
    assert sorted(listed) == sorted(kustomization["resources"])
    assert {path.name for path in _EXAMPLE.iterdir()} == {*listed, "kustomization.yaml"}


def test_the_service_account_may_handle_what_is_applied_and_nothing_else() -> None:
    account, role, binding = yaml.safe_load_all((_EXAMPLE / "access.yaml").read_text())
    applied = yaml.safe_load((_EXAMPLE / "agents.yaml").read_text())["spec"]
    assert applied["serviceAccountName"] == account["metadata"]["name"] == binding["subjects"][0]["name"]
    assert [rule["resources"] for rule in role["rules"]] == [["actortemplates"]]
    assert "*" not in str(role)


def test_flux_leaves_a_prompt_with_a_variable_alone(tmp_path: Path) -> None:
    assert run("init", cwd=tmp_path).status == 0
    template = tmp_path / "agents" / "assistant.yaml"
    template.write_text(template.read_text().replace("Say so when", "Say ${HOME} when"))
    assert run("render", cwd=tmp_path).status == 0
    (manifest,) = tmp_path.rglob("actortemplates/*.yaml")
    annotations = yaml.safe_load(manifest.read_text())["metadata"]["annotations"]
    for told in re.findall(r"`(kustomize\.toolkit\.fluxcd\.io/\w+): (\w+)`", _PAGE):
        assert annotations[told[0]] == told[1]


@pytest.mark.server
def test_the_folder_that_flux_applies_is_a_kustomization(tmp_path: Path) -> None:
    assert run("init", cwd=tmp_path).status == 0
    assert run("render", cwd=tmp_path).status == 0
    path = yaml.safe_load((_EXAMPLE / "agents.yaml").read_text())["spec"]["path"]
    assert [item["kind"] for item in build(tmp_path / path)] == ["ActorTemplate"]
    assert [item["kind"] for item in build(tmp_path / "rendered" / "agent-team")] == ["ActorTemplate"]
