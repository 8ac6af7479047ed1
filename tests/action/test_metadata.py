"""`action.yml`: what it offers is used, and no expression is pasted into a script."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.docs.markdown import page
from tests.parts import REPOSITORY

METADATA: Any = yaml.safe_load(page("action.yml"))
STEPS: list[dict[str, Any]] = METADATA["runs"]["steps"]


def test_a_step_runs_one_script_of_the_action_and_no_action_of_others() -> None:
    for step in STEPS:
        assert re.fullmatch(r'"\$GITHUB_ACTION_PATH/action/(\w+)"', step["run"])
        assert step["shell"] == "bash"
        assert "uses" not in step


def test_every_input_reaches_a_step_and_every_variable_a_script_reads_is_given() -> None:
    text = page("action.yml")
    assert all(f"inputs.{name} " in text for name in METADATA["inputs"])
    scripts = "".join(path.read_text() for path in sorted((REPOSITORY / "action").iterdir()))
    given = {name for step in STEPS for name in step.get("env", {})}
    read = set(re.findall(r"\$\{?((?:INPUT|COMMENT|BASE|HEAD|PULL)_\w+)", scripts)) | {"COMMENT_AUTHOR"}
    assert read == given - {"GH_TOKEN"}


def test_the_action_installs_the_versions_that_everything_is_tested_with() -> None:
    def pins(name: str) -> set[str]:
        return set(re.findall(r"^(\S+==\S+)", page(name), re.MULTILINE))

    runtime, everything = pins("action/requirements.lock"), pins("requirements.lock")
    assert runtime < everything
    named = re.search(r"^dependencies = \[(.*?)^\]", page("pyproject.toml"), re.MULTILINE | re.DOTALL)
    assert named
    wanted = set(re.findall(r'^  "([\w-]+)', named[1], re.MULTILINE))
    assert wanted <= {pin.partition("==")[0] for pin in runtime}
    assert not re.search(r"https?://|/\w+/", page("action/requirements.lock"))
