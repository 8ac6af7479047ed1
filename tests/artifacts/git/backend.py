"""`git http-backend` behind a small threaded server; also a program of its own, for measurements."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from base64 import b64encode
from pathlib import Path

from tests.parts import missing, program
from tests.servers import Answer, Request, ScriptedServer


def git_backend(
    root: Path, *, version_2: bool = True, login: str | None = None, pusher: str | None = None
) -> Answer:
    """Serve the repositories below `root`; `login` is `USER:PASSWORD`, which is then asked for.

    Whoever asks is the user `pusher`, whom Git lets push where `http.receivepack` does.
    """
    command = _program()

    def answer(request: Request) -> None:
        if login and request.headers["Authorization"] != f"Basic {b64encode(login.encode()).decode()}":
            request.reply(b"who are you?", 401, WWW_Authenticate='Basic realm="git"')
            return
        variables = _cgi(request, root, version_2=version_2)
        if pusher:
            variables["REMOTE_USER"] = pusher
        done = subprocess.run(command, input=request.body, capture_output=True, env=variables)
        # One write: two small ones wait for each other in the kernel.
        request.wfile.write(_http(done.stdout))
        request.wfile.flush()

    return answer


@functools.cache
def _program() -> str:
    """Git's own CGI program, which some systems package apart from Git."""
    done = subprocess.run([program("git"), "--exec-path"], capture_output=True, check=True, text=True)
    found = Path(done.stdout.strip()) / "git-http-backend"
    if not found.exists():
        missing("no `git http-backend` beside Git")
    return str(found)


def _cgi(request: Request, root: Path, *, version_2: bool) -> dict[str, str]:
    path, _, query = request.path.partition("?")
    variables = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "REQUEST_METHOD": request.command,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": request.headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
    }
    if version_2:
        variables["GIT_PROTOCOL"] = request.headers.get("Git-Protocol", "")
    return variables


def _http(output: bytes) -> bytes:
    """A CGI program's output as an HTTP answer."""
    head, _, body = output.partition(b"\r\n\r\n")
    status = "200 OK"
    lines = []
    for line in head.decode().splitlines():
        name, _, value = line.partition(": ")
        if name == "Status":
            status = value
        else:
            lines.append(line)
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join((f"HTTP/1.1 {status}", *lines, "", "")).encode() + body


def main() -> None:
    """Serve the folder that is named until stdin ends; the URL is the first line of stdout."""
    with ScriptedServer(git_backend(Path(sys.argv[1]))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(server.url, flush=True)
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
