"""`generate` as Argo CD starts it: in a random folder, with its environment, without stdin; and SIGTERM."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.team import MEMBER, edit, write_team
from tests.parts import REPOSITORY
from tests.running import run, tree
from tests.source.git_repositories import git

pytestmark = pytest.mark.server

PROGRAM = [sys.executable, "-m", "kagent_render", "generate"]
_KILLED_BY = 5.0
"""Seconds after SIGTERM at which Argo CD kills."""

ENVIRONMENTS = {
    "as it is": {
        "ARGOCD_APP_NAME": "agents",
        "ARGOCD_APP_NAMESPACE": "agents",
        "ARGOCD_APP_REVISION": "1" * 40,
        "ARGOCD_APP_SOURCE_PATH": ".",
        "KUBE_VERSION": "1.33",
    },
    "hostile": {
        "ARGOCD_APP_NAME": "x\n---\nkind: Secret",
        "ARGOCD_APP_REVISION": "../../../etc/passwd",
        "ARGOCD_APP_SOURCE_REPO_URL": "https://user:hunter2@example.com/x.git",
        "ARGOCD_APP_PARAMETERS": '[{"name":"path","string":"/etc"}]',
        "ARGOCD_ENV_HOME": "/etc",
        "PARAM_PATH": "/etc",
        "GIT_DIR": "/etc",
        "GIT_INDEX_FILE": "/etc/passwd",
        "KUBE_API_VERSIONS": "a" * 100_000,
        "TZ": "Asia/Kathmandu",
        "LANG": "C",
        "PYTHONHASHSEED": "7",
    },
}


def environment(home: str | None, **more: str) -> dict[str, str]:
    """The environment of a sidecar; without `home`, none is set."""
    base = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY), **more}
    return base if home is None else {**base, "HOME": home}


def generate(
    folder: Path, env: dict[str, str], *args: str, prefix: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[bytes]:
    """Start the program in `folder` with stdin closed."""
    # Only a shell can start a program without a stdin at all.
    command = ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *prefix, *PROGRAM, *args]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A committed root below the top of its repository, with retained manifests."""
    top = tmp_path_factory.mktemp("repository")
    folder = write_team(top / "apps" / "team")
    git(top, "init", "--quiet", "--initial-branch=main", ".")
    for prompt in ("You lead.", "You decide."):
        edit(folder / "lead.yaml", "You lead.", prompt)
        assert run("render", cwd=folder).status == 0
        git(top, "add", "--all", "--force", ".")
        git(top, "commit", "--quiet", "--message", prompt)
    return top


@pytest.fixture(scope="module")
def expected(committed: Path) -> bytes:
    """What the committed root gives."""
    return run("generate", "apps/team", cwd=committed).out.encode()


def copied(source: Path, target: Path, *, with_git: bool) -> Path:
    """The application's folder in a copy of a repository, with every mode reset as Argo CD does."""
    shutil.copytree(source, target, ignore=None if with_git else shutil.ignore_patterns(".git"))
    for path in target.rglob("*"):
        if ".git" not in path.parts and path.is_file():
            path.chmod(0o644)
    return target / "apps" / "team"


@pytest.mark.parametrize("variables", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
@pytest.mark.parametrize("with_git", [True, False], ids=["with .git", "without .git"])
def test_folder_and_environment_change_no_byte(
    with_git: bool, variables: dict[str, str], committed: Path, expected: bytes, tmp_path: Path
) -> None:
    folder = copied(committed, tmp_path / os.urandom(8).hex(), with_git=with_git)
    before = tree(folder)
    done = generate(folder, environment(str(tmp_path / "home"), **variables))
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
    assert tree(folder) == before
    assert b"hunter2" not in done.stderr


HOMES = {"unset": None, "a file": "/dev/null", "nowhere": "/proc/1/nowhere", "relative": "home"}


@pytest.mark.parametrize("home", HOMES.values(), ids=HOMES)
def test_no_home_is_needed(home: str | None, committed: Path, expected: bytes, tmp_path: Path) -> None:
    folder = copied(committed, tmp_path / "copy", with_git=False)
    done = generate(folder, environment(home))
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_any_user_can_run_it_on_files_that_nobody_may_write(
    committed: Path, expected: bytes, tmp_path: Path
) -> None:
    folder = copied(committed, tmp_path / "copy", with_git=True)
    for path in sorted(tmp_path.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for path in (tmp_path, *tmp_path.parents[:-2]):
        path.chmod(path.stat().st_mode | 0o055)
    become = ("setpriv", "--reuid=12345", "--regid=12345", "--clear-groups")
    readable = subprocess.run([*become, sys.executable, "-c", ""], capture_output=True)
    if readable.returncode:
        pytest.skip("this Python is below a folder that other users may not enter")
    done = generate(folder, environment("/"), prefix=become)
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_a_stale_lock_fails_and_stderr_names_the_input(committed: Path, tmp_path: Path) -> None:
    folder = copied(committed, tmp_path / "copy", with_git=False)
    edit(folder / "helper.yaml", "You are the helper.", "Tell nobody hunter2.")
    done = generate(folder, environment(None))
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"`spec.systemPrompt` was edited in AgentTemplate `helper`" in done.stderr
    assert b"helper.yaml:" in done.stderr
    assert b"hunter2" not in done.stderr
    assert str(tmp_path).encode() not in done.stderr


def test_a_reader_that_goes_away_is_no_failure_to_tell_of(committed: Path) -> None:
    process = subprocess.Popen(
        PROGRAM,
        cwd=committed / "apps/team",
        env=environment(None),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    assert process.wait(timeout=30) == 141
    assert b"Traceback" not in err
    assert b"Broken" not in err


UNWRITABLE = {"a full disk": ">/dev/full", "no stdout": ">&-"}


@pytest.mark.parametrize("stdout", UNWRITABLE.values(), ids=UNWRITABLE)
def test_a_stdout_that_takes_nothing_is_told(stdout: str, committed: Path) -> None:
    command = ["/bin/sh", "-c", f'exec "$@" {stdout}', "sh", *PROGRAM]
    done = subprocess.run(command, cwd=committed / "apps/team", env=environment(None), stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"error: stdout " in done.stderr


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A root whose output is far more than a pipe holds, and that output."""
    folder = write_team(tmp_path_factory.mktemp("large") / "team")
    for number in range(150):
        (folder / f"member-{number}.yaml").write_text(MEMBER.format(f"member-{number}"))
    assert run("render", cwd=folder).status == 0
    return folder, run("generate", cwd=folder).out.encode()


def start(folder: Path, home: Path) -> subprocess.Popen[bytes]:
    """Start the program in a process group of its own, with an empty cache."""
    return subprocess.Popen(
        [*PROGRAM, "--no-cache"],
        cwd=folder,
        env=environment(str(home)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def test_sigterm_at_any_moment_leaves_all_of_the_output_or_none(
    large: tuple[Path, bytes], tmp_path: Path
) -> None:
    folder, whole = large
    began = time.monotonic()
    undisturbed = start(folder, tmp_path)
    assert undisturbed.communicate()[0] == whole
    length = time.monotonic() - began
    chance = random.Random(5)
    told = 0
    for _ in range(25):
        process = start(folder, tmp_path)
        time.sleep(chance.uniform(0, length * 1.05))
        os.killpg(process.pid, signal.SIGTERM)
        killed = time.monotonic()
        out, err = process.communicate(timeout=30)
        took = time.monotonic() - killed
        assert took < 3 * _KILLED_BY, f"{took:.1f} s, of which a loaded machine may be the cause"
        assert out in (b"", whole)
        if process.returncode == 0:
            assert out == whole
            continue
        assert process.returncode == -signal.SIGTERM
        assert b"Traceback" not in err
        if b"terminated" in err:
            told += 1
            assert err.count(b"terminated: ") == 1
    assert told, "the signal never met the program at work"


def test_a_reader_that_reads_nothing_does_not_keep_it_alive(
    large: tuple[Path, bytes], tmp_path: Path
) -> None:
    process = start(large[0], tmp_path)
    assert process.stderr is not None
    process.stderr.readline()
    time.sleep(1)
    assert process.poll() is None, "the output went into the pipe after all"
    os.killpg(process.pid, signal.SIGTERM)
    began = time.monotonic()
    assert process.wait(timeout=3 * _KILLED_BY) != 0
    assert time.monotonic() - began < 3 * _KILLED_BY
    process.communicate()


def test_a_busy_memo_does_not_keep_it_alive(committed: Path, tmp_path: Path) -> None:
    import sqlite3

    folder = committed / "apps" / "team"
    assert generate(folder, environment(str(tmp_path))).returncode == 0
    memo = next(tmp_path.rglob("memo.sqlite"))
    with sqlite3.connect(memo) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        process = subprocess.Popen(
            PROGRAM,
            cwd=folder,
            env=environment(str(tmp_path)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(1)
        process.terminate()
        process.communicate(timeout=3 * _KILLED_BY)


def test_the_largest_file_that_is_read_does_not_keep_it_alive(committed: Path, tmp_path: Path) -> None:
    # One scalar, so that its reader and its search are single calls of C.
    folder = copied(committed, tmp_path / "copy", with_git=False)
    (folder / "large.yaml").write_text(f"apiVersion: kagent.dev/v1\nkind: X\nx: {'a b ' * (7 << 20)}\n")
    began = time.monotonic()
    whole = start(folder, tmp_path).communicate(timeout=60)[0]
    length = time.monotonic() - began
    ends = []
    for share in (0.2, 0.4, 0.6, 0.8):
        process = start(folder, tmp_path)
        time.sleep(share * length)
        process.terminate()
        began = time.monotonic()
        out, _ = process.communicate(timeout=3 * _KILLED_BY)
        assert time.monotonic() - began < 3 * _KILLED_BY
        # The signal may also come after the output, while the interpreter ends.
        assert out == whole if process.returncode == 0 else out in (b"", whole)
        ends.append(process.returncode)
    assert -signal.SIGTERM in ends


def test_a_function_that_waits_for_its_input_ends_as_well(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*PROGRAM[:-1], "krm"],
        cwd=tmp_path,
        env=environment(None),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1)
    process.terminate()
    out, err = process.communicate(timeout=3 * _KILLED_BY)
    assert (process.returncode, out) == (-signal.SIGTERM, b"")
    assert err == b"terminated: nothing was written\n"
