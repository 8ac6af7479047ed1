"""What a terminal shows that a file does not: colour and progress, and neither where it is unwanted."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.team import edit

pytestmark = pytest.mark.process

SLOW = """\
import threading, kagent_render.cli.progress as p, kagent_render.cli.run as r
p._DELAY = 0.01
shown, show, discover = threading.Event(), p.Progress._show, r.discover
def showing(self):
    show(self)
    shown.set()
def slow(*args):
    shown.wait(LONGEST)
    return discover(*args)
p.Progress._show, r.discover = showing, slow
"""
SHOWN, HIDDEN = SLOW.replace("LONGEST", "30"), SLOW.replace("LONGEST", "0.3")
"""Work that lasts until progress is shown, and work that lasts long enough for it to be."""

_RUN = "from kagent_render.cli.main import main; main()"


def on_terminal(
    *args: str, cwd: Path, before: str = "", env: dict[str, str] | None = None
) -> tuple[int, str, str]:
    """Status, stdout and what a terminal on stderr was sent."""
    ours, theirs = pty.openpty()
    code = f"import sys; sys.argv[1:] = {list(args)!r}\n{before}\n{_RUN}"
    surroundings = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**surroundings, "TERM": "xterm-256color", "COLUMNS": "120", **(env or {})},
    )
    os.close(theirs)
    shown = read_all(ours, deadline=time.monotonic() + 60)
    out, _ = process.communicate(timeout=60)
    return process.returncode, out.decode(), shown


def read_all(terminal: int, deadline: float) -> str:
    """What comes until the other end is closed."""
    parts = []
    while time.monotonic() < deadline and select.select([terminal], [], [], 10)[0]:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # how Linux tells that nobody has the other end open
            break
        if not part:
            break
        parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode()


def test_work_that_takes_long_says_what_it_does_and_leaves_nothing(team: Path) -> None:
    status, out, shown = on_terminal("check", cwd=team, before=SHOWN)
    assert status == 0
    assert out == ""
    assert "Reading manifests" in shown
    hidden, restored = shown.count("\033[?25l"), shown.count("\033[?25h")
    assert hidden == restored == 1
    after = shown.rpartition("Reading manifests")[2]
    assert "\033[2K" in after
    assert "3 pairs current" in after


def test_short_work_shows_no_progress(team: Path) -> None:
    patient = "import kagent_render.cli.progress as p; p._DELAY *= 100"
    _, _, shown = on_terminal("check", cwd=team, before=patient)
    assert "\033[?25l" not in shown
    assert "Reading" not in shown


def test_output_for_programs_comes_without_progress(team: Path) -> None:
    _, out, shown = on_terminal("check", "-o", "json", cwd=team, before=HIDDEN)
    assert out.startswith("{")
    assert shown == ""


def test_a_phase_is_one_line_of_the_terminal_and_no_markup(team: Path) -> None:
    odd = "[/x] [red]:bug: " + "long " * 40
    saying = f"say = p.Progress.say\np.Progress.say = lambda self, text, share=None: say(self, {odd!r})\n"
    _, _, shown = on_terminal("check", cwd=team, before=SHOWN + saying, env={"COLUMNS": "40"})
    line = re.search(r"\[/x\] \[red\]:bug: [long ]*…", shown)
    assert line is not None, shown
    assert len(line[0]) == 38


def test_an_interrupt_takes_the_progress_away(team: Path) -> None:
    before = SHOWN.replace(
        "return discover", "import os, signal; os.kill(os.getpid(), signal.SIGINT); return discover"
    )
    status, _, shown = on_terminal("render", cwd=team, before=before)
    assert status == 130
    assert shown.count("\033[?25h") == 1
    assert shown.rstrip().endswith("interrupted: nothing half-written")


def test_without_a_terminal_there_is_no_escape_sequence(team: Path) -> None:
    code = f"import sys; sys.argv[1:] = ['check']\n{HIDDEN}\n{_RUN}"
    done = subprocess.run([sys.executable, "-c", code], cwd=team, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert "\033" not in done.stderr
    assert "\r" not in done.stderr
    assert "Reading" not in done.stderr


COLOUR = re.compile(r"\033\[[0-9;]*m")


@pytest.mark.parametrize(
    ("args", "env", "coloured"),
    [
        pytest.param([], {}, True, id="a terminal"),
        pytest.param([], {"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param([], {"NO_COLOR": ""}, True, id="an empty NO_COLOR"),
        pytest.param([], {"TERM": "dumb"}, False, id="a dumb terminal"),
        pytest.param(["--color", "never"], {}, False, id="never"),
        pytest.param(["--color", "always"], {"NO_COLOR": "1"}, True, id="always"),
    ],
)
def test_colour_follows_terminal_environment_and_flag(
    team: Path, args: list[str], env: dict[str, str], coloured: bool
) -> None:
    edit(team / "lead.yaml", "You lead.", "You decide.")
    status, _, shown = on_terminal("check", *args, cwd=team, env=env)
    assert status == 1
    assert bool(COLOUR.search(shown)) is coloured
    assert "LockStale" in shown


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["NO_COLOR", "a dumb terminal"])
def test_progress_has_no_colour_where_none_is_wanted(team: Path, env: dict[str, str]) -> None:
    _, _, shown = on_terminal("check", cwd=team, before=SHOWN, env=env)
    assert not COLOUR.search(shown)


def test_color_never_holds_for_progress(team: Path) -> None:
    _, _, shown = on_terminal("check", "--color", "never", cwd=team, before=SHOWN)
    assert "Reading manifests" in shown
    assert not COLOUR.search(shown)


NAMING = """\
say = p.Progress.say
p.Progress.say = lambda self, text: say(self, f"{text}, waiting for `s3://content/[red]a[/b].zip`")
"""


def test_progress_shows_the_name_of_an_artifact_as_it_is(team: Path) -> None:
    status, _, shown = on_terminal("check", cwd=team, before=SHOWN + NAMING)
    assert status == 0
    assert "Reading manifests, waiting for `s3://content/[red]a[/b].zip`" in shown
    assert "Traceback" not in shown


def test_a_render_that_waits_for_another_one_says_so(team: Path) -> None:
    import fcntl

    edit(team / "lead.yaml", "You lead.", "You decide.")
    holder = os.open(team / "rendered", os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    release = (
        "import kagent_render.emit.exclusion as e\n"
        "hold = e.hold\n"
        "e.hold = lambda output, on_wait: hold(output, on_wait, 1.5)\n"
    )
    status, _, shown = on_terminal("render", cwd=team, before=release)
    os.close(holder)
    assert status == 2
    assert "Waiting for another kagent-render" in shown
    assert "is held by another kagent-render" in shown


def test_how_far_something_is_is_drawn(team: Path) -> None:
    saying = "say = p.Progress.say\np.Progress.say = lambda self, text, share=None: say(self, text, 0.5)\n"
    _, _, shown = on_terminal("check", cwd=team, before=SHOWN + saying)
    assert "\u2501" * 8 in shown
    assert "\u2500" * 8 in shown
    assert "Reading manifests" in shown
