"""Real repositories, written by `git fast-import`, so that every mode and every name is possible."""

from __future__ import annotations

import os
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.parts import program

_WHO = b"Test <test@example.com> 1700000000 +0000"
_KINDS = {"file": b"100644", "program": b"100755", "link": b"120000", "submodule": b"160000"}


@dataclass(frozen=True)
class Node:
    """What is at a path: its bytes, a link's target, or the id of a submodule's commit."""

    data: bytes
    kind: str = "file"


Files = Mapping[str, bytes | Node]


def link(target: str) -> Node:
    return Node(target.encode(), "link")


def executable(data: bytes) -> Node:
    return Node(data, "program")


def submodule(commit: str = "1" * 40) -> Node:
    return Node(commit.encode(), "submodule")


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """What a Git command prints, without any settings of the machine's."""
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        [program("git"), "-C", str(folder), *arguments],
        input=stdin,
        capture_output=True,
        env={**surroundings, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )
    assert not done.returncode, done.stderr.decode()
    return done.stdout


@dataclass(frozen=True)
class Repository:
    """A bare repository whose branch `main` has `commits`, the first one first."""

    folder: Path
    commits: Sequence[str]

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        return git(self.folder, *arguments, stdin=stdin).decode().strip()

    def archive(self, commit: str) -> bytes:
        """The tar archive of a commit, attributes of the repository's own included."""
        return git(self.folder, "archive", "--format=tar", commit)

    def plant(self, name: str, kind: str, data: bytes) -> None:
        """Put other content in the place of a loose object, as whoever may write there can."""
        place = self.folder / "objects" / name[:2] / name[2:]
        place.chmod(0o644)
        place.write_bytes(zlib.compress(b"%b %d\0%b" % (kind.encode(), len(data), data)))

    def allow(self, name: str) -> None:
        """Set `uploadpack.<name>`."""
        self.git("config", f"uploadpack.{name}", "true")


def make_repository(folder: Path, *commits: Files, object_format: str = "sha1") -> Repository:
    """A repository with commits that each hold exactly their files."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--bare", f"--object-format={object_format}", "--initial-branch=main")
    git(folder, "fast-import", "--quiet", stdin=b"".join(map(_commit, commits)) + b"done\n")
    names = git(folder, "rev-list", "--reverse", "main").decode().split() if commits else []
    return Repository(folder, names)


def _commit(files: Files) -> bytes:
    lines = [b"commit refs/heads/main\ncommitter %b\n%bdeleteall\n" % (_WHO, _data(b"change"))]
    for path, content in files.items():
        node = content if isinstance(content, Node) else Node(content)
        quoted = b'"%b"' % path.encode().replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
        if node.kind == "submodule":
            lines.append(b"M 160000 %b %b\n" % (node.data, quoted))
        else:
            lines.append(b"M %b inline %b\n%b" % (_KINDS[node.kind], quoted, _data(node.data)))
    return b"".join(lines)


def _data(data: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(data), data)
