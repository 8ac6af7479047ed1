"""A capability that a shipped record no longer has fails the pairs that need it, and no other."""

from __future__ import annotations

import copy
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from kagent_render.cli import run as preparing
from kagent_render.compile.capabilities.catalog import load_catalog
from kagent_render.compile.capabilities.reading import read_record
from kagent_render.compile.capabilities.record import CapabilityRecord
from kagent_render.compile.capabilities.vocabulary import VOCABULARY
from kagent_render.revision.canonical_json import digest
from kagent_render.source.yaml import read_yaml
from tests.golden.test_golden import REPOSITORIES
from tests.running import run

_CATALOG = files("kagent_render.compile.capabilities") / "catalog"


def without(file: str, capability: str) -> list[CapabilityRecord]:
    """The shipped records, one capability of the record in `file` being false."""
    document: Any = copy.deepcopy(read_yaml((_CATALOG / file).read_bytes())[0].value)
    document["spec"]["capabilities"][capability] = {"value": False, "evidence": "planted"}
    edited = read_record(document, digest(document))
    return [edited if record.name == edited.name else record for record in load_catalog()]


def needs(root: Path) -> dict[str, set[str]]:
    """The capabilities that each pair of a rendered root needs, by its lock."""
    found: dict[str, set[str]] = {}
    for path in root.rglob("revision.lock.yaml"):
        lock = read_yaml(path.read_bytes())[0].value
        required = {need for boundary in lock["spec"]["boundaries"] for need in boundary["requirements"]}
        found[path.parent.name] = {
            name for name in VOCABULARY if any(_is_of(name, need) for need in required)
        }
    return found


def _is_of(capability: str, requirement: str) -> bool:
    return requirement == capability or requirement.startswith((f"{capability}=", f"{capability}>="))


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("ten-trees-python", "python-reference.yaml"),
        ("ten-trees-claude", "claude-code.yaml"),
        ("ten-trees-codex", "codex.yaml"),
    ],
)
def test_a_planted_edit_flips_exactly_the_pairs_that_need_the_capability(
    name: str, file: str, tmp_path: Path
) -> None:
    root = tmp_path / name
    shutil.copytree(REPOSITORIES / name, root)
    assert run("render", "--offline", cwd=root).status == 0
    needed = needs(root)
    for capability in sorted({name for names in needed.values() for name in names}):
        with patch.object(preparing, "load_catalog", lambda gone=capability: without(file, gone)):
            done = run("check", "--offline", "-o", "json", cwd=root)
        assert {pair["template"] for pair in done.json["pairs"] if not is_compatible(pair)} == {
            template for template, names in needed.items() if capability in names
        }, capability
        refused = [fault for fault in done.faults if fault["reason"] == "CapabilityUnsupported"]
        assert all(f"`{capability}" in fault["message"] for fault in refused)


def is_compatible(pair: dict[str, Any]) -> bool:
    return all(found["status"] == "True" for found in pair["conditions"] if found["type"] == "Compatible")
