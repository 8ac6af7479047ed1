"""`docs/agentplugins.md` is what happens: its example is rendered, its commands run, its tables are ours."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kagent_render.agentplugin.compiled import UPSTREAM
from kagent_render.agentplugin.config_findings import MANAGED, OVERLAID
from kagent_render.agentplugin.config_reading import read_config
from kagent_render.agentplugin.names import BUILT_IN
from kagent_render.agentplugin.operator_variables import OPERATOR_OWNED
from kagent_render.agentplugin.status import APPLIED
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import COMPONENT_FILES, KUSTOMIZATION, LOCK
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import blocks, page, sections
from tests.running import run

_PAGE = page("docs/agentplugins.md")
_SECTIONS = sections(_PAGE, 2)
_OUTPUT = "rendered/"
_COMPONENT = "rendered/kubeagents-system/_agentplugins/platform-agent"
_DEGRADED = (
    Reason.INVALID_PLUGIN_NAME,
    Reason.DUPLICATE_PLUGIN_NAME,
    Reason.IMAGE_VOLUME_UNSUPPORTED,
    Reason.IMAGE_PULL_FAILED,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The example of the page as a reader would write it."""
    for block in blocks(_SECTIONS["An example"], "yaml"):
        if block.path and not block.path.startswith(_OUTPUT):
            path = tmp_path / block.path
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text)
    return tmp_path


def test_the_example_gives_the_files_that_the_page_shows(root: Path) -> None:
    assert run("render", "--offline", cwd=root).status == 0
    shown = blocks(_SECTIONS["An example"], "yaml")
    whole = {block.path: block.text for block in shown if block.path.startswith(_OUTPUT)}
    assert whole == {path: (root / path).read_text() for path in whole}
    (part,) = (block.text for block in shown if not block.path)
    assert part in (root / _COMPONENT / "configmap.yaml").read_text()
    assert whole


def test_the_commands_show_what_happens(root: Path) -> None:
    statuses = []
    for command, output in commands(_PAGE, "plugins"):
        status, real = execute(command, root)
        statuses.append(status)
        assert agrees(output, real), f"{command}\n{real}"
    assert statuses == [0, 0, 0, 0, 1]


def _names(section: str, after: str, pattern: str) -> list[str]:
    return re.findall(pattern, _SECTIONS[section].partition(after)[2].partition("\n\n")[0])


def test_the_operator_is_the_one_that_is_modelled() -> None:
    assert f"`{UPSTREAM}`" in _PAGE


def test_the_operator_s_own_variables_are_those_of_the_program() -> None:
    assert tuple(_names("Variables", "`ReservedEnvName`", r"`([A-Z_]+)`")) == OPERATOR_OWNED


def test_the_built_in_names_are_those_of_the_program() -> None:
    assert tuple(_names("The status report", "left out: ", r"`([a-z_]+)`")) == BUILT_IN


def _rows(section: str) -> list[str]:
    return re.findall(r"^\| `([^`]+)` \|", _SECTIONS[section], re.MULTILINE)


def test_every_file_has_a_row() -> None:
    assert sorted(_rows("What is written")) == sorted([KUSTOMIZATION, LOCK, *COMPONENT_FILES])


def test_every_reason_of_a_status_has_a_row() -> None:
    assert _rows("The status report") == [*_DEGRADED, APPLIED, Reason.AGENT_NOT_FOUND]


def test_each_allowed_key_goes_where_the_page_says() -> None:
    goes = dict(re.findall(r"^\| `([a-z_]+)` \| (.+?) \|", _SECTIONS["Configuration"], re.MULTILINE))
    assert {key for key, place in goes.items() if place == "`managed-config.yaml`"} == set(MANAGED)
    assert set(goes) - set(MANAGED) == set(OVERLAID)


_READ = re.findall(r"^\| `(.+?)` \| `(\{.+?\})` \|$", _PAGE, re.MULTILINE)


@pytest.mark.parametrize(("written", "read"), _READ)
def test_a_value_is_read_as_the_page_says(written: str, read: str) -> None:
    assert read_config(f"platforms:\n  {written}\n").values == {"platforms": json.loads(read)}


def test_the_page_has_examples_of_what_yaml_1_1_reads() -> None:
    assert len(_READ) == 11
