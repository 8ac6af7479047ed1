"""Repositories that are authored once and rendered for each target, and their golden directories."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kagent_render.source.yaml import read_yaml
from tests.golden.test_golden import REPOSITORIES, switch
from tests.running import EXAMPLE, tree

GOLDEN = Path(__file__).parent / "targets"
AUTHORED = {"incident": EXAMPLE, "ten-trees-python": REPOSITORIES / "ten-trees-python"}


def folder(name: str, target: str) -> Path:
    """Where the output of a repository for one target is recorded."""
    return GOLDEN / name / target.replace("/", "-")


def author(name: str, place: Path, target: str) -> Path:
    """A copy of a repository without output, whose RenderConfig names the target; nothing else is edited."""
    shutil.copytree(AUTHORED[name], place, ignore=shutil.ignore_patterns("rendered"))
    switch(place, target)
    return place


def pairs(output: Path) -> list[str]:
    """The folder of each pair of an output."""
    return sorted(path.parent.relative_to(output).as_posix() for path in output.rglob("revision.lock.yaml"))


def read_lock(output: Path, pair: str) -> Any:
    """The lock of a pair as plain data."""
    return read_yaml((output / pair / "revision.lock.yaml").read_bytes())[0].value


def read_manifests(output: Path, pair: str) -> dict[str, Any]:
    """The manifest of each boundary of a pair, by binding path."""
    boundaries = read_lock(output, pair)["spec"]["boundaries"]
    return {
        found["path"]: read_yaml((output / pair / found["manifest"]).read_bytes())[0].value
        for found in boundaries
    }


def record(name: str, target: str, output: Mapping[str, bytes]) -> None:
    """Write the golden directory of a repository anew."""
    place = folder(name, target)
    shutil.rmtree(place, ignore_errors=True)
    for path, content in output.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)


def differing(name: str, target: str, output: Mapping[str, bytes]) -> Iterator[str]:
    """Each path that is not as recorded, with how it differs."""
    golden = tree(folder(name, target))
    for path in sorted({*golden, *output}):
        if path not in output:
            yield f"{path} is not written any more"
        elif path not in golden:
            yield f"{path} is new"
        elif golden[path] != output[path]:
            yield "\n".join((f"{path} differs", *_lines(golden[path], output[path])))


def _lines(before: bytes, after: bytes) -> Iterator[str]:
    from difflib import unified_diff

    yield from unified_diff(before.decode().splitlines(), after.decode().splitlines(), lineterm="", n=1)
