"""A run that dies between any two writes, and two runs at once: no lock ever lies, the next run repairs."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kagent_render.emit import disk
from kagent_render.revision.lock import Lock
from kagent_render.revision.lock_reading import read_lock
from tests.emit.outputs import broken_promises
from tests.parts import REPOSITORY
from tests.properties import manifests as make
from tests.properties.repositories import CONFIG, check, one_file_each, render, write
from tests.running import run, tree
from tests.source.git_repositories import git, stage_files

if TYPE_CHECKING:
    from pathlib import Path

    from tests.properties.manifests import Manifest

pytestmark = pytest.mark.process

KEEPING = {**CONFIG, "spec": {**CONFIG["spec"], "retention": {"revisions": 3}}}
BASE = [make.harness("v1alpha2", "runtime"), make.model("v1alpha2", "OpenAI")]


def agent(name: str, prompt: str) -> Manifest:
    critic = make.agent("critic", "kept", "Dedicated")
    tools = [] if name == "kept" else [critic]
    return make.template("v1alpha2", name, ["runtime"], systemPrompt=prompt, tools=tools)


OLD = [*BASE, agent("kept", "old"), agent("changed", "old"), agent("gone", "old")]
NEW = [*BASE, agent("kept", "old"), agent("changed", "new"), agent("added", "new")]


def edited(folder: Path) -> Path:
    """A repository whose commit holds the old output, with new sources: a pair changed, gone and added."""
    write(folder, one_file_each(OLD), KEEPING)
    render(folder)
    stage_files(folder, {})
    git(folder, "commit", "--quiet", "--message", "old")
    return write(folder, one_file_each(NEW), KEEPING)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    output = render(edited(tmp_path_factory.mktemp("whole")))
    assert sum(path.endswith("lock.yaml") for path in output) == 3
    assert sum("/changed/actortemplates/" in path for path in output) == 3, "one of the old is retained"
    return output


def assert_promises(root: Path) -> None:
    """Every lock is whole, and names manifests that are there with their digests."""
    found = tree(root / "rendered")
    assert broken_promises(found) == []
    locks = [path for path in found if path.endswith("/revision.lock.yaml")]
    assert locks
    for path in locks:
        assert isinstance(read_lock(found[path], path), Lock), path


class DeathError(Exception):
    """What stands for the end of the process."""


class Mortal(disk.DiskOutput):
    """An output folder that dies in the place of its n-th change, in the middle of a new file."""

    left: int

    def _count(self) -> None:
        type(self).left -= 1
        if type(self).left < 0:
            self.die()

    def die(self) -> None:
        raise DeathError

    def create(self, path: str, data: bytes, *, executable: bool = False) -> None:
        if type(self).left == 0:
            super().create(path, data[: len(data) // 2])
        self._count()
        super().create(path, data, executable=executable)

    def replace(self, source: str, target: str) -> None:
        self._count()
        super().replace(source, target)

    def remove(self, path: str) -> None:
        self._count()
        super().remove(path)

    def remove_folder(self, path: str) -> bool:
        self._count()
        return super().remove_folder(path)

    def remove_tree(self, path: str) -> None:
        self._count()
        super().remove_tree(path)


def test_a_run_may_die_before_any_change(
    tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    edited(tmp_path)
    for moment in itertools.count():
        git(tmp_path, "checkout", "--quiet", "HEAD", "--", "rendered")
        git(tmp_path, "clean", "--quiet", "-fd", "--", "rendered")
        died = dies(tmp_path, moment, monkeypatch)
        assert_promises(tmp_path)
        if not died:
            break
        assert check(tmp_path).status == 1 or tree(tmp_path / "rendered") == expected
        assert render(tmp_path) == expected
        assert check(tmp_path).status == 0
    assert moment > 20


def dies(root: Path, moment: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run `render` so that it dies before its n-th change; False where it has fewer."""
    with monkeypatch.context() as patch:
        patch.setattr(disk, "DiskOutput", Mortal)
        Mortal.left = moment
        try:
            run("render", "--offline", cwd=root)
        except DeathError:
            return True
    return False


KILLED = """
import os, signal, sys
from kagent_render.emit import disk
from tests.properties.test_interruption import Mortal

Mortal.left = int(sys.argv.pop(1))
Mortal.die = lambda self: os.kill(os.getpid(), signal.SIGKILL)
disk.DiskOutput = Mortal
from kagent_render.cli.main import main
main()
"""


def started(root: Path, program: str, *args: str) -> subprocess.Popen[Any]:
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", program, *args, "render", "--offline"]
    return subprocess.Popen(command, cwd=root, env=environment, stderr=subprocess.PIPE)


@pytest.mark.parametrize("moment", [3, 10, 22])
def test_a_killed_process_leaves_what_the_next_run_repairs(
    tmp_path: Path, expected: dict[str, bytes], moment: int
) -> None:
    edited(tmp_path)
    process = started(tmp_path, KILLED, str(moment))
    _, said = process.communicate()
    assert process.returncode == -signal.SIGKILL, said
    assert_promises(tmp_path)
    assert render(tmp_path) == expected


def test_two_runs_at_once_give_what_one_gives(tmp_path: Path, expected: dict[str, bytes]) -> None:
    edited(tmp_path)
    program = "from kagent_render.cli.main import main; main()"
    processes = [started(tmp_path, program) for _ in range(3)]
    for process in processes:
        _, said = process.communicate()
        assert process.returncode == 0, said
    assert tree(tmp_path / "rendered") == expected


def test_a_run_that_another_one_overtakes_leaves_the_output_of_one_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run writes between this one's reading and its writing."""
    write(tmp_path, one_file_each(OLD), KEEPING)
    before = render(tmp_path)
    write(tmp_path, one_file_each(NEW), KEEPING)
    real = disk.DiskOutput.handle

    def overtaken(self: disk.DiskOutput) -> int:
        monkeypatch.setattr(disk.DiskOutput, "handle", real)
        write(tmp_path, one_file_each(OLD), KEEPING)
        assert render(tmp_path) == before
        return real(self)

    monkeypatch.setattr(disk.DiskOutput, "handle", overtaken)
    render(tmp_path)
    assert_promises(tmp_path)
    write(tmp_path, one_file_each(NEW), KEEPING)
    render(tmp_path)
    assert check(tmp_path).status == 0
    assert_promises(tmp_path)
