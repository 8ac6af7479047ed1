"""`graph --impact` against brute force: what an edit makes stale or faulty is among what it said."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.golden.test_golden import REPOSITORIES
from tests.running import run

pytestmark = pytest.mark.process

NAMES = ["boundaries", "platform-agents", "providers", "upstream"]
_EDITS = 2
"""How many fields of each object are edited, one after the other."""


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_reaches_nothing_that_impact_does_not_name(name: str, tmp_path: Path) -> None:
    root = shutil.copytree(REPOSITORIES / name, tmp_path / name)
    files = {path: list(yaml.safe_load_all(path.read_text())) for path in sorted(root.glob("*.yaml"))}
    for path, documents in files.items():
        path.write_text(yaml.safe_dump_all(documents))
    assert run("render", "--offline", cwd=root).status == 0
    known, hit = _at_fault(root, faulty=False), set()
    for path, documents in files.items():
        for index, document in enumerate(documents):
            reached = _impact(root, document)
            for field in _some(list(_texts(document.get("spec", {})))):
                edited = copy.deepcopy(documents)
                _extend(edited[index]["spec"], field)
                path.write_text(yaml.safe_dump_all(edited))
                found = _at_fault(root) & known
                assert found <= reached, (document["kind"], document.get("metadata"), field)
                hit |= found
            path.write_text(yaml.safe_dump_all(documents))
    assert hit == known


def _impact(root: Path, document: dict[str, Any]) -> set[str]:
    metadata = document.get("metadata", {})
    parts = [metadata.get("namespace"), document["kind"], metadata.get("name", "kagent-render")]
    done = run("graph", "--offline", "-o", "json", "--impact", "/".join(filter(None, parts)), cwd=root)
    assert done.status == 0, done.err
    return {reach["name"] for reach in done.json["reaches"]}


def _at_fault(root: Path, *, faulty: bool = True) -> set[str]:
    """Pairs and PlatformAgents with a condition that is not True; all of them unless `faulty`."""
    found = run("check", "--offline", "-o", "json", cwd=root).json
    return {
        "/".join(subject[key] for key in ("namespace", "harness", "template", "name") if subject.get(key))
        for subject in [*found["pairs"], *found.get("platformAgents", [])]
        if not faulty or any(condition["status"] != "True" for condition in subject["conditions"])
    }


def _texts(value: Any, field: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the texts of a specification are."""
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, part in entries:
        yield from _texts(part, (*field, key))
    if isinstance(value, str):
        yield field


def _some(fields: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return fields[:: max(1, len(fields) // _EDITS)][:_EDITS]


def _extend(spec: Any, field: tuple[Any, ...]) -> None:
    for key in field[:-1]:
        spec = spec[key]
    spec[field[-1]] += "x"
