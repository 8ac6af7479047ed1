"""A Substrate that turns against the service: nobody is told what is not so, and no Actor is made twice."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from kagent_render.target.messages import ateapi_pb2 as api
from tests.apply.cli.real_server import AGENT, NEWEST, Running, commit, running, wait_for
from tests.apply.cli.test_substrates import serves
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.serving import Served, serve

pytestmark = pytest.mark.process

MIB = 1 << 20
MOST = 350 * MIB
"""What the process may have in memory at any time; it has 100 MiB of its own."""

Speak = Callable[[socket.socket], None]
"""What a server does with a connection in place of Substrate."""


class Switch:
    """Connections to Substrate, or to whoever stands in its place."""

    def __init__(self, target: int) -> None:
        self._honest = self.to(target)
        self._speak = self._honest
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.taken = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def turn(self, speak: Speak | None) -> None:
        """Cut every connection, and let the next ones have another at their end."""
        self._speak, self.taken = speak or self._honest, 0
        ended, self._open = self._open, []
        for end in ended:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()
        self.turn(None)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                self.taken += 1
                self._open.append(near)
                threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def to(self, port: int) -> Speak:
        """Hand everything on to a port."""

        def speak(near: socket.socket) -> None:
            with socket.create_connection(("127.0.0.1", port)) as far:
                self._open.append(far)
                back = threading.Thread(target=_hand_on, args=(far, near), daemon=True)
                back.start()
                _hand_on(near, far)
                back.join()

        return speak

    def _serve(self, near: socket.socket) -> None:
        with near, contextlib.suppress(OSError):
            self._speak(near)


def _hand_on(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while content := one.recv(65536):
            other.sendall(content)
        other.shutdown(socket.SHUT_WR)


@dataclass
class Scene:
    """A service before a Substrate that can turn."""

    server: Running
    control: NewestControl
    served: Served
    switch: Switch

    def create(self, request: str, seconds: float = 90) -> Any:
        """What one attempt gives: the instance, or what was said of why there is none."""
        done = self.server.call(
            "create", *AGENT, "--request-id", request, "--timeout", str(seconds), "-o", "json"
        )
        return done.err if done.status else json.loads(done.out)["agentInstance"]

    def most(self) -> int:
        """The most memory that the process ever had, in bytes."""
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        match = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert match is not None
        return int(match[1]) << 10

    def heal(self) -> None:
        """Substrate is as it should be."""
        self.control.changed.clear()
        self.control.faults.clear()
        self.control.ends.update(ResumeActor=api.ACTOR_STATE_RUNNING, SuspendActor=api.ACTOR_STATE_SUSPENDED)
        self.served.raw.clear()
        self.served.packed = False
        self.switch.turn(None)


@contextmanager
def _scene(folder: Path, credentials: Any, *flags: str) -> Iterator[Scene]:
    control = NewestControl()
    repository = commit(folder / "repository", NEWEST)
    with serve(control, credentials) as (served, port), contextlib.closing(Switch(port)) as switch:
        args = ("--repo", str(repository), "--substrate", f"dns:///localhost:{switch.port}", *flags)
        with running(folder / "run", *args) as server:
            yield Scene(server, control, served, switch)
            assert "Traceback" not in server.said
            assert '"level":"error"' not in server.said.replace(" ", "")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One service for all tests here, in clear text."""
    with _scene(tmp_path_factory.mktemp("hostile"), None, "--substrate-plaintext") as made:
        wait_for(lambda: serves(made.server))
        yield made


def frame(kind: int, flags: int, stream: int, content: bytes = b"") -> bytes:
    """A frame of HTTP/2 (RFC 9113 §4.1)."""
    return len(content).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + content


HEADERS, SETTINGS, PING, GOAWAY, CONTINUATION = 1, 4, 6, 7, 9
SETTLED = frame(SETTINGS, 0, 0) + frame(SETTINGS, 1, 0)
FIELD = b"\x00\x04name\x64" + b"x" * 100
"""A header that is not kept (RFC 7541 §6.2.2)."""


def goes_away(near: socket.socket) -> None:
    near.recv(65536)
    near.sendall(SETTLED + frame(GOAWAY, 0, 0, bytes(4) + (11).to_bytes(4, "big") + b"too_many_pings"))


def silence(near: socket.socket) -> None:
    while near.recv(65536):
        pass


def headers_without_end(near: socket.socket) -> None:
    near.recv(65536)
    near.sendall(SETTLED + frame(HEADERS, 0, 1, b"\x88" + FIELD * 100))
    while True:
        near.sendall(frame(CONTINUATION, 0, 1, FIELD * 100))


def pings_without_end(near: socket.socket) -> None:
    """And what they are answered with is not read."""
    near.recv(65536)
    near.sendall(SETTLED)
    while True:
        near.sendall(frame(PING, 0, 0, bytes(8)) * 1000)


def settings_without_end(near: socket.socket) -> None:
    near.recv(65536)
    while True:
        near.sendall(frame(SETTINGS, 0, 0) * 1000)


def noise(near: socket.socket) -> None:
    near.recv(65536)
    while True:
        near.sendall(b"HTTP/1.1 200 OK\r\n\r\n" * 1000)


SPEAKERS = [
    goes_away,
    silence,
    headers_without_end,
    pings_without_end,
    settings_without_end,
    noise,
]


@pytest.mark.parametrize("speak", SPEAKERS)
def test_who_does_not_speak_as_a_server_is_no_answer(scene: Scene, speak: Speak) -> None:
    scene.switch.turn(speak)
    assert isinstance(scene.create(speak.__name__, 3), str)
    assert scene.switch.taken < 100
    assert scene.most() < MOST
    scene.heal()
    lives(scene, speak.__name__)


def lives(scene: Scene, request: str) -> None:
    """An instance is carried on to be ready with its two Actors, and nothing of it stays at its end."""
    made = scene.create(request)
    assert made["state"].endswith("READY"), made
    assert _actors(scene, made) == {f"ai-{made['id']}", f"ai-{made['id']}-1"}
    ends(scene, made)


def ends(scene: Scene, made: Any) -> None:
    """An instance can be deleted, and nothing stays of it."""
    deleted = scene.server.reply("delete", "-n", "agent-team", made["id"])
    assert deleted["agentInstance"]["state"].endswith("DELETED")
    assert _actors(scene, made) == set()


def _actors(scene: Scene, made: Any) -> set[str]:
    return {name for _, name in scene.control.actors if made["id"] in name}


def _raw(method: str, size: int, *, packed: bool = False) -> Callable[[Scene], None]:
    def turn(scene: Scene) -> None:
        scene.served.raw[method], scene.served.packed = bytes(size), packed

    return turn


def _changed(method: str, change: Callable[[Any], None]) -> Callable[[Scene], None]:
    def turn(scene: Scene) -> None:
        scene.control.changed[method] = change

    return turn


def _name(reply: Any) -> None:
    reply.metadata.name = "somebody-else"


def _no_uid(reply: Any) -> None:
    reply.metadata.uid = ""


def _odd_uid(reply: Any) -> None:
    reply.metadata.uid = "a\x1b[31m\nlevel=error"


def _another_uid(reply: Any) -> None:
    reply.actor.metadata.uid = "uid-of-another"


def _template(reply: Any) -> None:
    reply.actor_template.name = "another-template"


def _state(reply: Any) -> None:
    (reply.actor if hasattr(reply, "actor") else reply).status.state = 99


AGAIN: dict[str, Callable[[Scene], None]] = {
    "a reply of 100 MiB": _raw("GetActorTemplate", 100 * MIB),
    "a reply that expands": _raw("GetActorTemplate", 256 * MIB, packed=True),
    "an unknown state": _changed("GetActor", _state),
    "the name of another template": _changed("GetActorTemplate", _name),
}
"""After which the same is asked for again."""


@pytest.mark.parametrize("case", AGAIN)
def test_what_says_nothing_is_asked_for_again(scene: Scene, case: str) -> None:
    AGAIN[case](scene)
    assert isinstance(scene.create(case, 3), str)
    assert scene.most() < MOST
    scene.heal()
    lives(scene, case)


LOOKED_AT: dict[str, Callable[[Scene], None]] = {
    "a reply of 100 MiB": _raw("CreateActor", 100 * MIB),
    "a reply that expands": _raw("ResumeActor", 256 * MIB, packed=True),
    "an unknown state of a new Actor": _changed("CreateActor", _state),
    "an unknown state of one that runs": _changed("ResumeActor", _state),
    "the UID of another that runs": _changed("ResumeActor", _another_uid),
    "the name of another Actor": _changed("CreateActor", _name),
    "no UID": _changed("CreateActor", _no_uid),
    "a UID that is none": _changed("CreateActor", _odd_uid),
}
"""After which a look tells what is so."""


@pytest.mark.parametrize("case", LOOKED_AT)
def test_what_a_change_replies_is_looked_after(scene: Scene, case: str) -> None:
    LOOKED_AT[case](scene)
    lives(scene, f"looked-at {case}")
    assert scene.most() < MOST
    scene.heal()


NEVER: dict[str, Callable[[Scene], None]] = {
    "an Actor of another template": _changed("CreateActor", _template),
}
"""After which nothing that the server says of the instance is believed."""


@pytest.mark.parametrize("case", NEVER)
def test_what_is_of_another_is_never_taken_for_the_own(scene: Scene, case: str) -> None:
    NEVER[case](scene)
    refused = scene.create(case)
    assert isinstance(refused, str)
    assert all(line.isprintable() for line in refused.splitlines())
    (made,) = scene.server.reply("list", "-n", "agent-team")["agentInstances"]
    assert made["state"].endswith("FAILED")
    scene.heal()
    assert "is `FAILED`" in scene.create(case)  # and stays so
    ends(scene, made)


def _credentials(ca: trustme.CA, name: str) -> grpc.ServerCredentials:
    issued = ca.issue_cert(name)
    pair = (issued.private_key_pem.bytes(), issued.cert_chain_pems[0].bytes())
    return grpc.ssl_server_credentials([pair], ca.cert_pem.bytes(), require_client_auth=True)


def _authority(folder: Path) -> tuple[trustme.CA, tuple[str, ...]]:
    """An authority, and the flags of a service that it has given a certificate."""
    ca = trustme.CA()
    ours = ca.issue_cert("apply.example")
    ca.cert_pem.write_to_path(str(folder / "ca.pem"))
    ours.private_key_and_cert_chain_pem.write_to_path(str(folder / "own.pem"))
    own = str(folder / "own.pem")
    return ca, (
        *("--substrate-ca", str(folder / "ca.pem")),
        *("--substrate-cert", own, "--substrate-key", own),
    )


def test_nobody_is_talked_to_who_does_not_show_the_right_certificate(tmp_path: Path) -> None:
    ca, flags = _authority(tmp_path)
    impostor = NewestControl()
    with (
        _scene(tmp_path, _credentials(ca, "localhost"), "--drain", "1", *flags) as scene,
        serve(impostor, _credentials(ca, "other.example")) as (_, port),
    ):
        wait_for(lambda: serves(scene.server))
        for at, speak in enumerate((silence, noise, scene.switch.to(port))):
            scene.switch.turn(speak)
            assert isinstance(scene.create(f"r{at}", 3), str)
            scene.heal()
            lives(scene, f"r{at}")
        assert not impostor.calls
        scene.switch.turn(silence)
        assert isinstance(scene.create("last", 3), str)
        assert scene.server.end(signal.SIGTERM) == 0
