"""The demo runs to its end, shows the life of an instance, and leaves nothing behind however it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

pytestmark = pytest.mark.process

PATIENCE = 120
PROGRAM = f'#!/bin/sh\nexec "{sys.executable}" -m kagent_apply.cli.main "$@"\n'


@contextmanager
def demo(folder: Path, script: str) -> Iterator[subprocess.Popen[str]]:
    """The demo with a program, as the leader of a group of processes, as a shell starts it."""
    programs, left = folder / "programs", folder / "left"
    programs.mkdir()
    left.mkdir()
    (programs / "kagent-apply").write_text(script)
    (programs / "kagent-apply").chmod(0o755)
    command = [str(REPOSITORY / "examples/demo.sh"), str(programs)]
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "TMPDIR": str(left)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def is_gone(running: subprocess.Popen[str], folder: Path) -> bool:
    """Whether neither a file nor a process is left."""
    return list((folder / "left").iterdir()) == [] and not is_alive(running.pid)


def is_alive(group: int) -> bool:
    """Whether any process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_demo_shows_the_life_of_an_instance(tmp_path: Path) -> None:
    with demo(tmp_path, PROGRAM) as running:
        shown, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, shown
    ids = re.findall(r"^id +([0-9a-f-]{36})$", shown, re.MULTILINE)
    assert (len(ids), len(set(ids))) == (2, 1)
    states = re.findall(r"^state +([A-Z]+)$", shown, re.MULTILINE)
    assert states == ["READY", "READY", "SUSPENDED", "READY", "DELETED"]
    assert not re.search("error|No such file", shown)
    assert is_gone(running, tmp_path)


def test_ctrl_c_ends_the_demo_and_its_server(tmp_path: Path) -> None:
    with demo(tmp_path, PROGRAM) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if line.startswith("ready on "):
                break
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert is_gone(running, tmp_path)


def test_a_server_that_does_not_start_is_told(tmp_path: Path) -> None:
    with demo(tmp_path, "#!/bin/sh\necho out of order >&2\nexit 2\n") as running:
        shown, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    assert shown.endswith("out of order\n")
    assert is_gone(running, tmp_path)
