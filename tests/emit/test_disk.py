"""The output folder on disk: links, modes, failures, a real kill."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.comparison import compare
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.folder import Entry, EntryKind, OutputBlockedError, OutputError
from kagent_render.emit.writer import write_plan
from tests.emit.outputs import AFTER, BEFORE, broken_promises, plan_of
from tests.parts import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kagent_render.emit.plan import OutputPlan

ONE = plan_of(("a", "py", "one", "v1"))


@pytest.fixture
def output(tmp_path: Path) -> Iterator[DiskOutput]:
    with DiskOutput(tmp_path, "rendered") as folder:
        yield folder


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def open_handles() -> int:
    """Handles of this process, counted without a listing of the system's own."""
    handles = 0
    for handle in range(256):
        with suppress(OSError):
            os.fstat(handle)
            handles += 1
    return handles


def lay_out(root: Path, content: Mapping[str, bytes]) -> None:
    for path, text in content.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text)


def test_a_plan_written_to_disk_is_there(tmp_path: Path, output: DiskOutput) -> None:
    write_plan(BEFORE, output)
    assert files(tmp_path / "rendered") == BEFORE.files
    write_plan(AFTER, output)
    assert files(tmp_path / "rendered") == AFTER.files
    assert write_plan(AFTER, output).paths == ()


def test_folders_that_became_empty_go_and_the_output_folder_stays(tmp_path: Path, output: DiskOutput) -> None:
    write_plan(BEFORE, output)
    (tmp_path / "rendered/z/y").mkdir(parents=True)
    write_plan(plan_of(), output)
    assert list((tmp_path / "rendered").iterdir()) == []


def test_an_unchanged_file_is_not_touched(tmp_path: Path, output: DiskOutput) -> None:
    write_plan(ONE, output)
    path = tmp_path / "rendered/a/kustomization.yaml"
    before = path.stat()
    path.chmod(0o600)
    write_plan(plan_of(("a", "py", "one", "v2")), output)
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_new_files_have_one_mode_under_every_umask(tmp_path: Path, output: DiskOutput) -> None:
    umask = os.umask(0o077)
    try:
        write_plan(ONE, output)
    finally:
        os.umask(umask)
    modes = {stat.S_IMODE((tmp_path / "rendered" / path).stat().st_mode) for path in ONE.files}
    assert modes == {0o644}


def test_entries_are_files_links_empty_folders_and_too_deep_folders(
    tmp_path: Path, output: DiskOutput
) -> None:
    assert list(output.entries()) == []
    root = tmp_path / "rendered"
    lay_out(root, {"a/b.yaml": b"", "a/_agentplugins/x.yaml": b"", "1/2/3/4/5/6/x": b"", "1/2/3/4/y": b""})
    (root / "empty/inner").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    assert sorted(output.entries(), key=lambda entry: entry.path) == [
        Entry("1/2/3/4/5", EntryKind.OTHER),
        Entry("1/2/3/4/y"),
        Entry("a/_agentplugins/x.yaml"),
        Entry("a/b.yaml"),
        Entry("empty/inner", EntryKind.EMPTY_FOLDER),
        Entry("link", EntryKind.OTHER),
        Entry("pipe", EntryKind.OTHER),
    ]


def test_a_name_that_is_not_utf_8_is_shown_readably(tmp_path: Path, output: DiskOutput) -> None:
    (tmp_path / "rendered").mkdir()
    (tmp_path / "rendered" / os.fsdecode(b"\xff.yaml")).write_bytes(b"")
    assert compare(ONE, output).foreign == ("\ufffd.yaml",)


def test_a_root_reached_through_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with DiskOutput(tmp_path / "link", "out/rendered") as output:
        write_plan(ONE, output)
    assert files(tmp_path / "real/out/rendered") == ONE.files


@pytest.mark.parametrize(
    "link",
    ["rendered", "rendered/a", "rendered/a/py", "rendered/a/py/one", "rendered/a/py/one/actortemplates"],
)
def test_no_link_to_a_folder_is_followed(tmp_path: Path, output: DiskOutput, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(outside)
    with pytest.raises(OutputBlockedError) as caught:
        write_plan(ONE, output)
    assert caught.value.diagnostic.reason is Reason.OUTPUT_DRIFT
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("link", ["kustomization.yaml", "a/py/one/revision.lock.yaml"])
def test_no_link_to_a_file_is_followed(tmp_path: Path, output: DiskOutput, link: str) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_bytes(b"theirs")
    (tmp_path / "rendered" / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "rendered" / link).symlink_to(outside)
    with pytest.raises(OutputBlockedError):
        write_plan(ONE, output)
    assert outside.read_bytes() == b"theirs"


def test_a_link_that_appears_while_writing_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()

    class Raced(DiskOutput):
        def create(self, path: str, data: bytes, *, executable: bool = False) -> None:
            if path.startswith("a/py/one/.revision"):
                (tmp_path / "rendered/a/py/one").rename(tmp_path / "moved")
                (tmp_path / "rendered/a/py/one").symlink_to(outside)
            super().create(path, data)

    with Raced(tmp_path, "rendered") as output, suppress(OutputBlockedError):
        write_plan(ONE, output)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("path", ["", "..", "../x", "a/../b", "/etc/x", "a//b", "a/", "./a", "a\0b"])
def test_a_path_that_is_not_plain_is_refused(tmp_path: Path, output: DiskOutput, path: str) -> None:
    with pytest.raises(ValueError, match=r"plain relative path|not enough values"):
        output.create(path, b"")
    if path:
        with DiskOutput(tmp_path, path) as elsewhere, pytest.raises(ValueError, match="plain relative path"):
            elsewhere.create("x", b"")


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EACCES, "permission denied"),
        (errno.EROFS, "permission denied"),
        (errno.EIO, "cannot be reached"),
    ],
)
def test_a_failing_disk_is_one_clear_error_and_leaves_no_half_file(
    tmp_path: Path, output: DiskOutput, monkeypatch: pytest.MonkeyPatch, number: int, problem: str
) -> None:
    write_plan(BEFORE, output)
    real = os.write
    left = [12]

    def write(file: int, data: Any) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(number, os.strerror(number))
        return real(file, data[:100])

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OutputError, match=problem) as caught:
        write_plan(AFTER, output)
    assert str(caught.value).startswith("`rendered/")
    monkeypatch.undo()
    found = files(tmp_path / "rendered")
    assert broken_promises(found) == []
    assert all(found[path] in (BEFORE.files.get(path), AFTER.files.get(path)) for path in found)
    write_plan(AFTER, output)
    assert files(tmp_path / "rendered") == AFTER.files


def test_a_program_stays_one_under_every_umask(tmp_path: Path, output: DiskOutput) -> None:
    umask = os.umask(0o077)
    try:
        output.create("bin/run", b"#!/bin/sh\n", executable=True)
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "rendered/bin/run").stat().st_mode) == 0o755


def test_a_folder_takes_the_place_of_nothing_and_of_nothing_else(tmp_path: Path, output: DiskOutput) -> None:
    output.create("new/a/b", b"new")
    output.replace("new", "old")
    output.create("new/a/b", b"newer")
    with pytest.raises(OutputError):
        output.replace("new", "old")
    assert files(tmp_path / "rendered") == {"old/a/b": b"new", "new/a/b": b"newer"}


def test_a_tree_goes_with_everything_in_it_and_nothing_behind_its_links(
    tmp_path: Path, output: DiskOutput
) -> None:
    outside = tmp_path / "outside"
    lay_out(tmp_path, {"outside/theirs": b"", "rendered/a/b/c/d/e/f/g": b"", "rendered/b": b""})
    (tmp_path / "rendered/a/link").symlink_to(outside)
    (tmp_path / "rendered/link").symlink_to(outside)
    os.mkfifo(tmp_path / "rendered/a/pipe")
    os.mkfifo(tmp_path / "rendered/pipe")
    before = open_handles()
    for path in ("a", "b", "link", "pipe"):
        output.remove_tree(path)
    assert list((tmp_path / "rendered").iterdir()) == []
    assert files(outside) == {"theirs": b""}
    assert open_handles() <= before + 1


def test_a_tree_below_a_link_stays(tmp_path: Path, output: DiskOutput) -> None:
    lay_out(tmp_path, {"outside/a/theirs": b"", "rendered/x": b""})
    (tmp_path / "rendered/link").symlink_to(tmp_path / "outside")
    with pytest.raises(OutputBlockedError):
        output.remove_tree("link/a")
    assert files(tmp_path / "outside") == {"a/theirs": b""}


def test_a_tree_deeper_than_any_path_goes_or_is_an_error(tmp_path: Path, output: DiskOutput) -> None:
    (tmp_path / "rendered").mkdir()
    below = os.open(tmp_path / "rendered", os.O_RDONLY)
    for _ in range(1_500):
        os.mkdir("d", dir_fd=below)
        above, below = below, os.open("d", os.O_RDONLY, dir_fd=below)
        os.close(above)
    os.close(below)
    try:
        with suppress(OutputError):
            output.remove_tree("d")
    finally:
        subprocess.run(["rm", "-rf", str(tmp_path / "rendered")], check=True)


def test_only_as_many_levels_are_listed_as_are_asked_for(tmp_path: Path) -> None:
    lay_out(tmp_path, {"store/a/b/c": b"", "store/d": b""})
    with DiskOutput(tmp_path, "store", deepest=1) as folder:
        assert sorted(folder.entries()) == [Entry("a", EntryKind.OTHER), Entry("d")]


def test_a_missing_root_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no such file"):
        DiskOutput(tmp_path / "missing", "rendered")


KILLED_RUN = """
import os, signal, sys
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.writer import write_plan
from tests.emit.outputs import AFTER, BEFORE

class Killed(DiskOutput):
    left = int(sys.argv[2])

    def count(self):
        self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def create(self, path, data, *, executable=False):
        self.count()
        super().create(path, data)

    def replace(self, source, target):
        self.count()
        super().replace(source, target)

    def remove(self, path):
        self.count()
        super().remove(path)

with Killed(sys.argv[1], "rendered") as output:
    write_plan(AFTER, output)
"""


@pytest.mark.parametrize("moment", [1, 4, 11, 17, 22, 30])
def test_a_killed_process_leaves_every_promise_kept_and_the_next_run_repairs(
    tmp_path: Path, output: DiskOutput, moment: int
) -> None:
    write_plan(BEFORE, output)
    done = subprocess.run(
        [sys.executable, "-c", KILLED_RUN, str(tmp_path), str(moment)], cwd=REPOSITORY, check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert broken_promises(files(tmp_path / "rendered")) == []
    write_plan(AFTER, output)
    assert files(tmp_path / "rendered") == AFTER.files


def test_comparing_opens_no_handle_that_it_does_not_close(tmp_path: Path, output: DiskOutput) -> None:
    write_plan(BEFORE, output)
    compare(BEFORE, output)
    before = open_handles()
    for plan in (BEFORE, AFTER, BEFORE):
        write_plan(plan, output)
        compare(plan, output)
    assert open_handles() <= before


def test_a_large_plan_is_written_whole(tmp_path: Path, output: DiskOutput) -> None:
    plan: OutputPlan = plan_of(*(("a", "py", f"t{number}", "v1") for number in range(120)))
    write_plan(plan, output)
    assert files(tmp_path / "rendered") == plan.files
