"""The whole service with callers who prove who they are: what each sees, and what is written of them."""

from __future__ import annotations

import hashlib
import json
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.apply.cli.real_server import AGENT, NEWEST, Running, answer, commit, running, wait_for
from tests.apply.cli.test_starting import free_address
from tests.apply.observability.collector import Collector, collecting
from tests.running import Run

pytestmark = pytest.mark.process

TOKENS = {name: hashlib.sha256(f"token of {name}".encode()).hexdigest() for name in ("ann", "bob", "eve")}
WRITTEN = ("stderr.log", "audit.log", "store.sqlite", "store.sqlite-wal")
POLICY = """\
apiVersion: apply.kagent.dev/v1alpha1
kind: AccessPolicy
spec:
  rules:
  - subjects: {subjects}
    namespaces: ["*"]
    verbs: ["*"]
"""


@dataclass(frozen=True)
class Files:
    """What an operator writes, and the token files of callers."""

    folder: Path

    def token_list(self, *subjects: str) -> Path:
        entries = "".join(f"  - subject: {name}\n    token: {TOKENS[name]}\n" for name in subjects)
        return self.write(
            "tokens", f"apiVersion: apply.kagent.dev/v1alpha1\nkind: TokenList\nspec:\n  tokens:\n{entries}"
        )

    def policy(self, *subjects: str) -> Path:
        return self.write("policy", POLICY.format(subjects=list(subjects)))

    def write(self, name: str, text: str) -> Path:
        partial = self.folder / f"{name}.new"
        partial.write_text(text)
        partial.chmod(0o600)
        return partial.replace(self.folder / name)

    def token(self, name: str) -> str:
        return str(self.write(f"token-{name}", TOKENS[name]))


def ask(server: Running, files: Files, name: str, *args: str) -> Run:
    """A command as one of the callers."""
    return server.call(*args, "-o", "json", "--token-file", files.token(name))


def reply(server: Running, files: Files, name: str, *args: str) -> Any:
    done = ask(server, files, name, *args)
    assert done.status == 0, done.err
    return json.loads(done.out)


def told(done: Run) -> str:
    assert done.status == 1, done.out
    return done.err


def everything_in(folder: Path, *expected: str) -> bytes:
    """All files of a folder, among which some have to be."""
    found = [path for path in folder.rglob("*") if path.is_file()]
    assert {*expected} <= {path.name for path in found}
    return b"".join(path.read_bytes() for path in found)


def process_list(server: Running) -> bytes:
    """What other users of the machine can see of a process."""
    place = Path("/proc") / str(server.process.pid)
    return (place / "cmdline").read_bytes() + (place / "environ").read_bytes()


def spans_of(collector: Collector) -> bytes:
    """Everything that a collector was sent."""
    return b"".join(span.SerializeToString() for span in collector.spans) + repr(collector.resources).encode()


def test_others_find_nothing_and_no_token_is_written_anywhere(tmp_path: Path) -> None:
    files, repository, probes = Files(tmp_path), commit(tmp_path / "repository", NEWEST), free_address()
    run = tmp_path / "run"
    args = (
        *("--repo", str(repository), "--echo", "--log-level", "debug", "--audit", str(run / "audit.log")),
        *("--tokens", str(files.token_list("ann", "bob")), "--policy", str(files.policy("ann", "bob"))),
        *("--metrics-listen", probes),
    )
    with collecting() as collector:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.port}"}
        with running(run, *args, env={**env, "OTEL_BSP_SCHEDULE_DELAY": "100"}) as server:
            made = reply(server, files, "ann", "create", *AGENT)["agentInstance"]["id"]
            named = ("-n", "agent-team", made)
            shared = reply(server, files, "ann", "share", "create", *named)
            errors = _denied(server, files, named, shared["share"]["id"])
            share = shared["token"]
            presented = server.call("get", *named, "--token-file", str(files.write("token-share", share)))
            errors += told(presented)
            assert "UNAUTHENTICATED" in presented.err
            assert reply(server, files, "ann", "get", *named)["agentInstance"]["creator"] == "ann"
            wait_for(lambda: any("Delete" in span.name for span in collector.spans))
            seen = process_list(server) + answer(probes, "/metrics")[1].encode()
            seen += answer(probes, "/readyz")[1].encode() + everything_in(run, *WRITTEN) + errors.encode()
            assert server.end(signal.SIGTERM) == 0
        seen += spans_of(collector) + everything_in(run, *WRITTEN[:3])
    assert b"CreateAgentInstanceShare" in seen, "what is looked through has what happened"
    for secret in (*TOKENS.values(), share):
        assert secret.encode() not in seen
    audit = [json.loads(line) for line in (run / "audit.log").read_text().splitlines()]
    assert {(line["subject"], line["status"]) for line in audit} >= {
        ("ann", "OK"),
        ("bob", "NOT_FOUND"),
        ("", "UNAUTHENTICATED"),
    }


def _denied(server: Running, files: Files, named: tuple[str, ...], share: str) -> str:
    """What each call says to another user who is allowed everything with own instances."""
    found = [
        told(ask(server, files, "bob", *command))
        for command in (
            ("get", *named),
            ("suspend", *named),
            ("resume", *named),
            ("delete", *named),
            ("share", "create", *named),
            ("share", "list", *named),
            ("share", "revoke", "-n", "agent-team", share),
        )
    ]
    assert all("NOT_FOUND" in text or "there is no such" in text for text in found), found
    assert "agentInstances" not in reply(server, files, "bob", "list", "-n", "agent-team")
    return "".join(found)


def test_sighup_reads_everything_again_and_what_is_broken_changes_nothing(tmp_path: Path) -> None:
    files, repository = Files(tmp_path), commit(tmp_path / "repository", NEWEST)
    args = (
        "--repo",
        str(repository),
        "--echo",
        "--poll",
        "3600",
        "--policy",
        str(files.policy("ann", "bob")),
    )
    with running(tmp_path / "run", *args, "--tokens", str(files.token_list("ann"))) as server:
        listing = ("list", "-n", "agent-team")
        assert ask(server, files, "ann", *listing).status == 0
        assert "UNAUTHENTICATED" in told(ask(server, files, "bob", *listing))
        files.token_list("ann", "bob")
        _hang_up(server, 1)
        wait_for(lambda: ask(server, files, "bob", *listing).status == 0)
        files.write("tokens", "spec: [")
        files.policy("bob")
        _hang_up(server, 2)
        server.until("tokens:[0-9]+: ")
        wait_for(lambda: "PERMISSION_DENIED" in ask(server, files, "ann", *listing).err)
        assert ask(server, files, "bob", *listing).status == 0, "the tokens before go on"
        files.write("policy", "x")
        (repository / "rendered" / "kustomization.yaml").unlink()
        commit(repository)
        _hang_up(server, 3)
        server.until("policy:[0-9]+: ")
        assert ask(server, files, "bob", *listing).status == 0, "the policy before goes on"
        server.until("another commit was read", times=2)
        (repository / ".git").rename(repository / "away")
        _hang_up(server, 4)
        server.until("the ref cannot be read")
        assert ask(server, files, "bob", *listing).status == 0
        assert server.end(signal.SIGTERM) == 0
    assert not any(secret in server.said for secret in TOKENS.values())


def _hang_up(server: Running, times: int) -> None:
    server.process.send_signal(signal.SIGHUP)
    server.until("SIGHUP: reading everything again", times=times)
