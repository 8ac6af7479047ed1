"""A minute of random archives: each is read within its limits or refused, and nothing else happens.

`FUZZ_SEED=SEED:NUMBER`, as a failure prints it, makes one input again; `FUZZ_SECONDS` is the CPU time of all.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.parts import REPOSITORY

pytestmark = pytest.mark.fuzz

SEED, _, NUMBER = os.environ.get("FUZZ_SEED", "").partition(":")
SECONDS = float(os.environ.get("FUZZ_SECONDS", "60"))
PROCESSES = 1 if NUMBER else 2


@dataclass(frozen=True)
class Child:
    """A process that reads in an empty folder of its own."""

    seed: str
    folder: Path
    process: subprocess.Popen[bytes]

    def end(self, seconds: float) -> str | None:
        """How it failed; None where it did not."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = -1
        left = [path.name for path in self.folder.iterdir()]
        if status == 0 and not left:
            return None
        number = int((self.folder.parent / f"{self.folder.name}.out").read_bytes() or b"0")
        told = (self.folder.parent / f"{self.folder.name}.err").read_text()[-3_000:]
        return f"FUZZ_SEED={self.seed}:{number} ended with {status}, left {left}\n{told}"


def start(seed: str, folder: Path, *command: str) -> Child:
    folder.mkdir()
    out, err = (folder.parent / f"{folder.name}.{stream}" for stream in ("out", "err"))
    with out.open("wb") as stdout, err.open("wb") as stderr:
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        process = subprocess.Popen(
            [sys.executable, *command], cwd=folder, env=environment, stdout=stdout, stderr=stderr
        )
    return Child(seed, folder, process)


def test_every_archive_is_read_or_refused_and_nothing_else_happens(tmp_path: Path) -> None:
    share = SECONDS / PROCESSES
    children = []
    for part in range(PROCESSES):
        seed = SEED or str(secrets.randbelow(1 << 32))
        arguments = [seed, str(share), *([NUMBER] if NUMBER else [])]
        children.append(start(seed, tmp_path / str(part), "-m", "tests.fuzz.child", *arguments))
    failures = [child.end(10 * share + 60) for child in children]
    assert failures == [None] * PROCESSES, "\n\n".join(filter(None, failures))


PLANTED = {
    "writes": ("open('x', 'w')", "Forbidden"),
    "reads": ("open('/etc/hostname')", "Forbidden"),
    "writes-and-hides-it": ("hidden()", "Forbidden"),
    "makes-a-folder": ("__import__('os').mkdir('x')", "Forbidden"),
    "connects": ("__import__('socket').socket()", "Forbidden"),
    "hangs": ("[0 for _ in iter(int, 1) if _]", "ended with -27"),
    "hangs-in-c": ("all(itertools.repeat(1))", "ended with -27"),
    "takes-memory": ("bytes(1 << 31)", "MemoryError"),
    "raises": ("1 / 0", "ZeroDivisionError"),
    "dies": ("__import__('signal').raise_signal(9)", "ended with -9"),
    "lets-through": ("Package({'../x': PackageFile(b'')})", "AssertionError"),
}


@pytest.mark.parametrize(("fault", "told"), PLANTED.values(), ids=PLANTED.keys())
def test_a_reader_at_fault_is_found(tmp_path: Path, fault: str, told: str) -> None:
    program = f"""
import contextlib, itertools, socket
from kagent_render.artifacts.package import Package, PackageFile
from tests.fuzz import child
def hidden():
    with contextlib.suppress(BaseException):
        open('x', 'w')
child.SECONDS_OF_ONE_INPUT = 0.2
child.warm_up = lambda: None
child.read = lambda *_: {fault}
child.main('1', 20, None)
"""
    failure = start("1", tmp_path / "planted", "-c", program).end(60)
    assert failure is not None
    assert told in failure
    assert failure.startswith("FUZZ_SEED=1:0 ")
