"""Runs the Git program where it has to decide: identities, signatures, references, remotes."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

# Git sets these for its hooks, and they would lead to another repository, index or store than the one meant.
_PLACES: Final = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
    "GIT_EXTERNAL_DIFF",
)
_USER_INFORMATION: Final = re.compile(r"(\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s'\"]*@")
_USER_OF_ADDRESS: Final = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]*://).*@", re.DOTALL)
_MOST_LINES: Final = 12
_LONGEST_LINE: Final = 500


class GitFailure(Exception):  # noqa: N818  (Git failed; it need not be an error of ours)
    """The Git program refused or failed; `lines` are what it said, made safe to print."""

    def __init__(self, action: str, stderr: bytes = b"", *, hint: str | None = None) -> None:
        super().__init__(action)
        self.action = action
        self.lines = safe_lines(stderr)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Answer:
    """How a run of Git ended."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """What it printed, without the line end."""
        return self.out.decode(errors="replace").strip()


@dataclass(frozen=True, slots=True)
class GitProgram:
    """Git in one repository, whatever surroundings a hook may have been started with."""

    repository: Path

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        accept: Collection[int] | None = (0,),
        environment: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run a command; raises GitFailure at a status that is not accepted. None accepts any."""
        surroundings = {name: value for name, value in os.environ.items() if name not in _PLACES}
        try:
            done = subprocess.run(  # noqa: S603  (arguments, never a shell)
                ["git", "-C", str(self.repository), *arguments],  # noqa: S607  (the user's own Git)
                input=stdin,
                capture_output=True,
                check=False,
                env={**surroundings, "LC_ALL": "C", **(environment or {})},
            )
        except FileNotFoundError:
            raise GitFailure("the Git program is not installed", hint="install Git") from None
        except OSError as error:
            raise GitFailure(f"the Git program cannot be started: {error.strerror}") from None
        if accept is not None and done.returncode not in accept:
            raise GitFailure(f"`git {arguments[0]}` failed", done.stderr)
        return Answer(done.returncode, done.stdout, done.stderr)


def safe_lines(stderr: bytes) -> tuple[str, ...]:
    """What Git and remotes said: few lines, no control characters, no credentials of addresses."""
    lines = [line.rstrip() for line in re.split(rb"[\r\n]+", stderr) if line.strip()]
    # Cut twice: what is looked at has a bound, and a credential must not lose the `@` that tells of it.
    shown = (line[: 4 * _LONGEST_LINE].decode(errors="replace").expandtabs() for line in lines[-_MOST_LINES:])
    return tuple(without_user_information(printable(line))[:_LONGEST_LINE] for line in shown)


def address_without_user_information(address: str) -> str:
    """An address that names no user and no password, whatever characters these have."""
    return _USER_OF_ADDRESS.sub(r"\1", address)


def without_user_information(text: str) -> str:
    """Text whose addresses name no user and no password."""
    return _USER_INFORMATION.sub(r"\1", text)
