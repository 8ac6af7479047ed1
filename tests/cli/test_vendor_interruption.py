"""A vendoring run that dies between any two writes, and several at once: no entry of the index ever lies."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kagent_render.artifacts.store.vendored import intact_contents, open_store
from kagent_render.cli.vendor import write as vendor_write
from kagent_render.emit import disk
from kagent_render.source.worktree import WorkTree
from tests.cli.skills import STORE, serve, skill, write_root
from tests.parts import REPOSITORY
from tests.properties.test_interruption import DeathError, Mortal
from tests.running import run, tree

pytestmark = pytest.mark.process

SERVED = {name: skill(name) for name in ("triage", "review", "report")}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    serve(monkeypatch, SERVED)


def edited(folder: Path) -> Path:
    """A root with a vendored store, whose manifests now use one skill more and one less."""
    write_root(folder, helper=["triage"], critic=["review"])
    assert run("vendor", cwd=folder).status == 0
    return write_root(folder, helper=["triage", "report"], critic=[])


def assert_every_entry_has_its_content(root: Path) -> None:
    reader = WorkTree(root)
    digests = set(open_store(reader).digests.values())
    assert digests
    assert intact_contents(reader, digests) == digests


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        serve(patch, SERVED)
        root = edited(tmp_path_factory.mktemp("whole"))
        assert run("vendor", cwd=root).status == 0
    return tree(root / STORE)


def test_a_run_may_die_before_any_change(
    tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for moment in itertools.count():
        root = edited(tmp_path / str(moment))
        with monkeypatch.context() as patch:
            patch.setattr(vendor_write, "DiskOutput", Mortal)
            Mortal.left = moment
            try:
                run("vendor", cwd=root)
            except DeathError:
                pass
            else:
                break
        assert_every_entry_has_its_content(root)
        assert run("vendor", "--check", cwd=root).status == 1
        assert run("vendor", cwd=root).status == 0
        assert tree(root / STORE) == expected
    assert moment >= 7


PROGRAM = """
import pytest
from tests.cli.skills import serve, skill
serve(pytest.MonkeyPatch(), {name: skill(name) for name in ("triage", "review", "report")})
"""
KILLED = """
import os, signal, sys
from kagent_render.emit import disk
from tests.properties.test_interruption import Mortal
Mortal.left = int(sys.argv.pop(1))
Mortal.die = lambda self: os.kill(os.getpid(), signal.SIGKILL)
disk.DiskOutput = Mortal
"""
CALLED = "from kagent_render.cli.main import main; main()"


def started(root: Path, program: str, *args: str) -> subprocess.Popen[Any]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", program, *args, "vendor"]
    return subprocess.Popen(command, cwd=root, env=environment, stderr=subprocess.PIPE)


@pytest.mark.parametrize("moment", [1, 3, 6])
def test_a_killed_process_leaves_what_the_next_run_repairs(
    tmp_path: Path, expected: dict[str, bytes], moment: int
) -> None:
    root = edited(tmp_path / "root")
    process = started(root, PROGRAM + KILLED + CALLED, str(moment))
    _, said = process.communicate()
    assert process.returncode == -signal.SIGKILL, said
    assert_every_entry_has_its_content(root)
    assert run("vendor", cwd=root).status == 0
    assert tree(root / STORE) == expected


def test_several_runs_at_once_give_what_one_gives(tmp_path: Path, expected: dict[str, bytes]) -> None:
    root = edited(tmp_path / "root")
    processes = [started(root, PROGRAM + CALLED) for _ in range(3)]
    for process in processes:
        _, said = process.communicate()
        assert process.returncode == 0, said
    assert tree(root / STORE) == expected


def test_a_run_that_another_one_overtakes_writes_what_is_still_missing(
    tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run, of other manifests, writes between this one's reading and its writing."""
    root = edited(tmp_path / "root")
    real = disk.DiskOutput.handle

    def overtaken(self: disk.DiskOutput) -> int:
        monkeypatch.setattr(disk.DiskOutput, "handle", real)
        write_root(root, helper=["report"])
        assert run("vendor", cwd=root).status == 0
        return real(self)

    monkeypatch.setattr(disk.DiskOutput, "handle", overtaken)
    assert run("vendor", cwd=root).status == 0
    assert tree(root / STORE) == expected
