"""A warm parent of servers: it imports everything once, and forks a server whenever one is asked for.

Orders are lines of JSON on stdin, and so are the replies on stdout: `{"start": ORDER}` gives the child's pid
and what it says when it is ready, `{"wait": PID}` how it ended. Nothing of gRPC runs before a fork.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from kagent_apply.embedded.control import Control
from kagent_apply.embedded.opening import open_echo
from kagent_apply.embedded.serving import serve_control
from kagent_apply.settings.model import Settings
from kagent_apply.store.opening import open_store
from tests.apply.whole.composition import composed
from tests.apply.whole.fatal import Fatal, FatalTransport, fatal_store

_WARM = ("alembic.command", "dulwich.repo", "grpc", "psycopg", "sqlalchemy.dialects.postgresql.psycopg")


@dataclass(frozen=True)
class Child:
    """What a forked process has: its folder, and where it says that it is ready, and whose child it is."""

    folder: Path
    say: int
    parent: int

    def ready(self, **told: Any) -> None:
        """Say so, and live on until somebody kills this process, or its parent is gone."""
        os.write(self.say, json.dumps(told).encode() + b"\n")
        while os.getppid() == self.parent:
            time.sleep(0.5)
        os._exit(1)


def serve(child: Child, settings: dict[str, Any]) -> None:
    """The parts as `assemble` puts them together, each step of which may be the last."""
    fatal, controls = Fatal(child.folder / "armed"), list[tuple[Any, int]]()

    def listening(control: Control) -> Control:
        controls.append(serve_control(control, "127.0.0.1:0"))  # which stops when nobody holds it
        return control

    with composed(
        Settings(**settings),
        child.folder / "state",
        store=partial(fatal_store, fatal),
        transport=partial(FatalTransport, fatal),
        control=listening,
    ) as (server, _):
        child.ready(port=server.port, control=controls[0][1] if controls else 0)


def control(child: Child, address: str) -> None:
    """A Control."""
    server, port = serve_control(open_echo(child.folder / "control"), address)
    child.ready(port=port)
    server.stop(None)


def fork(order: dict[str, Any]) -> dict[str, Any]:
    """A child that does what it is told, once it is ready; without a port where it died before."""
    listen, say = os.pipe()
    folder = Path(order["folder"])
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(listen)
        log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.dup2(log, 2)
        child = Child(folder, say, parent)
        try:
            if "settings" in order:
                serve(child, order["settings"])
            else:
                control(child, order["address"])
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(1)
    os.close(say)
    with os.fdopen(listen) as told:
        line = told.readline()
    return {"pid": pid, **(json.loads(line) if line else {})}


def warm() -> None:
    """Load what is loaded when it is first used, so that no child has to."""
    for name in _WARM:
        import_module(name)
    with tempfile.TemporaryDirectory() as place:
        open_store(f"sqlite:///{place}/store").close()


def main() -> None:
    """Take orders until there are no more."""
    warm()
    for line in sys.stdin:
        order = json.loads(line)
        if "start" in order:
            reply = fork(order["start"])
        else:
            reply = {"status": os.waitstatus_to_exitcode(os.waitpid(order["wait"], 0)[1])}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
