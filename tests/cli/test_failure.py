"""The error policy: which status each way to end has, and that none shows a traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import run, tree

pytestmark = pytest.mark.process

_RUN = "from kagent_render.cli.main import main; main()"


def call(
    *args: str, cwd: Path, before: str = "", stdout: int = subprocess.PIPE, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, after a line of Python that changes something of it."""
    code = f"import sys; sys.argv[1:] = {list(args)!r}\n{before}\n{_RUN}"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        env={**os.environ, **(env or {})},
    )


BUG = (
    "import kagent_render.cli.run as r\n"
    "def prepare_root(*a): return {}['a password']\n"
    "r.prepare_root = prepare_root"
)


def test_a_bug_is_status_3_without_traceback_and_without_what_it_quotes(team: Path) -> None:
    done = call("check", cwd=team, before=BUG)
    assert done.returncode == 3
    assert done.stderr.startswith("bug: kagent-render failed with KeyError at cli/check.py:")
    assert "Traceback" not in done.stderr
    assert "a password" not in done.stderr
    assert str(Path.home()) not in done.stderr


def test_a_bug_shows_its_traceback_when_asked(team: Path) -> None:
    done = call("check", cwd=team, before=BUG, env={"KAGENT_RENDER_TRACEBACK": "1"})
    assert done.returncode == 3
    assert "Traceback" in done.stderr


USAGE = {
    "no such command": ["chekc"],
    "no such flag": ["check", "--fix"],
    "no such folder": ["check", "nowhere"],
    "a file for a folder": ["check", "lead.yaml"],
    "no such format": ["check", "-o", "toml"],
    "no jobs": ["check", "-j", "0"],
    "two sources": ["check", "--staged", "--rev", "HEAD"],
    "render of a revision": ["render", "--rev", "HEAD"],
    "render of the index": ["render", "--staged"],
    "explain without a pair": ["explain"],
    "completion of no shell": ["completion", "tcsh"],
}


@pytest.mark.parametrize("args", USAGE.values(), ids=USAGE.keys())
def test_wrong_usage_is_status_2_in_few_lines(team: Path, args: list[str]) -> None:
    done = run(*args, cwd=team)
    assert done.status == 2
    assert done.out == ""
    assert "Error: " in done.err or "error: " in done.err
    assert len(done.err.splitlines()) < 6


def test_a_usage_error_ends_the_process_with_status_2(team: Path) -> None:
    done = call("check", "--fix", cwd=team)
    assert done.returncode == 2
    assert "No such option" in done.stderr


def test_an_interrupt_is_status_130_and_leaves_the_output_as_it_was(team: Path) -> None:
    before = tree(team)
    interrupt = (
        "import os, signal, kagent_render.cli.run as r\n"
        "def prepare_root(*a): os.kill(os.getpid(), signal.SIGINT)\n"
        "r.prepare_root = prepare_root"
    )
    done = call("render", cwd=team, before=interrupt)
    assert done.returncode == 130
    assert done.stderr.strip() == "interrupted: nothing half-written"
    assert tree(team) == before


def test_an_interrupt_while_writing_leaves_no_half_file(team: Path) -> None:
    for name in ("lead", "helper", "critic"):
        path = team / f"{name}.yaml"
        path.write_text(path.read_text().replace("You ", "You really ", 1))
    interrupt = (
        "import os, signal\nfrom kagent_render.emit.disk import DiskOutput\n"
        "replace = DiskOutput.replace\n"
        "def interrupted(self, *a):\n"
        "    replace(self, *a)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "DiskOutput.replace = interrupted"
    )
    before = tree(team)
    done = call("render", cwd=team, before=interrupt)
    assert done.returncode == 130
    changed = {path for path, data in tree(team).items() if before.get(path) != data}
    assert len(changed) == 1
    assert "actortemplates" in changed.pop()
    assert run("render", cwd=team).status == 0
    assert run("check", cwd=team).status == 0


def test_a_reader_that_goes_away_is_met_with_silence(team: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = call("check", "-o", "json", cwd=team, stdout=writing)
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 128 + signal.SIGPIPE


HEAVY = ("boto3", "dulwich", "google.protobuf", "pydantic", "rich", "yaml")


@pytest.mark.parametrize(
    "args", [["--version"], ["--help"], ["render", "--help"], ["completion", "bash"]], ids=" ".join
)
def test_what_needs_no_manifest_imports_no_heavy_library(args: list[str], tmp_path: Path) -> None:
    listing = (
        "import atexit\n"
        f"atexit.register(lambda: print(*(m for m in {HEAVY!r} if m in sys.modules), file=sys.stderr))"
    )
    done = call(*args, cwd=tmp_path, before=listing)
    assert done.returncode == 0
    assert done.stdout
    assert done.stderr == "\n"


@pytest.mark.parametrize("command", ["check", "render"])
def test_a_root_of_pairs_alone_does_not_import_the_compiler_of_plugins(team: Path, command: str) -> None:
    listing = (
        "import atexit\n"
        "atexit.register(lambda: print('agentplugin', *(m for m in sys.modules if '.agentplugin' in m)))"
    )
    done = call(command, "--offline", cwd=team, before=listing)
    assert (done.returncode, done.stdout) == (0, "agentplugin\n")


def test_checking_a_current_root_loads_neither_other_formats_nor_other_readers(team: Path) -> None:
    rooms = {"diagnostics": "finding", "revision": "lock_reading", "source": "index"}
    unneeded = [f"kagent_render.{room}.{module}" for room, module in rooms.items()]
    listing = (
        "import atexit\n"
        f"atexit.register(lambda: print('loaded', *(m for m in {unneeded!r} if m in sys.modules)))"
    )
    done = call("check", "--offline", cwd=team, before=listing)
    assert (done.returncode, done.stdout) == (0, "loaded\n")


@pytest.mark.parametrize("command", ["check", "render"])
def test_a_target_of_custom_resources_loads_no_messages_of_another(team: Path, command: str) -> None:
    (team / "lead.yaml").write_text((team / "lead.yaml").read_text().replace("You ", "You really ", 1))
    listing = (
        "import atexit\n"
        "atexit.register(lambda: print('loaded', *(m for m in sys.modules if 'protobuf' in m)))"
    )
    done = call(command, "--offline", cwd=team, before=listing)
    assert done.stdout.splitlines()[-1] == "loaded"


def test_the_version_is_one_line(tmp_path: Path) -> None:
    from kagent_render import __version__

    assert run("--version", cwd=tmp_path).out == f"kagent-render {__version__}\n"


def test_help_names_every_command_and_status(tmp_path: Path) -> None:
    from kagent_render.cli.main import COMMANDS

    text = run("--help", cwd=tmp_path).out
    assert all(name in text and line in text for name, line in COMMANDS.items())
    assert "0 clean, 1 findings or drift, 2 usage or environment, 3 a bug" in text


def test_each_command_has_help_that_is_its_own(tmp_path: Path) -> None:
    from kagent_render.cli.main import COMMANDS

    texts = {name: run(name, "-h", cwd=tmp_path) for name in COMMANDS}
    assert all(done.status == 0 and f"kagent-render {name}" in done.out for name, done in texts.items())
