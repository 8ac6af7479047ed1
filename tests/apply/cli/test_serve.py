"""`kagent-apply serve`: what it says, what its signals do, and what it does not begin with."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.apply.cli.calling import call
from tests.parts import REPOSITORY, missing
from tests.running import Run

CREATE = (
    "create",
    "-n",
    "payments",
    "--harness",
    "python-runtime",
    "--template",
    "triage",
    "--request-id",
    "x",
)
SUSPEND = ("suspend", "-n", "payments", "00000000-0000-4000-8000-000000000001")
PATIENCE = 60


@dataclass
class Served:
    """A server's process, and the lines that it has said so far."""

    process: subprocess.Popen[str]
    go: Path
    refreshed: Path
    lines: list[str] = field(default_factory=list)

    def until(self, pattern: str) -> str:
        """Read on until a line holds something; the line."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if re.search(pattern, line):
                return line
        raise AssertionError(f"{pattern} is not in {self.lines}")

    def wait_for(self, text: str) -> None:
        """Wait until the file of refreshes holds something."""
        while not (self.refreshed.exists() and text in self.refreshed.read_text()):
            assert self.process.poll() is None

    @property
    def address(self) -> str:
        """Where it listens, once it is ready."""
        return self.until("ready on ").split()[-1]

    def signal(self, number: int) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def end(self) -> int:
        """Its exit status."""
        return self.process.wait(PATIENCE)


@contextmanager
def serving(
    folder: Path, *args: str, env: dict[str, str] | None = None, wrapper: tuple[str, ...] = ()
) -> Iterator[Served]:
    """The program as a process of its own, over twins of its parts."""
    go, refreshed = folder / "go", folder / "refreshed"
    command = [sys.executable, "-m", "tests.apply.cli.serve_program", str(go), str(refreshed), "serve", *args]
    given = {**os.environ, "PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": str(folder), **(env or {})}
    command = [*wrapper, *command]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder, env=given) as process:
        try:
            yield Served(process, go, refreshed)
        finally:
            process.kill()


_LEADING = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal the session's own, as a shell's is, so that its end is a signal."""

HERE = ("--listen", "127.0.0.1:0", "--log-format", "text")


@pytest.mark.process
def test_it_says_what_it_serves_and_drains_at_sigterm(tmp_path: Path) -> None:
    with serving(tmp_path, *HERE) as served:
        address = served.address
        serving_line, ready = (line.partition("INFO    ")[2] for line in served.lines)
        assert serving_line.startswith('serving repository=. ref=HEAD commits="read every 30 s')
        assert 'calls="127.0.0.1:0, without TLS' in serving_line
        assert f"store={tmp_path}/kagent-apply/" in serving_line
        assert ready == f"ready on {address}"
        made: list[Run] = []
        asking = threading.Thread(target=lambda: made.append(call(*CREATE, "--server", address)))
        asking.start()
        served.wait_for("asked")
        served.signal(signal.SIGTERM)
        served.signal(signal.SIGTERM)  # as `timeout` does, to the process and to its group
        served.until("SIGTERM: taking no more calls")
        served.go.touch()
        asking.join(PATIENCE)
        assert made[0].status == 0
        served.until("ended: every call had its reply")
        assert served.end() == 0
        assert served.refreshed.read_text() == "closed\n"


@pytest.mark.process
def test_sighup_reads_everything_again(tmp_path: Path) -> None:
    with serving(tmp_path, *HERE) as served:
        assert served.address
        for count in (1, 2):
            served.signal(signal.SIGHUP)
            served.wait_for("refreshed\n" * count)
        served.signal(signal.SIGINT)
        assert served.end() == 0


@pytest.mark.process
def test_what_does_not_end_is_left_to_the_next_start(tmp_path: Path) -> None:
    with serving(tmp_path, *HERE, "--drain", "0.1") as served:
        asking = threading.Thread(target=call, args=(*SUSPEND, "--server", served.address))
        asking.start()
        served.wait_for("asked")
        served.signal(signal.SIGTERM)
        served.until("ended: some operations were under way, and go on when a server starts again")
        assert served.end() == 0  # although the operation still waits
        asking.join(PATIENCE)


@pytest.mark.process
def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, *HERE) as served:
        asking = threading.Thread(target=call, args=(*SUSPEND, "--server", served.address))
        asking.start()
        served.wait_for("asked")
        while served.process.poll() is None:
            served.signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                served.process.wait(0.2)
        assert served.end() == -signal.SIGTERM
        asking.join(PATIENCE)


@pytest.mark.process
def test_a_second_signal_ends_the_first_process_of_a_container_too(tmp_path: Path) -> None:
    """Which its own signals do nothing to where it has no handler (pid_namespaces(7))."""
    unshare = shutil.which("unshare")
    if unshare is None or os.geteuid():
        missing("no `unshare`, or no right to begin a process with the number 1")
    alone = (str(unshare), "--pid", "--fork", "--kill-child")
    with serving(tmp_path, *HERE, wrapper=alone) as served:
        asking = threading.Thread(target=call, args=(*SUSPEND, "--server", served.address))
        asking.start()
        served.wait_for("asked")
        begun = served.process.pid
        first = int(Path(f"/proc/{begun}/task/{begun}/children").read_text())
        while served.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(first, signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                served.process.wait(0.2)
        assert served.end() == 128 + signal.SIGTERM
        asking.join(PATIENCE)


@pytest.mark.process
def test_an_address_that_is_taken_is_told(tmp_path: Path) -> None:
    with serving(tmp_path, *HERE) as served, serving(tmp_path, "--listen", served.address) as second:
        second.until("cannot be listened on")
        second.until("hint: see whether another program listens there")
        assert second.end() == 2


@pytest.mark.process
def test_it_ends_with_its_terminal(tmp_path: Path) -> None:
    ours, its = pty.openpty()
    program = [
        sys.executable,
        "-m",
        "tests.apply.cli.serve_program",
        str(tmp_path / "go"),
        str(tmp_path / "r"),
    ]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": str(tmp_path)}
    leading = [sys.executable, "-c", _LEADING, *program, "serve", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        leading, stdin=its, stdout=its, stderr=its, env=env, start_new_session=True
    ) as process:
        os.close(its)
        said = b""
        while b"ready on" not in said:
            said += os.read(ours, 4096)
        assert said.startswith(b"kagent-apply serves `HEAD` of `.`")
        os.close(ours)
        try:
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
    assert (tmp_path / "r").read_text() == "closed\n"


@pytest.mark.process
def test_the_version_loads_click_alone() -> None:
    code = (
        "import sys; from kagent_apply.cli.main import main; sys.argv[1:] = ['--version']\ntry:\n    main()\n"
    )
    code += "except SystemExit: print(sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    assert done.stdout.startswith("kagent-apply ")
    loaded = set(re.findall(r"'([^']+)'", done.stdout))
    assert "click" in loaded
    assert not loaded & {"grpc", "google", "pydantic", "yaml", "sqlalchemy", "rich", "asyncio"}


@pytest.mark.parametrize(
    ("args", "env", "told"),
    [
        (("--listen", "0.0.0.0:1"), {}, "error: `--listen` is beyond this machine, and there is no TLS\n"),
        ((), {"KAGENT_APPLY_LISTEN": "x"}, "error: `KAGENT_APPLY_LISTEN` is not `HOST:PORT`, such as"),
        (("--config", "/nowhere"), {}, "error: `/nowhere` cannot be read: no such file or directory\n"),
        ((), {"KAGENT_APPLY_CONFIG": "/nowhere"}, "error: `/nowhere` cannot be read: no such file"),
        (("--tls-cert", "/c", "--tls-key", "/k", "--listn", "x"), {}, "Usage: kagent-apply serve"),
    ],
)
def test_it_does_not_begin_with_settings_that_are_not_right(
    args: tuple[str, ...], env: dict[str, str], told: str
) -> None:
    done = call("serve", *args, env=env)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(told)


def test_every_fault_is_told_with_what_to_do() -> None:
    done = call("serve", "--listen", "0.0.0.0:1", "--echo", "--commands", "x")
    assert done.err.count("error: ") == done.err.count("  hint: ") == 4


def test_a_file_of_settings_is_read(tmp_path: Path) -> None:
    (tmp_path / "serve.yaml").write_text("listen: nowhere\n")
    done = call("serve", "--config", str(tmp_path / "serve.yaml"))
    assert done.err.startswith(f"error: `listen` at `{tmp_path}/serve.yaml:1` is not `HOST:PORT`, such as")
