"""With what the service does not start, and without what it does: one message each, and nothing secret."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.apply.cli.real_server import (
    AGENT,
    NEWEST,
    PATIENCE,
    Running,
    answer,
    commit,
    refused,
    running,
    wait_for,
)
from tests.parts import program
from tests.postgresql import PostgreSQL

pytestmark = pytest.mark.process

SECRET = "hunter2-is-no-password"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return commit(tmp_path_factory.mktemp("repository"), NEWEST)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that cannot be used for what they are given for."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "text").write_text(f"{SECRET}\n" * 20)
    (folder / "tokens").write_text(f"kind: TokenList\nspec:\n  tokens:\n  - token: {SECRET}\n")
    (folder / "tokens").chmod(0o600)
    for name in ("one", "other"):
        issued = trustme.CA().issue_cert("localhost")
        issued.cert_chain_pems[0].write_to_path(str(folder / f"{name}.crt"))
        issued.private_key_pem.write_to_path(str(folder / f"{name}.key"))
    return folder


REFUSED = [
    (
        ("--state", "FILES/text"),
        "`FILES/text` cannot be used: file exists",
        "see to its path, mode and owner",
    ),
    (
        ("--store", "sqlite:///FILES/text"),
        "the file of the store is no SQLite database, is damaged, or cannot be written",
        "give another path with `sqlite:///PATH`, or restore the file from a backup",
    ),
    (
        ("--store", f"postgresql://kagent:{SECRET}@127.0.0.1:1/kagent"),
        "the PostgreSQL server of the store cannot be reached or does not let this user in",
        "see that it runs, and that host, port, database, user and password of the store are right",
    ),
    (
        ("--tokens", "FILES/none"),
        "`FILES/none:1`: the file cannot be read: no such file or directory",
        "see to its path and mode",
    ),
    (("--tokens", "FILES/text"), "`FILES/text:1`: others than its owner and group may read the file", ""),
    (("--tokens", "FILES/tokens"), "`FILES/tokens:", ""),
    (("--policy", "FILES/text"), "`FILES/text:1`: ", ""),
    (("--commands", "FILES/none"), "`FILES/none` cannot be used: no such file or directory", ""),
    (
        ("--audit", "FILES/none/audit.log"),
        "the audit log cannot be opened: no such file or directory",
        "see to its folder and mode; links are not followed",
    ),
    (
        ("--tls-cert", "FILES/none", "--tls-key", "FILES/one.key"),
        "`FILES/none` cannot be read: no such file or directory",
        "see to its path and mode",
    ),
    (
        ("--tls-cert", "FILES/text", "--tls-key", "FILES/text"),
        "the server's certificate and key cannot be used",
        "give a chain in `--tls-cert`, its key without a password in `--tls-key`, and PEM in all files",
    ),
    (
        ("--tls-cert", "FILES/one.crt", "--tls-key", "FILES/other.key"),
        "the server's certificate and key cannot be used",
        "give a chain in `--tls-cert`, its key without a password in `--tls-key`, and PEM in all files",
    ),
    (
        ("--substrate", "dns:///127.0.0.1:1", "--substrate-ca", "FILES/none"),
        "`FILES/none` cannot be read: No such file or directory",
        "see that the file is there, and that this service may read it",
    ),
    (
        ("--repo", f"https://ann:{SECRET}@[agents/x"),
        "the URL of the repository cannot be read: use an `https://` URL, or a clone on this machine",
        "",
    ),
    (
        ("--repo", f"https://ann:{SECRET}@example.com/x"),
        "`https://example.com/x` is no URL of a repository without credentials in it",
        "",
    ),
    (("--repo", "git@example.com:agents"), "the repository is neither a folder here nor a URL: ", ""),
]


@pytest.mark.parametrize(("given", "message", "hint"), REFUSED, ids=[" ".join(row[0][:2]) for row in REFUSED])
def test_it_does_not_start_with_what_cannot_be_used(
    tmp_path: Path, repository: Path, files: Path, given: tuple[str, ...], message: str, hint: str
) -> None:
    args = [text.replace("FILES", str(files)) for text in given]
    told = refused("--repo", str(repository), "--state", str(tmp_path), *args)
    lines = told.splitlines()
    assert lines[0].startswith(f"error: {message}".replace("FILES", str(files)))
    assert lines[1:2] == ([f"  hint: {hint}"] if hint else lines[1:2])
    assert len(lines) == 2 * told.count("error: ") or not lines[1:]
    assert SECRET not in told


@pytest.mark.server
def test_a_wrong_password_is_told_without_it(
    tmp_path: Path, repository: Path, postgresql_server: PostgreSQL
) -> None:
    store = postgresql_server.url(password=SECRET)
    told = refused("--repo", str(repository), "--state", str(tmp_path), "--store", store)
    assert told.startswith("error: the PostgreSQL server of the store cannot be reached or does not let")
    assert SECRET not in told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--state", "FOLDER/state"), "`FOLDER/state` cannot be used: permission denied"),
        (("--store", "sqlite:///FOLDER/s.db"), "the file of the store cannot be used: Permission denied"),
    ],
)
def test_a_folder_that_cannot_be_written_is_told(
    tmp_path: Path, repository: Path, given: tuple[str, str], told: str
) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o555)
    args = [text.replace("FOLDER", str(folder)) for text in given]
    # Root may write everywhere, unless this is taken from it.
    wrapper = (program("setpriv"), "--bounding-set=-dac_override", "--inh-caps=-dac_override")
    is_root = os.geteuid() == 0
    with running(
        tmp_path / "run", "--repo", str(repository), *args, wrapper=wrapper if is_root else ()
    ) as server:
        assert server.process.wait(PATIENCE) == 2
    lines = server.said[server.said.index("error: ") :].splitlines()
    assert (lines[0], len(lines)) == (f"error: {told}".replace("FOLDER", str(folder)), 2)


def test_a_port_that_is_taken_is_told(tmp_path: Path, repository: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for flag in ("--listen", "--metrics-listen"):
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            told = refused("--repo", str(repository), "--state", str(tmp_path), "--echo", flag, address)
            hint = f"see whether another program listens there, or give another address in `{flag}`"
            assert told == f"error: `{address}` cannot be listened on\n  hint: {hint}\n"


def test_one_store_is_for_one_process(tmp_path: Path, repository: Path) -> None:
    args = ("--repo", str(repository), "--echo", "--state", str(tmp_path / "state"))
    with running(tmp_path / "first", *args) as first:
        assert first.address
        told = refused(*args)
        assert told.startswith("error: another process has the store open\n  hint: end that process, or ")


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"127.0.0.1:{taken.getsockname()[1]}"


UNREAD = [
    (("--repo", "NONE"), r"there is no folder `NONE`"),
    (("--repo", "REPO", "--ref", "nobody"), r"`nobody` of `REPO` does not exist"),
    (("--repo", "https://127.0.0.1:1/agents"), r"cannot be read: the connection failed"),
]


@pytest.mark.parametrize(("given", "problem"), UNREAD, ids=[row[1] for row in UNREAD])
def test_it_starts_without_the_ref_and_says_so(
    tmp_path: Path, repository: Path, given: tuple[str, ...], problem: str
) -> None:
    names = {"NONE": str(tmp_path / "none"), "REPO": str(repository)}
    args = [names.get(text, text) for text in given]
    for name, path in names.items():
        problem = problem.replace(name, path)
    probes = free_address()
    with running(tmp_path, *args, "--echo", "--metrics-listen", probes) as server:
        assert "agentInstances" not in server.reply("list", "-n", "agent-team")
        server.until("the ref cannot be read, and is tried again")
        assert problem in server.reply("revisions")["problem"]
        done = server.call("create", *AGENT)
        assert (done.status, "no revision of `agent-team/" in done.err) == (1, True)
        status, text = answer(probes, "/readyz")
        found = json.loads(text)
        assert (status, found["missing"]) == (503, {"revisions": "the ref has not been read since the start"})
        assert problem in found["problems"]["ref"]
        assert server.end(signal.SIGTERM) == 0


def _limited(size: int) -> tuple[str, ...]:
    """Starts a program whose files have at most so many bytes; a fork in this process would disturb gRPC."""
    return ("sh", "-c", f'ulimit -f {size // 512}; exec "$@"', "sh")


def _created(server: Running) -> Iterator[str]:
    """The ids of instances, until none can be stored any more."""
    for number in range(2_000):
        done = server.call("create", *AGENT, "--request-id", f"r{number}", "-o", "json", "--timeout", "5")
        if done.status:
            assert "INTERNAL" in done.err, done.err
            return
        yield json.loads(done.out)["agentInstance"]["id"]
    raise AssertionError("the disk is never full")


def _under_way(server: Running) -> list[str]:
    found = server.reply("list", "-n", "agent-team")["agentInstances"]
    return [instance["id"] for instance in found if "operation" in instance]


def test_a_full_disk_stops_changes_and_nothing_else(tmp_path: Path, repository: Path) -> None:
    args = ("--repo", str(repository), "--echo", "--state", str(tmp_path / "state"))
    with running(tmp_path / "first", *args, wrapper=_limited(400_000)) as server:
        made = list(_created(server))
        assert made
        assert server.reply("get", "-n", "agent-team", made[0])["agentInstance"]["state"].endswith("READY")
        assert server.process.poll() is None
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) in {0, -signal.SIGTERM}
        assert "Traceback" not in server.said
    with running(tmp_path / "second", *args) as server:
        for number, instance in enumerate(made):
            again = server.reply("create", *AGENT, "--request-id", f"r{number}")
            assert again["agentInstance"]["id"] == instance
        after = server.reply("create", *AGENT, "--request-id", f"r{len(made)}")
        assert after["agentInstance"]["state"].endswith("READY")
        wait_for(lambda: not _under_way(server))
