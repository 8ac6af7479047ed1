"""Two runs of one output folder never write at once."""

from __future__ import annotations

import errno
import fcntl
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.exclusion import hold
from kagent_render.emit.folder import OutputError
from tests.parts import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


def never() -> None:
    pytest.fail("there is nobody to wait for")


def test_a_run_holds_the_folder_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with DiskOutput(tmp_path, "rendered") as output:
        for _ in range(2):
            with hold(output, never):
                assert list(tmp_path.rglob("*")) == [tmp_path / "rendered"]


def test_a_second_run_says_that_it_waits_and_gives_up_in_bounded_time(tmp_path: Path) -> None:
    waits: list[str] = []
    with DiskOutput(tmp_path, "rendered") as first, DiskOutput(tmp_path, "rendered") as second:
        with (
            hold(first, never),
            pytest.raises(OutputError, match="held by another kagent-render") as caught,
            hold(second, lambda: waits.append("waiting"), longest=0.1),
        ):
            pytest.fail("both runs hold the folder")
        assert waits == ["waiting"]
        assert caught.value.hint
        with hold(second, never):
            assert waits == ["waiting"]


def test_a_second_run_goes_on_when_the_first_is_done(tmp_path: Path) -> None:
    order: list[str] = []
    with DiskOutput(tmp_path, "rendered") as first, DiskOutput(tmp_path, "rendered") as second:
        waiting = threading.Event()

        def follow() -> None:
            with hold(second, waiting.set):
                order.append("second")

        thread = threading.Thread(target=follow)
        with hold(first, never):
            thread.start()
            assert waiting.wait(30)
            order.append("first")
        thread.join(30)
    assert order == ["first", "second"]


def test_other_output_folders_do_not_wait(tmp_path: Path) -> None:
    with (
        DiskOutput(tmp_path, "one") as one,
        DiskOutput(tmp_path, "two") as two,
        hold(one, never),
        hold(two, never),
    ):
        assert (tmp_path / "one").is_dir()


HOLDER = """
import sys
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.exclusion import hold
with DiskOutput(sys.argv[1], "rendered") as output, hold(output, lambda: None):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_killed_run_lets_go(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with DiskOutput(tmp_path, "rendered") as output:
            with pytest.raises(OutputError), hold(output, lambda: None, longest=0):
                pytest.fail("both processes hold the folder")
            holder.kill()
            holder.wait()
            with hold(output, never):
                assert holder.returncode


def test_a_folder_that_was_replaced_while_waiting_is_locked_anew(tmp_path: Path) -> None:
    with DiskOutput(tmp_path, "rendered") as first, DiskOutput(tmp_path, "rendered") as second:

        def replace() -> None:
            shutil.rmtree(tmp_path / "rendered")

        with hold(first, never), hold(second, replace):
            assert (tmp_path / "rendered").is_dir()


@pytest.mark.parametrize("number", [errno.EBADF, errno.ENOLCK, errno.ENOTSUP])
def test_a_file_system_without_folder_locks_does_not_stop_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def flock(*_: Any) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr(fcntl, "flock", flock)
    with DiskOutput(tmp_path, "rendered") as output, hold(output, never):
        assert (tmp_path / "rendered").is_dir()
