"""The folder that is measured in: repositories and caches that are gone afterwards."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.processes import KUBECTL, PROGRAM, Taken, run
from bench.repositories import write_gateways, write_platform_repository, write_repository

MEMORY = Path("/dev/shm")
IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.com")


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository with a cache folder of its own; `templates` agents, one file each."""

    root: Path
    cache: Path
    templates: int

    @property
    def sources(self) -> list[Path]:
        """The files of the agents, in order."""
        return sorted(self.root.glob("*/agent-*.yaml"))

    def kagent(self, command: str, status: int = 0) -> Taken:
        """Run one of our commands on the repository."""
        environment = {"XDG_CACHE_HOME": str(self.cache)}
        return run(PROGRAM, command, "--offline", str(self.root), status=status, environment=environment)

    def diff(self) -> Taken:
        """Compare HEAD with the work tree."""
        environment = {"XDG_CACHE_HOME": str(self.cache)}
        return run(PROGRAM, "diff", "--offline", "--path", str(self.root), environment=environment)

    def kustomize(self) -> Taken:
        """Run `kubectl kustomize` over the output."""
        return run(KUBECTL, "kustomize", str(self.root / "rendered"))

    def commit(self) -> None:
        """Commit everything: a repository is checked in Git."""
        for command in (
            ["init", "--quiet"],
            ["add", "."],
            [*IDENTITY, "commit", "--quiet", "--message", "all"],
        ):
            run("git", "-C", str(self.root), *command)

    def forget(self) -> None:
        """Remove the cache."""
        shutil.rmtree(self.cache, ignore_errors=True)

    def clear(self) -> None:
        """Remove the output and the cache."""
        shutil.rmtree(self.root / "rendered", ignore_errors=True)
        self.forget()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder, in memory where there is such a place: a slow disk would measure the disk."""
    memory = MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="kagent-bench-", dir=memory) as folder:
        yield Path(folder)


def make_repository(folder: Path, templates: int, name: str = "") -> Repository:
    """A repository that is not rendered yet."""
    place = folder / (name or f"agents-{templates}")
    return Repository(write_repository(place / "repository", templates), place / "cache", templates)


def make_platform_repository(folder: Path, agents: int, name: str) -> Repository:
    """A repository of PlatformAgents that is not rendered yet."""
    place = folder / name
    return Repository(write_platform_repository(place / "repository", agents), place / "cache", agents)


def kustomize_gateways(repository: Repository) -> Callable[[], float]:
    """Something that runs `kubectl kustomize` over the gateways of a rendered repository's agents."""
    place = repository.root.parent
    folder = write_gateways(place / "gateways", repository.root / "rendered", repository.templates)
    return lambda: run(KUBECTL, "kustomize", str(folder)).seconds
