"""Real Git repositories for tests, made by the git program where it matters and without its configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from kagent_render.source.index import GitIndex
from kagent_render.source.revision import GitRevision
from tests.parts import missing

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "A"), ("EMAIL", "a@example.com"), ("DATE", "2026-01-01T00:00:00Z"))
    },
}


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` and give what it prints."""
    if shutil.which("git") is None:
        missing("no git on PATH to make real repositories")
    done = subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def stage_files(
    folder: Path,
    files: Mapping[str, bytes],
    executable: Sequence[str] = (),
    links: Mapping[str, str] | None = None,
) -> None:
    """Put files into a repository's index, made where there is none."""
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main", ".")
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    for path in executable:
        (folder / path).chmod(0o755)
    for path, target in (links or {}).items():
        (folder / path).symlink_to(target)
    git(folder, "add", "--all", "--force", ".")


def commit_files(folder: Path, files: Mapping[str, bytes], **kinds: object) -> str:
    """Commit files and give the commit's id."""
    stage_files(folder, files, **kinds)  # type: ignore[arg-type]
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "change")
    return git(folder, "rev-parse", "HEAD")


def revision_of(
    folder: Path, files: Mapping[str, bytes], *, executable: Sequence[str], links: Mapping[str, str]
) -> GitRevision:
    """A reader of HEAD, with a work tree that says something else."""
    commit_files(folder, files, executable=executable, links=links)
    for path in files:
        (folder / path).write_bytes(b"not committed")
    return GitRevision(folder, "HEAD")


def index_of(
    folder: Path, files: Mapping[str, bytes], *, executable: Sequence[str], links: Mapping[str, str]
) -> GitIndex:
    """A reader of the index, with a HEAD and a work tree that say something else."""
    commit_files(folder, {"gone.yaml": b"committed"})
    (folder / "gone.yaml").unlink()
    stage_files(folder, files, executable=executable, links=links)
    for path in files:
        (folder / path).write_bytes(b"not staged")
    return GitIndex(folder)
