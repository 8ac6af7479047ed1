"""The same input gives the same bytes: anywhere, in any order, in any environment, from any source."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.properties import manifests as make
from tests.properties.everything import objects
from tests.properties.repositories import check, one_file_each, render, text_of, write
from tests.running import tree
from tests.source.git_repositories import git, stage_files

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

PROGRAM = "from kagent_render.cli.main import main; main()"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    output = render(write(tmp_path_factory.mktemp("root"), one_file_each(objects())))
    assert len([path for path in output if path.endswith(".lock.yaml")]) == 6
    return output


@pytest.mark.parametrize(
    "place",
    ["x", "ein/langer/Weg/mit Leerzeichen/und äöü 漢字/" + "tief/" * 30, "a'b\"c$d"],
    ids=["short", "deep", "odd"],
)
def test_no_place_matters(tmp_path: Path, expected: dict[str, bytes], place: str) -> None:
    (tmp_path / place).mkdir(parents=True)
    assert render(write(tmp_path / place, one_file_each(objects()))) == expected


def test_joined_and_split_files_give_the_same(tmp_path: Path, expected: dict[str, bytes]) -> None:
    write(tmp_path, {"all.yaml": text_of(reversed(objects()))})
    assert render(tmp_path) == expected
    write(tmp_path, {f"{99 - place}.yml": text_of([one]) for place, one in enumerate(objects())})
    assert render(tmp_path, "--exit-code") == expected


@pytest.mark.parametrize("jobs", ["1", "2", "64"])
def test_no_parallelism_matters(tmp_path: Path, expected: dict[str, bytes], jobs: str) -> None:
    assert render(write(tmp_path, one_file_each(objects())), "-j", jobs) == expected


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "1"},
        {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "2"},
        {
            "LANG": "de_DE.ISO-8859-1",
            "PYTHONUTF8": "0",
            "PYTHONHASHSEED": "3",
            "HOME": "/nonexistent",
            "CI": "true",
        },
    ],
    ids=["C", "Turkish", "Latin-1"],
)
def test_no_environment_matters(
    tmp_path: Path, expected: dict[str, bytes], environment: dict[str, str]
) -> None:
    write(tmp_path, one_file_each(objects()))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "render", "--offline"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"), **environment},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "rendered") == expected


def test_no_umask_and_no_age_matters(tmp_path: Path, expected: dict[str, bytes]) -> None:
    write(tmp_path, one_file_each(objects()))
    for path in tmp_path.rglob("*.yaml"):
        os.utime(path, (0, 0))
    before = os.umask(0o077)
    try:
        assert render(tmp_path) == expected
    finally:
        os.umask(before)


def test_standard_input_gives_the_same(tmp_path: Path, expected: dict[str, bytes]) -> None:
    write(tmp_path, {"ignored.yaml": text_of([make.harness("v1alpha2", "not-this-one")])})
    assert render(tmp_path, "-f", "-", stdin=text_of(objects())) == expected


def test_a_commit_and_the_index_are_as_current_as_the_work_tree(
    tmp_path: Path, expected: dict[str, bytes]
) -> None:
    write(tmp_path, one_file_each(objects()))
    render(tmp_path)
    stage_files(tmp_path, {})
    assert check(tmp_path, "--staged").status == 0
    git(tmp_path, "commit", "--quiet", "--message", "all")
    write(tmp_path, {"ours.yaml": text_of([make.harness("v1alpha2", "uncommitted")])})
    for source in (["--rev", "HEAD"], ["--staged"]):
        found = check(tmp_path, *source)
        assert found.status == 0, found.err
    assert check(tmp_path).status == 1


def test_a_nested_root_gives_what_it_gives_alone(tmp_path: Path, expected: dict[str, bytes]) -> None:
    write(tmp_path, one_file_each(objects()))
    (tmp_path / "nested").mkdir()
    write(tmp_path / "nested", one_file_each(objects()[:2]))
    assert render(tmp_path) == expected
