"""Repositories with rendered agents, edition after edition, and a Substrate that says what a test wants."""

from __future__ import annotations

import functools
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kagent_apply.instances.prepared import PreparedRevision
from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.events import Event, RefRead
from kagent_apply.revisions.index import RevisionIndex
from kagent_apply.revisions.last_served import LastServed
from kagent_apply.revisions.local_repository import LocalRepository
from kagent_apply.revisions.port import NotServed
from kagent_apply.revisions.repository import Repository
from kagent_render.revision.lock import Lock
from kagent_render.revision.lock_reading import read_lock
from tests.artifacts.git.repositories import Files, Node, git
from tests.parts import REPOSITORY
from tests.running import run, tree

PAIRS = ("coordinator", "researcher", "reviewer")
"""The pairs of the example, by what tells their templates apart."""

NAMESPACE, HARNESS = "agent-team", "python-runtime"
OUTPUT = f"rendered/{NAMESPACE}"


def agent(name: str) -> AgentName:
    return AgentName(NAMESPACE, HARNESS, f"incident-{name}")


def folder(name: str) -> str:
    """Where the files of a pair are."""
    return f"{OUTPUT}/{HARNESS}/incident-{name}"


def lock_of(name: str) -> str:
    return f"{folder(name)}/revision.lock.yaml"


@functools.cache
def edition(number: int, example: str = "incident") -> Mapping[str, bytes]:
    """The files of an example whose prompts are those of an edition, rendered; no pair is as in another."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "agents"
        files = tree(REPOSITORY / "examples" / example)
        for path, data in files.items():
            if not path.startswith("rendered/"):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(data.replace(b" available evidence.", b" evidence, %d." % number))
        for source in (root / "agents").iterdir():
            text = source.read_text().replace("Review the", f"Review, {number}, the")
            source.write_text(text.replace("Coordinate the", f"Coordinate, {number}, the"))
        done = run("render", "--offline", ".", cwd=root)
        assert done.status == 0, done.err
        return tree(root)


def revision(name: str, files: Mapping[str, bytes | Node]) -> str:
    """The id of a pair's revision among some files."""
    return read(name, files).revision


def read(name: str, files: Mapping[str, bytes | Node]) -> Lock:
    """A pair's lock among some files."""
    data = files[lock_of(name)]
    assert isinstance(data, bytes)
    found = read_lock(data, "lock")
    assert isinstance(found, Lock)
    return found


@dataclass
class Upstream:
    """A bare repository that commits are added to."""

    folder: Path

    @classmethod
    def make(cls, place: Path, object_format: str = "sha1") -> Upstream:
        place.mkdir(parents=True)
        git(place, "init", "--quiet", "--bare", f"--object-format={object_format}", "--initial-branch=main")
        return cls(place)

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        return git(self.folder, *arguments, stdin=stdin).decode().strip()

    def commit(self, files: Files, branch: str = "main", parent: str | None = "") -> str:
        """Commit exactly some files; onto the branch's tip, another parent, or None: as a first commit."""
        at = self.tip(branch) if parent == "" else parent
        before = b"from %b\n" % at.encode() if at else b""
        # `fast-import` only moves a branch forward, so that the commit is made on another one.
        head = b"commit refs/import\ncommitter T <t@example.com> 1700000000 +0000\ndata 1\nx\n"
        entries = b"".join(_entry(path, content) for path, content in files.items())
        self.git("fast-import", "--quiet", "--force", stdin=head + before + b"deleteall\n" + entries)
        made = self.git("rev-parse", "refs/import")
        self.git("update-ref", f"refs/heads/{branch}", made)
        return made

    def tip(self, branch: str = "main") -> str:
        return self.git("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")


_MODES = {"file": b"100644", "program": b"100755", "link": b"120000", "submodule": b"160000"}


def _entry(path: str, content: bytes | Node) -> bytes:
    node = content if isinstance(content, Node) else Node(content)
    quoted = b'"%b"' % os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    if node.kind == "submodule":
        return b"M 160000 %b %b\n" % (node.data, quoted)
    return b"M %b inline %b\ndata %d\n%b\n" % (_MODES[node.kind], quoted, len(node.data), node.data)


@dataclass
class Substrate:
    """Says of each revision what it was told to, else that it is ready; `asked` has every question."""

    answers: dict[str, bool | Exception] = field(default_factory=dict)
    default: bool | Exception = True
    asked: list[str] = field(default_factory=list)

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        self.asked.append(revision.revision)
        answer = self.answers.get(revision.revision, self.default)
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class Clock:
    """A clock that a test moves."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Served:
    """An index over one repository, as a process has it; `restart` makes the one of the next process.

    `events` are what it told of changes, `reads` how often of the ref.
    """

    repository: Repository
    kept: Path
    substrate: Substrate = field(default_factory=Substrate)
    clock: Clock = field(default_factory=Clock)
    events: list[Event] = field(default_factory=list)
    reads: int = 0

    def __post_init__(self) -> None:
        kept = LastServed(self.kept)
        self.index = RevisionIndex(self.repository, self.substrate, kept, self._note, clock=self.clock)

    def _note(self, event: Event) -> None:
        if isinstance(event, RefRead):
            self.reads += 1
        else:
            self.events.append(event)

    def refresh(self) -> Served:
        self.index.refresh()
        return self

    def restart(self, repository: Repository | None = None) -> Served:
        return Served(repository or self.repository, self.kept)

    def serving(self, *editions: Mapping[str, bytes]) -> dict[str, int | None]:
        """Which of some editions each pair serves, by its place; None where it serves nothing."""
        return {name: self._edition(name, editions) for name in PAIRS}

    def _edition(self, name: str, editions: Sequence[Mapping[str, bytes]]) -> int | None:
        found = self.index.serving(agent(name))
        if isinstance(found, NotServed):
            return None
        return [revision(name, files) for files in editions].index(found.revision)

    def problem(self, name: str) -> str:
        """What the status of a pair says; that there is none where the pair is not known."""
        statuses = {status.agent: status for status in self.index.pairs()}
        return statuses[agent(name)].problem if agent(name) in statuses else "not listed"


def local(upstream: Upstream, place: Path, ref: str = "main") -> Served:
    return Served(LocalRepository(upstream.folder, ref), place)


Edit = Callable[[dict[str, bytes | Node]], None]
"""Breaks the files of an edition."""


def edited(files: Mapping[str, bytes], edit: Edit) -> Files:
    copy: dict[str, bytes | Node] = dict(files)
    edit(copy)
    return copy
