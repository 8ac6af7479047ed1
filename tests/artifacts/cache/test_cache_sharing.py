"""Processes and threads share a cache: each reads what was kept or nothing, whatever the others do."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.artifacts.cache.disk import DiskCache
from kagent_render.artifacts.package import Package, PackageFile
from tests.parts import REPOSITORY

PACKAGES = {
    ArtifactSource(OciSource(f"registry.example.com/a@sha256:{number:064}"), "a"): Package(
        {f"skills/{number}/SKILL.md": PackageFile(bytes([number]) * 50_000)}
    )
    for number in range(6)
}

KEEPER = """
import sys
from pathlib import Path
from tests.artifacts.cache.test_cache_sharing import keep_and_read
keep_and_read(Path(sys.argv[1]))
"""

PRUNER = """
import sys
from pathlib import Path
from kagent_render.artifacts.cache.pruning import EVERYTHING, Age, prune
folder = Path(sys.argv[1])
print("started", flush=True)
while not Path(sys.argv[2]).exists():
    for age in (EVERYTHING, Age(unused=EVERYTHING.unused, leftover=0), Age(unused=0, leftover=0)):
        prune(folder, age)
"""


def keep_and_read(folder: Path, *, threads: int = 8, rounds: int = 8) -> None:
    """Keep and read every package in many threads; raises AssertionError for a wrong one."""
    cache = DiskCache(folder)

    def work(thread: int) -> None:
        order = list(PACKAGES.items())
        for turn in range(rounds):
            source, package = order[(thread + turn) % len(order)]
            assert cache.package(source, {}) in (None, package)
            cache.keep(source, {}, package)
            assert cache.package(source, {}) in (None, package)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))


def started(program: str, *arguments: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def assert_ended_well(process: subprocess.Popen[bytes]) -> None:
    _, said = process.communicate()
    assert process.returncode == 0, said.decode()


def test_processes_with_many_threads_keep_and_read_the_same_sources(tmp_path: Path) -> None:
    for process in [started(KEEPER, tmp_path / "artifacts") for _ in range(2)]:
        assert_ended_well(process)
    cache = DiskCache(tmp_path / "artifacts")
    assert [cache.package(source, {}) for source in PACKAGES] == list(PACKAGES.values())
    assert len(list((tmp_path / "artifacts").rglob("*"))) == 2 + 2 * len(PACKAGES)


def test_pruning_beside_readers_and_writers_takes_nothing_but_time(tmp_path: Path) -> None:
    folder, stop = tmp_path / "artifacts", tmp_path / "stop"
    pruner = started(PRUNER, folder, stop)
    assert pruner.stdout is not None
    pruner.stdout.readline()
    keeper = started(KEEPER, folder)
    keep_and_read(folder)
    assert_ended_well(keeper)
    stop.touch()
    assert_ended_well(pruner)
    keep_and_read(folder, threads=1)
    cache = DiskCache(folder)
    assert [cache.package(source, {}) for source in PACKAGES] == list(PACKAGES.values())
