"""A Git server that turns against the service: what served goes on, memory is bounded, one line says why."""

from __future__ import annotations

import itertools
import json
import re
import signal
import threading
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.apply.cli.real_server import AGENT, NEWEST, PATIENCE, Running, running, wait_for
from tests.apply.revisions.world import Upstream, lock_of
from tests.artifacts.git.backend import git_backend
from tests.artifacts.git.packs import (
    BLOB,
    ID_DELTA,
    TREE,
    Objects,
    capabilities,
    entry,
    number,
    object_id,
    pack_of,
    packfile,
    pkt,
    speaking,
)
from tests.artifacts.git.repositories import Node, git
from tests.running import tree
from tests.servers import Answer, Request, ScriptedServer, drip, serving

pytestmark = pytest.mark.process

MIB = 1 << 20
MOST = 600 * MIB
"""What the process may have in memory: one answer of 256 MiB, what is made of it, and all else."""

ADVERTISED = "application/x-git-upload-pack-advertisement"
RESULT = "application/x-git-upload-pack-result"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nTransfer-Encoding: chunked\r\n\r\n"
OTHER = Objects()
COMMIT_ID = OTHER.add_files({"a": b"1"})


@dataclass
class Scene:
    """A service over a repository whose server turns against it."""

    server: Running
    upstream: Upstream
    remote: ScriptedServer
    honest: Answer
    before: int = 0

    def turn(self, answer: Answer) -> None:
        """Answer so from now on, and have the service ask."""
        Path(f"/proc/{self.server.process.pid}/clear_refs").write_text("5")
        self.remote.answer, self.before = answer, len(self.server.said)
        self.server.process.send_signal(signal.SIGHUP)

    def problem(self) -> str:
        return str(self.server.reply("revisions").get("problem", ""))

    def lines(self, text: str) -> list[str]:
        """What was said since then that holds a text."""
        found = [json.loads(line) for line in self.server.said[self.before :].splitlines()]
        return [str(line) for line in found if text in str(line)]

    def most(self) -> int:
        """The most memory that the process had since the server turned, in bytes."""
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        match = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert match is not None
        return int(match[1]) << 10

    def serves(self) -> bool:
        """Whether every pair serves what is committed."""
        pairs = self.server.pairs().values()
        return len(pairs) == 3 and all(pair.get("serving") and not pair.get("problem") for pair in pairs)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One service for all tests here, over a server that is honest at first."""
    place = tmp_path_factory.mktemp("hostile")
    upstream = Upstream.make(place / "served" / "r")
    upstream.git("config", "uploadpack.allowFilter", "true")
    upstream.commit(tree(NEWEST))
    honest = git_backend(place / "served")
    with serving(honest) as remote:
        args = ("--repo", f"{remote.url}/r", "--ref", "main", "--echo", "--poll", "3600")
        with running(place / "run", *args) as server:
            made = Scene(server, upstream, remote, honest)
            wait_for(made.serves)
            yield made
            assert "Traceback" not in server.said


@pytest.fixture
def turned(scene: Scene) -> Iterator[Scene]:
    """The same; afterwards the server is honest again, and is believed again."""
    yield scene
    scene.upstream.commit(tree(NEWEST))
    scene.turn(scene.honest)
    wait_for(lambda: not scene.problem() and scene.serves())


def ref_line() -> bytes:
    return pkt(f"{COMMIT_ID} refs/heads/main\n".encode())


def redirect(location: str) -> Answer:
    return lambda request: request.reply(b"", 302, Location=location)


def told_of(answer: Answer) -> Answer:
    """Protocol version 2, and an answer to every request for refs and objects."""
    return lambda request: (
        answer(request)
        if request.command == "POST"
        else request.reply(capabilities(), Content_Type=ADVERTISED)
    )


def pieces(method: str, kind: str, first: bytes, piece: Callable[[int], bytes]) -> Answer:
    """An answer without end to requests of one method; `piece` gives one after the other."""

    def answer(request: Request) -> None:
        if request.command != method:
            request.reply(capabilities(), Content_Type=ADVERTISED)
            return
        request.wfile.write(HEAD % kind.encode())
        try:
            for data in itertools.chain([first], map(piece, itertools.count())):
                request.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        except OSError:
            request.close_connection = True

    return answer


def objects(answer: Answer) -> Answer:
    """The ref names a commit; whoever wants its objects has another answer."""
    refs = ref_line() + b"0000"

    def both(request: Request) -> None:
        if b"ls-refs" in request.body:
            request.reply(refs, Content_Type=RESULT)
        else:
            answer(request)

    return both


def many(line: bytes) -> Callable[[int], bytes]:
    """A thousand lines, none of which was there before."""
    return lambda at: pkt(*(line % (at * 1000 + number) for number in range(1000)))


def large(band: bytes) -> Callable[[int], bytes]:
    piece = pkt(*[band + bytes(65_000)] * 10)
    return lambda _: piece


def trees_upon_trees(count: int) -> bytes:
    """A large tree, and deltas that each copy it and add some bytes: a few MiB that would be GiB."""
    base = b"".join(b"100644 %09d\0" % number + bytes(20) for number in range(1_000_000))
    name = bytes.fromhex(object_id(TREE, base))
    copies = [entry(ID_DELTA, copied(len(base), b"%06d" % number), base=name) for number in range(count)]
    return pack_of(*OTHER.entries, entry(TREE, base), *copies)


def copied(size: int, added: bytes) -> bytes:
    """All of a base of any size, and some bytes after it."""
    parts = [(at, min(0xFFFFFF, size - at)) for at in range(0, size, 0xFFFFFF)]
    copies = (b"\xff" + at.to_bytes(4, "little") + length.to_bytes(3, "little") for at, length in parts)
    return number(size) + number(size + len(added)) + b"".join(copies) + bytes([len(added)]) + added


def blobs_of_nothing() -> bytes:
    """A pack in which a little is said to be, and is, more than is read."""
    return pack_of(*OTHER.entries, entry(BLOB, bytes(130 * MIB)))


LIES: dict[str, tuple[Callable[[], Answer], str]] = {
    "a pack without end": (
        lambda: objects(pieces("POST", RESULT, pkt(b"packfile\n"), large(b"\1"))),
        "sends more than 256 MiB",
    ),
    "progress without end": (
        lambda: objects(pieces("POST", RESULT, pkt(b"packfile\n"), large(b"\2"))),
        "sends more than 256 MiB",
    ),
    "history without end": (
        lambda: objects(pieces("POST", RESULT, pkt(b"shallow-info\n"), many(b"shallow %040x" + b" " * 9000))),
        "sends more than 256 MiB",
    ),
    "refs without end": (
        lambda: pieces("POST", RESULT, ref_line(), many(b"%040x refs/heads/main-and-more")),
        "sends more than 16 MiB",
    ),
    "refs of an old server without end": (
        lambda: pieces("GET", ADVERTISED, pkt(b"0" * 40 + b" HEAD\0shallow\n"), many(b"%040x refs/heads/x")),
        "sends more than 16 MiB",
    ),
    "capabilities without end": (
        lambda: pieces("GET", ADVERTISED, pkt(b"version 2\n"), many(b"agent-%d=" + b"x" * 900)),
        "sends more than 16 MiB",
    ),
    "a ref that is none": (lambda: speaking(pkt(b"packfile\n") + b"0000"), "is not Git's protocol"),
    "trees upon trees": (
        lambda: objects(speaking(packfile(trees_upon_trees(15)))),
        "its folders have more than 64 MiB of names",
    ),
    "a file of nothing": (
        lambda: objects(speaking(packfile(blobs_of_nothing()))),
        "larger than 128 MiB",
    ),
    "a pack that expands": (
        lambda: objects(expanding()),
        "sends more than 256 MiB",
    ),
    "a redirect to a file": (lambda: redirect("file:///etc/passwd"), "to what is not a repository's URL"),
    "a redirect with a password": (
        lambda: redirect("http://ann:hunter2-secret@127.0.0.1:1/r/info/refs?service=git-upload-pack"),
        "to what is not a repository's URL",
    ),
}


def expanding() -> Answer:
    """A compressed pack of a MiB, and of 300."""
    packed, line = zlib.compressobj(1, zlib.DEFLATED, 31), pkt(b"\1" + bytes(60_000))
    pieces = [packed.compress(pkt(b"packfile\n")), *(packed.compress(line) for _ in range(5_300))]
    body = b"".join([*pieces, packed.flush()])
    return told_of(lambda request: request.reply(body, Content_Type=RESULT, Content_Encoding="gzip"))


@pytest.mark.parametrize("case", LIES)
def test_what_served_goes_on_and_one_line_says_why(case: str, turned: Scene) -> None:
    lie, told = LIES[case]
    answer = lie()
    turned.turn(answer)
    wait_for(lambda: bool(turned.problem()))
    assert told in turned.problem()
    assert turned.serves()
    assert len(turned.lines(told)) == 1
    assert turned.most() < MOST
    assert "hunter2" not in turned.server.said


def nested_tags(upstream: Upstream) -> str:
    """A tag of a tag of a tag of the commit."""
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    for name, target in (("one", "main"), ("two", "one"), ("three", "two")):
        upstream.git(*who, "tag", "-am", "x", name, target)
    return "three"


def a_file(upstream: Upstream) -> str:
    upstream.git("tag", "file", upstream.git("hash-object", "-w", "--stdin", stdin=b"x"))
    return "file"


def a_tag_of_a_file(upstream: Upstream) -> str:
    a_file(upstream)
    upstream.git("-c", "user.name=t", "-c", "user.email=t@example.com", "tag", "-am", "x", "tagged", "file")
    return "tagged"


REFS: dict[str, tuple[Callable[[Upstream], str], str]] = {
    "a tag of a tag": (nested_tags, ""),
    "a file": (a_file, "did not send the commit"),
    "a tag of a file": (a_tag_of_a_file, "did not send the commit"),
}


@pytest.mark.parametrize("case", REFS)
def test_a_ref_is_a_commit_at_last_or_is_told(case: str, tmp_path: Path) -> None:
    make, told = REFS[case]
    upstream = Upstream.make(tmp_path / "served" / "r")
    upstream.commit(tree(NEWEST))
    with serving(git_backend(tmp_path / "served")) as remote:
        args = ("--repo", f"{remote.url}/r", "--ref", make(upstream), "--echo", "--poll", "3600")
        with running(tmp_path / "run", *args) as server:
            scene = Scene(server, upstream, remote, remote.answer)
            if told:
                wait_for(lambda: told in scene.problem())
                assert not server.pairs()
            else:
                wait_for(scene.serves)
                assert not scene.problem()


def commit_of(upstream: Upstream, entries: bytes) -> None:
    """Have the branch name a commit whose root folder is these bytes, whatever Git thinks of them."""
    made = upstream.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=entries)
    text = f"tree {made}\nauthor t <t> 0 +0000\ncommitter t <t> 0 +0000\n\nx\n".encode()
    commit = upstream.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=text)
    upstream.git("update-ref", "refs/heads/main", commit)


def up_and_around(upstream: Upstream) -> None:
    """The committed tree, with names beside it that lead out of it, and links that lead into each other."""
    upstream.commit({**tree(NEWEST), "a/b": Node(b"../b/a", "link"), "b/a": Node(b"../a/b", "link")})
    root = upstream.git("rev-parse", "main^{tree}")
    data = git(upstream.folder, "cat-file", "tree", root)
    out = bytes.fromhex(upstream.git("rev-parse", "main:rendered"))
    names = (b"..", b".", b"../../etc", b".git", b"a\\..\\b", b"\xff\xfe")
    commit_of(upstream, data + b"".join(b"40000 %b\0%b" % (name, out) for name in names))


def full(upstream: Upstream) -> None:
    """A hundred thousand files more."""
    files: dict[str, bytes | Node] = dict(tree(NEWEST))
    files |= {f"more/{at % 100}/file-{at}": b"%d" % at for at in range(100_000)}
    upstream.commit(files)


@pytest.mark.parametrize("fill", [up_and_around, full])
def test_what_else_is_committed_changes_nothing(fill: Callable[[Upstream], None], turned: Scene) -> None:
    fill(turned.upstream)
    wanted = turned.upstream.tip()
    turned.turn(turned.honest)
    wait_for(lambda: {pair["commit"] for pair in turned.server.pairs().values()} == {wanted})
    assert turned.serves()
    assert not turned.problem()
    assert turned.most() < MOST


def test_a_lock_of_a_hundred_mebibytes_is_the_problem_of_its_pair_alone(turned: Scene) -> None:
    turned.upstream.commit({**tree(NEWEST), lock_of("reviewer"): b"#" * (100 * MIB)})
    turned.turn(turned.honest)
    wait_for(lambda: bool(turned.server.pairs()["incident-reviewer"].get("problem")))
    pairs = turned.server.pairs()
    assert "larger than 8 MiB" in pairs["incident-reviewer"]["problem"]
    assert all(pair.get("serving") for pair in pairs.values())
    assert [name for name, pair in pairs.items() if pair.get("problem")] == ["incident-reviewer"]
    assert turned.most() < MOST


def test_a_server_that_says_a_byte_now_and_then_holds_nobody_up(scene: Scene) -> None:
    """Neither who calls, nor who ends the process; the last test here."""
    head = HEAD % RESULT.encode() + b"ffff\r\n"
    asked = threading.Event()
    slow = drip(head, b"0", 0.2, 1500)

    def answer(request: Request) -> None:
        asked.set()
        slow(request)

    scene.turn(objects(told_of(answer)))
    assert asked.wait(PATIENCE)
    made = scene.server.reply("create", *AGENT, "--request-id", "slow")["agentInstance"]
    assert made["state"].endswith("READY")
    assert scene.serves()
    assert scene.server.end(signal.SIGTERM) == 0
