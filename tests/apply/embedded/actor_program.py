"""A process of an actor, without anything but the standard library, that behaves as its arguments say.

It marks that it lives by a file `alive/PID` below the folder `LIVES`, answers `/readyz`, and then

- `serve` waits for SIGTERM; `stubborn` ignores it; `die N` exits when the file `die` is in its folder
- `unready` answers 503; `flood` writes without end; `exit N` exits at once
- `fork` leaves two children, of which one is in a session of its own; `daemon` one whose parent is gone,
  and `generations` three, each the parent of the next and in a session of its own
"""

from __future__ import annotations

import http.server
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path


class _Probe(http.server.BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def _mark() -> None:
    folder = Path(os.environ["LIVES"])
    (folder / f"{os.environ['KAGENT_NAME']}.{os.getpid()}").touch()


def _fork() -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    for own_session in (False, True):
        child = subprocess.Popen(sleeper, start_new_session=own_session)
        (Path(os.environ["LIVES"]) / f"{os.environ['KAGENT_NAME']}.{child.pid}").touch()


def _leave_a_daemon() -> None:
    """A child of a child that ended, in a session of its own."""
    again = "import subprocess, sys; print(subprocess.Popen(sys.argv[1:],\
 stdout=2, start_new_session=True).pid)"
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    told = subprocess.run([sys.executable, "-c", again, *sleeper], stdout=subprocess.PIPE, check=False).stdout
    (Path(os.environ["LIVES"]) / f"daemon.{int(told)}").touch()


def _leave_generations() -> None:
    again = """if True:
        import os, pathlib, subprocess, sys, time
        left = int(sys.argv[2])
        if left:
            command = [sys.executable, "-c", sys.argv[1], sys.argv[1], str(left - 1)]
            subprocess.Popen(command, start_new_session=True)
        pathlib.Path(os.environ["LIVES"], f"daemon.{os.getpid()}").touch()
        time.sleep(600)
    """
    subprocess.Popen([sys.executable, "-c", again, again, "2"], start_new_session=True)
    while len(list(Path(os.environ["LIVES"]).glob("daemon.*"))) < 3:
        time.sleep(0.01)


def main(behaviour: str, *more: str) -> None:
    if behaviour == "exit":
        print("the last words\x1b[31m", flush=True)
        sys.exit(int(more[0]))
    _mark()
    if behaviour == "fork":
        _fork()
    if behaviour == "daemon":
        _leave_a_daemon()
    if behaviour == "generations":
        _leave_generations()
    if behaviour == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if behaviour == "unready":
        _Probe.status = 503
        print("503", flush=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["KAGENT_READYZ_PORT"])), _Probe)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        if behaviour == "flood":
            sys.stdout.write("x" * 100 + "\n")
        elif behaviour == "die" and Path("die").exists():
            print(f"gone with {os.environ.get('API_KEY', '')}", flush=True)
            os._exit(int(more[0]))
        else:
            time.sleep(0.01)


if __name__ == "__main__":
    main(*sys.argv[1:])
