"""The program itself, watching real files: what each kind of edit makes it do."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.team import actor_templates, edit, write_team
from tests.parts import REPOSITORY
from tests.running import tree
from tests.source.git_repositories import git

pytestmark = pytest.mark.server

_PATIENCE = 20.0
_REST = 1.0
"""Seconds in which a run that should not come would have come."""


class Watching:
    """A watch that runs: its lines on stderr as they come."""

    def __init__(self, folder: Path, *args: str) -> None:
        command = [sys.executable, "-m", "kagent_render", "watch", "--offline", *args]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.lines: list[str] = []
        self._read = 0
        self._reader = threading.Thread(target=self._collect, daemon=True)
        self._reader.start()
        self.until("watching; Ctrl-C ends it")

    def _collect(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip())

    def until(self, text: str) -> list[str]:
        """The lines up to the next one that has a text."""
        deadline = time.monotonic() + _PATIENCE
        start = self._read
        while time.monotonic() < deadline and (self.process.poll() is None or self._reader.is_alive()):
            for index in range(self._read, len(self.lines)):
                if text in self.lines[index]:
                    self._read = index + 1
                    return self.lines[start : index + 1]
            time.sleep(0.02)
        raise AssertionError(f"no line with {text!r} after {self.lines[start:]}")

    @property
    def said(self) -> list[str]:
        """How each run went, without what it found."""
        found = (line for line in self.lines if line.startswith(("✓", "✗")))
        return [re.sub(r" \(\d+ warnings?\)", "", line) for line in found]

    def rest(self) -> list[str]:
        """The lines that come although nothing should happen."""
        time.sleep(_REST)
        return self.lines[self._read :]

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(_PATIENCE)


Start = Callable[..., Watching]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[Watching] = []

    def begin(folder: Path, *args: str) -> Watching:
        started.append(Watching(folder, *args))
        return started[-1]

    yield begin
    for watching in started:
        watching.process.kill()
        watching.process.wait()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_team(tmp_path / "team")


def save_over(path: Path, text: str) -> None:
    """Save as most editors do: a new file that takes the old one's name."""
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text)
    beside.replace(path)


def test_edits_are_rendered_and_broken_ones_keep_the_output(folder: Path, start: Start) -> None:
    watching = start(folder)
    assert watching.said[0].startswith("✓ 3 pairs prepared, wrote ")
    first = tree(folder / "rendered")
    assert watching.rest() == []
    edit(folder / "lead.yaml", "You lead.", "You rule.")
    watching.until("← lead.yaml")
    second = tree(folder / "rendered")
    assert second != first
    good = (folder / "lead.yaml").read_text()
    (folder / "lead.yaml").write_text(good + "x: [\n")
    lines = watching.until("✗ nothing was written (1 error")
    assert lines[0].startswith("error[YAMLInvalid]")
    assert tree(folder / "rendered") == second
    save_over(folder / "lead.yaml", good)
    watching.until("✓ 3 pairs prepared, nothing to write")
    (folder / "notes.md").write_text("no source")
    (folder / "lead.yaml~").write_text("of an editor")
    (folder / "rendered/kustomization.yaml").touch()
    assert watching.rest() == []


def test_an_edit_of_the_configuration_changes_what_is_watched(folder: Path, start: Start) -> None:
    watching = start(folder)
    edit(
        folder / "kagent-render.yaml",
        "spec:\n",
        'spec:\n  output: out\n  sources: ["*.yaml", "!late.yaml"]\n',
    )
    watching.until("← kagent-render.yaml")
    assert (folder / "out/kustomization.yaml").is_file()
    assert watching.rest() == []
    (folder / "late.yaml").write_text("kind: [")
    assert watching.rest() == []
    edit(folder / "kagent-render.yaml", ', "!late.yaml"', "")
    watching.until("← kagent-render.yaml")
    (folder / "late.yaml").write_text("kind: {")
    watching.until("← late.yaml")


def test_a_root_that_vanishes_is_awaited(folder: Path, start: Start) -> None:
    (folder.parent / "kagent-render.yaml").write_text("of the root above, which nobody asked for")
    watching = start(folder)
    folder.rename(folder.with_name("away"))
    watching.until("which is gone")
    shutil.copytree(folder.with_name("away"), folder)
    watching.until("✓ 3 pairs prepared, nothing to write")
    edit(folder / "lead.yaml", "You lead.", "You rule.")
    watching.until("← lead.yaml")
    (folder / "kagent-render.yaml").rename(folder / "aside")
    watching.until("waiting for `kagent-render.yaml`, which is gone")
    (folder / "aside").rename(folder / "kagent-render.yaml")
    watching.until("✓ 3 pairs prepared")


def test_a_checkout_is_one_run(folder: Path, start: Start) -> None:
    git(folder, "init", "--quiet", "--initial-branch=main", ".")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "start")
    git(folder, "checkout", "--quiet", "-b", "other")
    for name in ("lead", "helper", "critic"):
        path = folder / f"{name}.yaml"
        path.write_text(path.read_text().replace("You ", "You now "))
    git(folder, "commit", "--quiet", "--all", "--message", "other")
    watching = start(folder)
    other = actor_templates(folder)
    git(folder, "checkout", "--quiet", "main")
    watching.until("← 3 changes")
    assert watching.rest() == []
    assert actor_templates(folder) != other


def test_several_roots_and_new_ones_are_watched(tmp_path: Path, start: Start) -> None:
    for name in ("one", "two"):
        write_team(tmp_path / name)
    watching = start(tmp_path)
    assert [line.partition(":")[0] for line in watching.said] == ["✓ one", "✓ two"]
    edit(tmp_path / "two/lead.yaml", "You lead.", "You rule.")
    watching.until("✓ two: 3 pairs prepared, wrote")
    (tmp_path / "one/critic.yaml").touch()
    watching.until("✓ 2 roots, nothing to do")
    write_team(tmp_path / "three")
    watching.until("✓ three: 3 pairs prepared, wrote")
    assert [line for line in watching.rest() if "wrote" in line] == []


def test_checking_writes_nothing_and_sees_hand_edits_of_the_output(folder: Path, start: Start) -> None:
    watching = start(folder, "--check")
    assert not (folder / "rendered").exists()
    watching.process.kill()
    start(folder).process.kill()
    watching = start(folder, "--check")
    assert watching.said == ["✓ 3 pairs current"]
    edit(folder / "rendered/kustomization.yaml", "- team", "- other")
    lines = watching.until("✗ ")
    assert lines[0].startswith("error[OutputDrift]")
    before = tree(folder / "rendered")
    edit(folder / "lead.yaml", "You lead.", "You rule.")
    watching.until("← lead.yaml")
    assert tree(folder / "rendered") == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_without_a_word(folder: Path, start: Start, number: signal.Signals) -> None:
    watching = start(folder)
    assert watching.end(number) == 0
    assert watching.rest() == []
    assert watching.process.stdout is not None
    assert watching.process.stdout.read() == ""


def test_a_signal_in_the_middle_of_a_run_leaves_no_half_file(folder: Path, start: Start) -> None:
    watching = start(folder)
    for delay in (0.15, 0.2, 0.25, 0.3):
        edit(folder / "lead.yaml", "You ", "You  ")
        time.sleep(delay)
        assert watching.end(signal.SIGTERM) == 0
        assert [path for path in tree(folder / "rendered") if path.endswith("~")] == []
        watching = start(folder)
        assert watching.said[0].startswith("✓ 3 pairs prepared")


def test_a_warning_is_told_once_while_it_lasts(folder: Path, start: Start) -> None:
    watching = start(folder)
    told = sum(line.startswith("warning[CapabilityUnproven]") for line in watching.lines)
    assert told
    edit(folder / "lead.yaml", "You lead.", "You rule.")
    watching.until("warnings)  ← lead.yaml")
    assert sum(line.startswith("warning") for line in watching.lines) == told
