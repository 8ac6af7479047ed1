"""A cache with known content, and what lies in it."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from pathlib import Path
from typing import Any

from kagent_render.api.hub import ArtifactSource, GitSource, S3Source
from kagent_render.artifacts.cache.entry import Subject
from kagent_render.artifacts.package import Package, PackageFile

SETTINGS = {"endpoint": "https://s3.example.com", "region": "eu-west-1"}
SOURCE = ArtifactSource(S3Source("agent-content", "plugins/a.zip", "3HL4kq"), "a")
OTHER = ArtifactSource(GitSource("https://git.example.com/skills.git", "9" * 40))
PACKAGE = Package(
    {
        "notes/more.md": PackageFile(b"text"),
        "plugin.json": PackageFile(b"{}\r\n"),
        "skills/a/SKILL.md": PackageFile(b"text"),
        "skills/a/run.sh": PackageFile(b"#!/bin/sh\n", executable=True),
    },
    {"notes": "skills/a"},
    ("skills/a/outside.md",),
)
OTHER_PACKAGE = Package({"SKILL.md": PackageFile(b"other")})


def entry_of(folder: Path, source: ArtifactSource = SOURCE) -> Path:
    """The file of a source's entry."""
    return folder / "sources" / Subject(source, SETTINGS).key


def content_of(folder: Path, source: ArtifactSource = SOURCE) -> Path:
    """The file of a source's content, as its entry names it."""
    return folder / "contents" / str(document_of(entry_of(folder, source))["content"])


def document_of(entry: Path) -> dict[str, Any]:
    """The JSON of an entry."""
    document: dict[str, Any] = json.loads(entry.read_bytes().split(b"\n")[1])
    return document


def reseal(entry: Path, **changes: Any) -> None:
    """Change members of an entry as somebody would who knows how entries are written."""
    document = {**document_of(entry), **changes}
    line = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    entry.write_bytes(hashlib.sha256(line).hexdigest().encode() + b"\n" + line)


def snapshot(folder: Path) -> dict[str, tuple[int, object]]:
    """Every path below a folder with its mode and what it holds; nothing is opened that is not a file."""
    return {path.relative_to(folder).as_posix(): _state(path) for path in sorted(folder.rglob("*"))}


def _state(path: Path) -> tuple[int, object]:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return mode, path.readlink()
    small = stat.S_ISREG(mode) and path.stat().st_size < 1 << 20
    return mode, path.read_bytes() if small else None


def age(path: Path, seconds: float) -> None:
    """Let a file be that old."""
    time = path.lstat().st_mtime - seconds
    os.utime(path, (time, time), follow_symlinks=False)
