"""`docs/targets.md`: its tables are those of the recorded output, and what is refused is what is refused."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from kagent_render.target import ateapi_v0_4, ateapi_v0_4_alpha1
from kagent_render.target.ateapi_resource import MAX_VALUE
from kagent_render.target.former_names import FORMER_NAMES
from tests.docs.console import agrees, commands, execute
from tests.docs.markdown import page, sections
from tests.docs.target_table import PAGE, placed, tables
from tests.golden.test_golden import NEW, OLD, REPOSITORIES, switch
from tests.parts import REPOSITORY
from tests.running import run

_PAGE = page(PAGE)
_ELSEWHERE = {"ConfigInvalid", "EnvValueTooLong"}
"""What `tests/cli/test_ateapi_target.py` has, and what takes a prompt of many pages."""

_FAILING = ("error[", "Auto-merging")
"""How the output of a command begins that finds something, or leaves a conflict."""


def test_the_tables_are_those_of_the_recorded_output() -> None:
    assert placed() == tables(), "run `make golden`"


def test_the_switch_runs_as_the_page_shows(tmp_path: Path) -> None:
    for command, output in commands(_PAGE, "switch"):
        status, real = execute(command, tmp_path)
        assert status == int(real.startswith(_FAILING)), real
        assert agrees(output, real), f"{command}\n{real}"


def told(target: str, folder: Path) -> set[str]:
    """The reasons of all that is found for a target in the repository that the page names."""
    root = Path(shutil.copytree(REPOSITORIES / "custom-resource-alone", folder))
    switch(root, target)
    found = run("check", "--offline", "-o", "json", cwd=root).json["diagnostics"]
    return {it["reason"] for it in found} - {"CapabilityUnproven", "LockMissing"}


def test_the_page_names_what_the_newer_target_refuses_and_the_older_does_not(tmp_path: Path) -> None:
    section = sections(_PAGE, 2)["What one target carries and the other does not"]
    cells = [line.split(" | ")[1] for line in section.splitlines() if line.startswith("| ")][1:]
    named = set(re.findall(r"`([A-Z][A-Za-z]+)`", " ".join(cells)))
    assert named - _ELSEWHERE == told(NEW, tmp_path / "new") - {"VolumeRequired"}
    assert told(OLD, tmp_path / "old") == {"VolumeRequired"}
    assert f"{MAX_VALUE:,} characters" in section


@pytest.mark.parametrize("name", ["snapshotConfig.onPause", "snapshotConfig.onResume", "trustBundle.name"])
def test_a_name_of_another_release_that_the_page_has_is_one_that_is_refused(name: str) -> None:
    last = name.rpartition(".")[2]
    assert f"`{last}`" in _PAGE or f"`{name}`" in _PAGE
    assert any(known.endswith(f".{last}") for known in FORMER_NAMES)


def test_the_folders_that_the_page_names_are_there() -> None:
    for path in re.findall(r"\]\(\.\./([a-z/0-9.-]+)\)", _PAGE):
        assert (REPOSITORY / path).is_dir()


def test_the_two_releases_differ_where_the_page_says() -> None:
    rows = re.findall(
        r"^\| .* \| (.*) \| .* \|$", sections(_PAGE, 2)["Which Substrate has which"], re.MULTILINE
    )
    told = {name for cell in rows for name in re.findall(r"`([A-Za-z_.]+)`", cell)}
    both = (ateapi_v0_4_alpha1, ateapi_v0_4)
    fixed = [set(map(str, generation.FIXED.items())) for generation in both]
    assert {text.split("'")[1] for text in fixed[0] ^ fixed[1]} == {
        "volumes",
        "snapshotConfig.onPause",
        "snapshotConfig.onResume",
    }
    assert {"snapshotConfig.onPause", "snapshotConfig.onResume", "trustBundle.name", "SSL_CERT_DIR"} <= told
