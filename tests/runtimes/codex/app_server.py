"""The JSON-RPC interface of Codex, as the runtime drives it: one thread, one turn."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.runtimes.codex.launcher import start_codex


@dataclass(frozen=True)
class _Client:
    """Both ends of the pipe to a running server."""

    requests: IO[str]
    answers: IO[str]

    def ask(self, number: int, method: str, **params: Any) -> Any:
        """The result of one request; what comes before it is passed over."""
        self.requests.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
        self.requests.flush()
        return self.until(lambda message: message.get("id") == number)["result"]

    def until(self, wanted: Callable[[Any], bool]) -> Any:
        """The first message that is wanted."""
        return next(message for message in map(json.loads, self.answers) if wanted(message))


def take_turn(home: Path, prompt: str, env: Mapping[str, str]) -> Any:
    """One turn of a new thread; its completion as the server tells it."""
    with start_codex(home, ("app-server", "--strict-config"), env, subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = _Client(process.stdin, process.stdout)
        client.ask(1, "initialize", clientInfo={"name": "runtime", "version": "1"})
        thread = client.ask(2, "thread/start")["thread"]["id"]
        client.ask(3, "turn/start", threadId=thread, input=[{"type": "text", "text": prompt}])
        return client.until(lambda message: message.get("method") == "turn/completed")["params"]["turn"]
