"""A repository in memory with objects as Git has them: many commits in no time."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from kagent_apply.revisions.repository import (
    MAX_BLOB,
    Commit,
    ObjectError,
    RefError,
    read_commit,
    too_large,
)
from kagent_render.artifacts.git.object_format import SHA1
from tests.artifacts.git.repositories import Files, Node

_MODES = {"file": b"100644", "program": b"100755", "link": b"120000", "submodule": b"160000"}


@dataclass
class MemoryRepository:
    """Commits to one branch; `away` makes a server of it that does not answer, `lost` lacks some objects."""

    branch: str = ""
    objects: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    away: bool = False
    lost: set[str] = field(default_factory=set)
    read: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        return "`main` of a test"

    def commit(self, files: Files, parent: str | None = "") -> str:
        """Commit exactly some files; onto the tip, another parent, or None: as a first commit."""
        before = self.branch if parent == "" else parent
        nested: dict[str, Any] = {}
        for path, content in files.items():
            *folders, name = path.split("/")
            at = nested
            for part in folders:
                at = at.setdefault(part, {})
            at[name] = content if isinstance(content, Node) else Node(content)
        line = f"parent {before}\n" if before else ""
        text = f"tree {self._tree(nested)}\n{line}author T <t> 0 +0000\ncommitter T <t> 0 +0000\n\nx\n"
        self.branch = self._add("commit", text.encode())
        return self.branch

    def tip(self) -> Commit:
        if self.away:
            raise RefError(f"{self.place} cannot be read: nobody answers")
        if not self.branch:
            raise RefError(f"{self.place} does not exist")
        return self.ancestor(self.branch)

    def ancestor(self, commit: str) -> Commit:
        return read_commit(commit, self._get(commit, "commit"))

    def tree(self, name: str) -> bytes:
        return self._get(name, "tree")

    def gather(self, blobs: Collection[str]) -> None:
        if self.away:
            raise RefError(f"{self.place} cannot be read: nobody answers")

    def blob(self, name: str) -> bytes:
        data = self._get(name, "blob")
        self.read.append(name)
        if len(data) > MAX_BLOB:
            raise too_large(name)
        return data

    def _tree(self, entries: Mapping[str, Any]) -> str:
        lines = []
        for name, content in entries.items():
            raw = os.fsencode(name)
            if isinstance(content, dict):
                lines.append((raw + b"/", b"40000 %b\0" % raw, self._tree(content)))
            elif content.kind == "submodule":
                lines.append((raw, b"160000 %b\0" % raw, content.data.decode()))
            else:
                mode = _MODES[content.kind]
                lines.append((raw, b"%b %b\0" % (mode, raw), self._add("blob", content.data)))
        return self._add("tree", b"".join(head + bytes.fromhex(target) for _, head, target in sorted(lines)))

    def _add(self, kind: str, data: bytes) -> str:
        name = SHA1.object_id(kind, data)
        self.objects[name] = kind, data
        return name

    def _get(self, name: str, kind: str) -> bytes:
        if name in self.lost or name not in self.objects:
            raise ObjectError(f"the repository lacks the object `{name}`")
        found, data = self.objects[name]
        if found != kind:
            raise ObjectError(f"`{name}` is a {found} in the place of a {kind}")
        return data
