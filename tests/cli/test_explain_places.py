"""Whatever `explain` tells of an ActorTemplate stands in it, at that very place."""

from __future__ import annotations

import functools
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.parts import REPOSITORY
from tests.running import run

_GOLDEN = REPOSITORY / "tests/golden/repositories"
_ROOTS = [
    *sorted(root for root in _GOLDEN.iterdir() if not root.name.startswith("platform-agents")),
    *(REPOSITORY / "examples/variants" / variant for variant in ("python", "claude", "codex")),
]
_STEP = re.compile(r"\[([^\]]*)\]|([^.\[]+)")
_DERIVED = ("egress[", "requirements[")
"""What stands in the lock."""


@pytest.fixture(params=_ROOTS, ids=lambda root: root.name)
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    original: Path = request.param
    copied = tmp_path / original.name
    shutil.copytree(original, copied, ignore=shutil.ignore_patterns("rendered"))
    done = run("render", "--offline", "--keep-going", cwd=copied)
    assert list(copied.rglob("revision.lock.yaml")), done.err
    return copied


def test_every_value_stands_where_it_is_said_to_be(root: Path) -> None:
    for lock in sorted(root.rglob("revision.lock.yaml")):
        for entry in explained(root, lock.parent):
            if not entry["field"].startswith(_DERIVED):
                manifest = read(lock.parent / f"actortemplates/{entry['actorTemplate']}.yaml")
                assert_shows(follow(manifest, entry["field"]), entry)


@pytest.mark.parametrize("root", [_ROOTS[0]], ids=["boundaries"], indirect=True)
def test_the_address_of_a_server_in_the_cluster_comes_from_its_port(root: Path) -> None:
    entries = [entry for lock in root.rglob("revision.lock.yaml") for entry in explained(root, lock.parent)]
    sources = [source for entry in entries for source in entry["sources"]]
    assert {source["field"] for source in sources if source["object"]["kind"] == "MCPServer"} == {
        "spec.deployment.port"
    }


def explained(root: Path, folder: Path) -> list[dict[str, Any]]:
    namespace, harness, template = folder.relative_to(root / "rendered").parts
    done = run("explain", f"{namespace}/{harness}/{template}", "-o", "json", cwd=root)
    assert done.status == 0, done.err
    found: list[dict[str, Any]] = done.json
    return found


def read(path: Path) -> Any:
    return _parsed(path.read_text())


@functools.lru_cache(maxsize=8)
def _parsed(text: str) -> Any:
    return yaml.load(text, Loader=yaml.CSafeLoader)


def follow(value: Any, field: str) -> Any:
    """What stands at a field: variables go by their name, and JSON in a text is looked into."""
    for bracketed, plain in _STEP.findall(field):
        step = bracketed or plain
        if isinstance(value, str):
            value = json.loads(value)
        if isinstance(value, list) and not step.isdigit():
            (value,) = (
                entry.get("value", entry.get("valueFrom")) for entry in value if entry["name"] == step
            )
        else:
            value = value[int(step) if isinstance(value, list) else step]
    return value


def assert_shows(found: Any, entry: dict[str, Any]) -> None:
    field, shown = entry["field"], entry["value"].removesuffix("…").replace("⏎", "\n")
    if shown.endswith("bytes of JSON"):
        assert shown == f"{len(found.encode())} bytes of JSON", entry
    elif field.endswith("env[KAGENT_FILES_JSON]"):
        assert f"{len(found.encode())} bytes: {', '.join(json.loads(found))}".startswith(shown), entry
    elif shown.endswith("not shown") or re.match("key .* of Secret ", shown):
        assert found, entry
    elif isinstance(found, str):
        assert found.startswith(shown), (entry, found)
    elif field.endswith(".model"):
        assert found["model"] == shown, (entry, found)
    elif field.startswith("spec.containers[0].env["):
        last = _STEP.findall(field)[-1][1]
        assert last == shown or " of " in shown, (entry, found)
    else:
        text = json.dumps(found, separators=(",", ":"))
        assert shown == text or json.dumps(shown) in text, (entry, found)
