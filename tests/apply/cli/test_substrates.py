"""The whole service before a Substrate of another process: each generation, in clear text and with TLS."""

from __future__ import annotations

import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
import trustme

from kagent_apply.embedded.opening import open_echo
from kagent_apply.embedded.serving import serve_control
from tests.apply.cli.calling import call
from tests.apply.cli.real_server import AGENT, JUNE, NEWEST, PATIENCE, Running, commit, running, wait_for
from tests.apply.substrate.fake_control import HANG, FakeControl
from tests.apply.substrate.june_control import JuneControl
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.serving import Served, serve

pytestmark = pytest.mark.process

ROOT = "incident-coordinator"


@dataclass(frozen=True)
class Generation:
    """A Substrate, and the examples that are rendered for it and for the other."""

    target: str
    right: Path
    wrong: Path
    told: str


GENERATIONS = {
    "newest, embedded": Generation(
        "ateapi/v0.4",
        NEWEST,
        JUNE,
        "the revision is for `ate.dev/v1alpha1`, and Substrate is of `ateapi/v0.4`",
    ),
    "newest, TLS": Generation(
        "ateapi/v0.4.0-alpha1",
        NEWEST,
        JUNE,
        "the revision is for `ate.dev/v1alpha1`, and Substrate is of `ateapi/v0.4.0-alpha1`",
    ),
    "june": Generation(
        "ate.dev/v1alpha1",
        JUNE,
        NEWEST,
        "the revision is for `ateapi/v0.4`, and Substrate is of `ate.dev/v1alpha1`",
    ),
    "june, TLS": Generation(
        "ate.dev/v1alpha1",
        JUNE,
        NEWEST,
        "the revision is for `ateapi/v0.4`, and Substrate is of `ate.dev/v1alpha1`",
    ),
}


@contextmanager
def _substrate(name: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """A Substrate that is served, and the settings that reach it."""
    if name == "newest, embedded":
        control = open_echo(folder / "control")
        server, port = serve_control(control, "127.0.0.1:0")
        try:
            yield ("--substrate", f"dns:///127.0.0.1:{port}", "--substrate-plaintext")
        finally:
            server.stop(None).wait()
            control.close()
        return
    fake: FakeControl = JuneControl() if "june" in name else NewestControl()
    if "TLS" not in name:
        with serve(fake) as (_, port):
            yield ("--substrate", f"dns:///127.0.0.1:{port}", "--substrate-plaintext")
        return
    credentials, files = certificates(folder)
    with serve(fake, credentials) as (served, port):
        yield ("--substrate", f"dns:///localhost:{port}", *files)
    assert set(served.peers) == {"apply.example"}


def certificates(folder: Path) -> tuple[grpc.ServerCredentials, tuple[str, ...]]:
    """Credentials of a server that asks for a certificate, and the flags of a client that has one."""
    ca = trustme.CA()
    ours, theirs = ca.issue_cert("localhost"), ca.issue_cert("apply.example")
    paths = [str(folder / name) for name in ("ca.pem", "client.pem", "client-key.pem")]
    for pem, path in zip(
        (ca.cert_pem, theirs.cert_chain_pems[0], theirs.private_key_pem), paths, strict=True
    ):
        pem.write_to_path(path)
    pair = (ours.private_key_pem.bytes(), ours.cert_chain_pems[0].bytes())
    credentials = grpc.ssl_server_credentials([pair], ca.cert_pem.bytes(), require_client_auth=True)
    flags = ("--substrate-ca", "--substrate-cert", "--substrate-key")
    return credentials, tuple(text for both in zip(flags, paths, strict=True) for text in both)


def serves(server: Running) -> bool:
    return bool(server.pairs().get(ROOT, {}).get("serving"))


def _state(server: Running, *args: str) -> str:
    return str(server.reply(*args)["agentInstance"]["state"]).removeprefix("AGENT_INSTANCE_STATE_")


def lives(server: Running) -> None:
    """One instance, from its beginning to its end."""
    made = server.reply("create", *AGENT)["agentInstance"]
    assert made["state"].endswith("READY")
    named = ("-n", "agent-team", made["id"])
    for command, state in (("suspend", "SUSPENDED"), ("resume", "READY"), ("delete", "DELETED")):
        assert _state(server, command, *named) == state
    assert "agentInstances" not in server.reply("list", "-n", "agent-team")


@pytest.mark.parametrize("name", GENERATIONS)
def test_a_substrate_runs_what_is_rendered_for_its_generation(tmp_path: Path, name: str) -> None:
    """At first all is rendered for the other, until a commit puts that right, and SIGHUP has it read."""
    generation, repository = GENERATIONS[name], commit(tmp_path / "repository", GENERATIONS[name].wrong)
    with _substrate(name, tmp_path) as flags:
        args = ("--repo", str(repository), "--target", generation.target, "--poll", "3600", *flags)
        with running(tmp_path / "run", *args) as server:
            server.until("some pairs do not serve what is committed")
            pairs = server.pairs()
            assert {pair["problem"] for pair in pairs.values()} == {
                f"Substrate refuses it: {generation.told}"
            }
            assert not [pair for pair in pairs.values() if pair.get("serving")]
            done = server.call("create", *AGENT)
            assert (done.status, generation.told in done.err) == (1, True)
            for kept in ("agents", "rendered"):
                shutil.rmtree(repository / kept)
            commit(repository, generation.right)
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: serves(server))
            lives(server)
            assert server.end(signal.SIGTERM) == 0


def test_a_server_of_another_generation_is_told_in_every_pair(tmp_path: Path) -> None:
    repository = commit(tmp_path / "repository", NEWEST)
    control = JuneControl()
    with serve(control) as (_, port):
        flags = ("--substrate", f"dns:///127.0.0.1:{port}", "--substrate-plaintext")
        with running(tmp_path / "run", "--repo", str(repository), *flags) as server:
            server.until("the server is not of the generation")
            assert not [pair for pair in server.pairs().values() if pair.get("serving")]
            assert server.call("create", *AGENT).status == 1
    assert not control.atespaces


def test_a_creation_that_is_under_way_at_the_end_goes_on_at_the_next_start(tmp_path: Path) -> None:
    repository = commit(tmp_path / "repository", NEWEST)
    control = NewestControl()
    with serve(control) as (served, port):
        flags = ("--substrate", f"dns:///127.0.0.1:{port}", "--substrate-plaintext")
        args = ("--repo", str(repository), "--state", str(tmp_path / "state"), "--drain", "1", *flags)
        with running(tmp_path / "first", *args) as server:
            wait_for(lambda: serves(server))
            _ends_within_a_creation(server, control, served)
            assert "ended: some operations were under way" in server.said
        served.release.set()
        with running(tmp_path / "second", *args) as server:
            server.until("an operation that others began is carried on")
            wait_for(lambda: "READY" in str(server.reply("list", "-n", "agent-team")))
    assert control.calls.count("CreateActor") == len(control.actors)


def _ends_within_a_creation(server: Running, control: NewestControl, served: Served) -> None:
    control.fail("ResumeActor", HANG, forever=True)
    args = ("create", *AGENT, "--server", server.address, "--timeout", "20")
    asking = threading.Thread(target=call, args=args)
    asking.start()
    assert served.hanging.acquire(timeout=PATIENCE)
    assert server.end(signal.SIGTERM) == 0
    control.faults.clear()
    asking.join(PATIENCE)
