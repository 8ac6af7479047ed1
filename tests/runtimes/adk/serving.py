"""kagent-adk's own server on loopback, started with an actor's environment, and one message sent to it."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.runtimes.adk.environment import adk_python, bare_environment
from tests.servers import Request, serving

_START = "from kagent.adk.cli import run_cli; run_cli()"
_SECONDS = 120
CARD = {
    "name": "lead",
    "description": "",
    "url": "http://127.0.0.1",
    "version": "1",
    "capabilities": {"streaming": True},
    "defaultInputModes": ["text"],
    "defaultOutputModes": ["text"],
    "skills": [],
}
"""A card as A2A 0.3 has it, since kagent-adk refuses ours."""


@contextlib.contextmanager
def serving_kagent_adk(folder: Path, actor: Mapping[str, str]) -> Iterator[str]:
    """The address of a server that `actor` configures, ready for messages; sessions are kept in `folder`."""
    (folder / "agent-card.json").write_text(json.dumps(CARD))
    config = json.loads(actor["KAGENT_CONFIG_JSON"])
    config["session_db_url"] = f"sqlite+aiosqlite:///{folder}/sessions.db"
    with serving(_control) as controller, socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = str(held.getsockname()[1])
        env = {**actor, "KAGENT_CONFIG_JSON": json.dumps(config), "KAGENT_URL": controller.url}
        del env["KAGENT_AGENT_CARD_JSON"]
        held.close()
        with _started(folder, port, env) as process:
            url = f"http://127.0.0.1:{port}"
            _wait(process, url, folder)
            yield url


def _control(request: Request) -> None:
    """What the controller says of tasks: it knows none and keeps all."""
    status = 404 if request.command == "GET" else 200
    request.reply(b'{"error": false}', status, Content_Type="application/json")


@contextlib.contextmanager
def _started(folder: Path, port: str, env: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    arguments = ["static", "--host", "127.0.0.1", "--port", port, "--filepath", str(folder)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [adk_python(), "-c", _START, *arguments],
            env=bare_environment(folder, env),
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def _wait(process: subprocess.Popen[bytes], url: str, folder: Path) -> None:
    end = time.monotonic() + _SECONDS
    while process.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/health", timeout=5):
            return
        time.sleep(0.2)
    pytest.fail(f"kagent-adk does not serve: {(folder / 'log').read_text()[-4000:]}")


def send_message(url: str, text: str) -> dict[str, Any]:
    """The task that one A2A 0.3 message makes."""
    with _sent(url, text, "message/send") as reply:
        answer: dict[str, Any] = json.load(reply)
    return dict(answer["result"])


def stream_message(url: str, text: str) -> list[dict[str, Any]]:
    """Every event of a task, as it is streamed."""
    with _sent(url, text, "message/stream") as reply:
        lines = [line.removeprefix(b"data: ") for line in reply if line.startswith(b"data: ")]
    return [dict(json.loads(line)["result"]) for line in lines]


def _sent(url: str, text: str, method: str) -> Any:
    parts = [{"kind": "text", "text": text}]
    message = {"kind": "message", "role": "user", "messageId": text, "parts": parts}
    call = {"jsonrpc": "2.0", "id": "1", "method": method, "params": {"message": message}}
    request = urllib.request.Request(
        f"{url}/", json.dumps(call).encode(), {"Content-Type": "application/json"}
    )
    return urllib.request.urlopen(request, timeout=_SECONDS)
