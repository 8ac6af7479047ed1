"""`plugin.yaml` is a plugin as Argo CD reads one, and its commands do what Argo CD expects of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.parts import REPOSITORY
from tests.running import Run, run

FOLDER = REPOSITORY / "kustomize" / "argocd-cmp"
PLUGIN: Any = yaml.safe_load((FOLDER / "plugin.yaml").read_text())
SPEC = PLUGIN["spec"]

SPEC_KEYS = {"version", "init", "generate", "discover", "parameters", "preserveFileMode", "provideGitCreds"}
"""What Argo CD 3 reads below `spec`; anything else it ignores without a word."""

ANNOUNCED_KEYS = {
    "name",
    "title",
    "tooltip",
    "required",
    "itemType",
    "collectionType",
    "string",
    "array",
    "map",
}


def call(command: dict[str, Any], folder: Path, env: dict[str, str] | None = None) -> Run:
    """Run one of the plugin's commands as Argo CD does, in the application's folder."""
    words: list[str] = [*command["command"], *command.get("args", ())]
    name, *args = words
    assert name == "kagent-render"
    return run(*args, cwd=folder, env=env)


def test_argo_cd_knows_every_key() -> None:
    assert (PLUGIN["apiVersion"], PLUGIN["kind"]) == ("argoproj.io/v1alpha1", "ConfigManagementPlugin")
    assert SPEC.keys() <= SPEC_KEYS
    assert SPEC["discover"].keys() == {"find"}
    assert SPEC["parameters"].keys() == {"static", "dynamic"}
    for announced in SPEC["parameters"]["static"]:
        assert announced.keys() <= ANNOUNCED_KEYS
        assert isinstance(announced["string"], str)


def test_the_example_names_the_plugin_as_argo_cd_calls_it() -> None:
    application = yaml.safe_load((REPOSITORY / "examples/argocd/plugin/application.yaml").read_text())
    version = SPEC.get("version")
    expected = f"{PLUGIN['metadata']['name']}-{version}" if version else PLUGIN["metadata"]["name"]
    assert application["spec"]["source"]["plugin"]["name"] == expected


def test_discovery_says_something_only_where_there_is_a_root(incident: Path, tmp_path: Path) -> None:
    assert call(SPEC["discover"]["find"], incident).out
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    found = call(SPEC["discover"]["find"], elsewhere)
    assert (found.status, found.out) == (0, "")


def test_what_is_announced_can_be_set(incident: Path) -> None:
    dynamic = call(SPEC["parameters"]["dynamic"], incident).json
    announced = [*SPEC["parameters"]["static"], *dynamic]
    assert len({found["name"] for found in announced}) == len(announced) == 3
    chosen = [{"name": found["name"], "string": found["string"]} for found in announced]
    done = call(SPEC["generate"], incident, {"ARGOCD_APP_PARAMETERS": json.dumps(chosen)})
    assert (done.status, done.out) == (0, run("generate", cwd=incident).out)


def test_the_examples_parameters_are_known(incident: Path) -> None:
    application = yaml.safe_load((REPOSITORY / "examples/argocd/plugin/application.yaml").read_text())
    parameters = application["spec"]["source"]["plugin"]["parameters"]
    done = call(SPEC["generate"], incident, {"ARGOCD_APP_PARAMETERS": json.dumps(parameters)})
    assert done.status != 2, done.err


def test_modes_are_preserved_because_digests_cover_them() -> None:
    assert SPEC["preserveFileMode"] is True
    assert not SPEC.get("provideGitCreds")


@pytest.fixture(scope="module")
def steps() -> list[str]:
    """The instructions of the image, one a line."""
    text = (FOLDER / "Containerfile").read_text()
    lines = re.sub(r"\\\n", " ", text).splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_both_stages_are_of_the_image_that_the_builder_pins(steps: list[str]) -> None:
    bases = [line.split()[1] for line in steps if line.startswith("FROM")]
    assert bases == ["${PYTHON_IMAGE}", "${PYTHON_IMAGE}"]
    assert steps[0].startswith("ARG PYTHON_IMAGE=")


def test_the_image_runs_as_argo_cds_user_and_holds_no_shell_script(steps: list[str]) -> None:
    last = steps[[line.startswith("FROM") for line in steps].index(True, 2) :]
    assert "USER 999:999" in last
    assert 'ENTRYPOINT ["kagent-render"]' in last
    assert not [line for line in last if line.startswith(("RUN", "ADD"))]


def test_nothing_is_installed_but_what_is_locked(steps: list[str]) -> None:
    for line in steps:
        for command in re.findall(r"pip (?:install|wheel|download)[^&]*", line):
            assert "--no-index" in command or "--require-hashes" in command
    copied = [
        name
        for line in steps
        if line.startswith("COPY") and "--from" not in line
        for name in line.split()[1:-1]
    ]
    assert [name for name in copied if not (REPOSITORY / name).exists()] == []
