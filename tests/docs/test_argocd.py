"""`docs/argocd.md`: what it shows is printed, what it installs builds, and what it lists is what there is."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from tests.apply.cli.calling import call
from tests.bases.folders import REPO_SERVER, SETTINGS, build
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import blocks, page, sections
from tests.parts import REPOSITORY
from tests.running import run

_PAGE = page("docs/argocd.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What `init` writes, rendered."""
    assert run("init", str(tmp_path / "root"), cwd=tmp_path).status == 0
    assert run("render", cwd=tmp_path / "root").status == 0
    return tmp_path / "root"


def test_the_commands_print_what_the_page_shows(root: Path) -> None:
    statuses = []
    for command, output in commands(_PAGE, "argocd"):
        status, real = execute(command, root)
        statuses.append(status)
        assert agrees(output, real), real
    assert statuses == [0, 0, 1]


def test_the_listed_parameters_are_those_of_the_plugin(root: Path) -> None:
    plugin = yaml.safe_load((REPOSITORY / "kustomize/argocd-cmp/plugin.yaml").read_text())
    announced = [
        *plugin["spec"]["parameters"]["static"],
        *run("generate", "--parameters", cwd=root).json,
    ]
    listed = re.findall(r"^\| `([a-z-]+)` \|", sections(_PAGE, 3)["Using it"], re.MULTILINE)
    assert sorted(listed) == sorted(found["name"] for found in announced)


def test_the_job_that_notes_what_is_in_use_has_flags_of_the_command() -> None:
    (job,) = re.findall(r"^kagent-apply (in-use .*)$", sections(_PAGE, 2)["With kagent-apply"], re.MULTILINE)
    known = call("in-use", "--help").out
    flags = re.findall(r"(?<!\S)--?[a-z-]+", job)
    assert len(flags) == 4
    assert [flag for flag in flags if not re.search(rf"{flag}\b", known)] == []


@pytest.mark.server
def test_a_teams_folder_is_a_kustomization(root: Path) -> None:
    (folder,) = re.findall(r"`path: (rendered/\S+)`", _PAGE)
    assert [item["kind"] for item in build(root / folder)] == ["ActorTemplate"]


@pytest.mark.server
def test_the_kustomization_of_the_page_installs_the_plugin(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "kustomize", tmp_path / "kagent-gitops" / "kustomize")
    (tmp_path / "install.yaml").write_text(yaml.safe_dump_all([REPO_SERVER, SETTINGS]))
    (kustomization,) = (block for block in blocks(_PAGE, "yaml") if block.path == "kustomization.yaml")
    (tmp_path / kustomization.path).write_text(kustomization.text)
    (image,) = yaml.safe_load(kustomization.text)["images"]
    built = {item["metadata"]["name"]: item for item in build(tmp_path)}
    containers = built["argocd-repo-server"]["spec"]["template"]["spec"]["containers"]
    assert f"{image['newName']}@{image['digest']}" in [container["image"] for container in containers]
    assert len(built["argocd-cm"]["data"]) == 2
