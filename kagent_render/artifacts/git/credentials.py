"""Credentials for a server that asked: from Git's own helpers, else from a netrc file.

Git's stores are only read. Telling helpers which credentials worked would change what a user keeps.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, unquote, urlsplit

from kagent_render.artifacts.deadline import within
from kagent_render.artifacts.git.failure import unfetched

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANSWER_BYTES: Final = 1 << 16
_NETRC_BYTES: Final = 1 << 20
# Hooks run with variables that lead Git to the repository at hand; only settings of a user's own stay.
_KEPT_OF_GIT: Final = ("GIT_CONFIG_", "GIT_EXEC_PATH")


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user name and a password; neither shows in any representation."""

    user: str
    password: str

    def __repr__(self) -> str:
        return "Credentials()"

    @property
    def header(self) -> str:
        """The value of an `Authorization` header."""
        from base64 import b64encode

        return "Basic " + b64encode(f"{self.user}:{self.password}".encode()).decode()


def find_credentials(url: str, seconds: float) -> Credentials | None:
    """What Git's helpers, given `seconds`, or else the netrc file have for the server of `url`."""
    parts = urlsplit(url)
    return _from_helpers(parts, seconds) or _from_netrc(parts.hostname or "")


def _from_helpers(parts: SplitResult, seconds: float) -> Credentials | None:
    git = shutil.which("git")
    question = {"protocol": parts.scheme, "host": parts.netloc, "path": unquote(parts.path).strip("/")}
    # A line break would let a URL ask for the credentials of another host.
    if git is None or not all(value.isprintable() for value in question.values()):
        return None
    text = "".join(f"{name}={value}\n" for name, value in question.items())
    answer = _asked([git, "credential", "fill"], f"{text}\n".encode(), seconds)
    found = dict(line.partition("=")[::2] for line in answer.decode(errors="replace").split("\n"))
    if not found.get("password"):
        return None
    return Credentials(found.get("username", ""), found["password"])


def _asked(command: list[str], question: bytes, seconds: float) -> bytes:
    """What the helpers print; nothing where they fail, or take too long and are ended with all they began."""
    try:
        process = subprocess.Popen(  # noqa: S603  (the command is ours, the question goes to its stdin)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,  # outside of any repository, whose configuration could name helpers
            env=_environment(os.environ),
            start_new_session=True,
        )
    except OSError:
        return b""
    with process:
        try:
            return within(seconds, partial(_conversation, process, question))
        except (OSError, TimeoutError):
            return b""
        finally:
            _end(process)


def _conversation(process: subprocess.Popen[bytes], question: bytes) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(question)
    process.stdin.close()
    return process.stdout.read(_ANSWER_BYTES)


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    kept = {
        name: value
        for name, value in variables.items()
        if not name.startswith("GIT_") or name.startswith(_KEPT_OF_GIT)
    }
    # Nobody is there to be asked; an empty GIT_ASKPASS outdoes `core.askPass` too.
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "GCM_INTERACTIVE": "never",
    }


def _from_netrc(host: str) -> Credentials | None:
    """The entry of a host; `default` is not used, since it would go to every server that asks."""
    import netrc

    path = Path(os.environ.get("NETRC") or "~/.netrc").expanduser()
    try:
        if not path.is_file() or path.stat().st_size > _NETRC_BYTES:
            return None
        login = netrc.netrc(str(path)).hosts.get(host)
    except (OSError, ValueError, RuntimeError, netrc.NetrcParseError) as error:
        line = getattr(error, "lineno", None)
        raise unfetched(
            "the server asks for credentials, and the netrc file cannot be read",
            "correct the netrc file" + (f" at line {line}" if line else ""),
        ) from None
    return Credentials(login[0] or login[1] or "", login[2] or "") if login else None
