"""Docker's credential helpers: programs `docker-credential-<suffix>` that know logins."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.deadline import within
from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.docker_config import Login
from kagent_render.artifacts.oci.failure import OciFault, not_fetched
from kagent_render.artifacts.strict_json import JsonInvalid, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping

_SUFFIX: Final = re.compile(r"[A-Za-z0-9_.-]+")
_ANSWER_BYTES: Final = 1 << 16
_UNKNOWN: Final = b"credentials not found"


def helper_login(suffix: str, server: str, environment: Mapping[str, str], seconds: float) -> Login | None:
    """What a helper knows of `server`, None where it knows nothing; raises OciFault.

    Its output is bounded in time and bytes, and none of it is ever shown: it may hold secrets.
    """
    if not _SUFFIX.fullmatch(suffix):
        raise not_fetched(
            f"the credential helper `{printable(suffix)}` cannot be the name of a program",
            "correct `credHelpers` or `credsStore` in Docker's configuration",
        )
    program = f"docker-credential-{suffix}"
    status, answer = _run(program, server, environment, seconds)
    if status and _UNKNOWN in answer.lower():
        return None
    if status or len(answer) > _ANSWER_BYTES:
        raise _failed(program, f"failed with status {status}" if status else "answered more than 64 KiB")
    return _decode(program, answer)


def _run(program: str, server: str, environment: Mapping[str, str], seconds: float) -> tuple[int, bytes]:
    try:
        process = subprocess.Popen(  # noqa: S603  (the user's own configuration names it)
            [program, "get"],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        raise _failed(program, "cannot be started") from None
    try:
        return within(seconds, lambda: _converse(process, server))
    except TimeoutError:
        raise _failed(program, "did not answer in time") from None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _converse(process: subprocess.Popen[bytes], server: str) -> tuple[int, bytes]:
    assert process.stdin
    assert process.stdout
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(server.encode())
        process.stdin.close()
    answer = process.stdout.read(_ANSWER_BYTES + 1)
    return (0 if len(answer) > _ANSWER_BYTES else process.wait()), answer


def _decode(program: str, answer: bytes) -> Login:
    try:
        members = read_json(answer)
    except JsonInvalid:
        members = None
    found = members if isinstance(members, dict) else {}
    username, secret = found.get("Username"), found.get("Secret")
    if not isinstance(username, str) or not isinstance(secret, str):
        raise _failed(program, "answered something else than a login")
    if username == "<token>":
        return Login("", secret, is_token=True)
    return Login(username, secret)


def _failed(program: str, fault: str) -> OciFault:
    return not_fetched(
        f"the credential helper `{program}` {fault}",
        f"run `{program} get` by hand, or correct `credHelpers` and `credsStore` in Docker's configuration",
    )
