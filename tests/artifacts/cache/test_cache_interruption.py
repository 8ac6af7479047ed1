"""A process that is killed before any call to the system leaves a cache that holds what it says."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from kagent_render.artifacts.cache import files as cache_files
from kagent_render.artifacts.cache.disk import DiskCache
from kagent_render.artifacts.cache.pruning import EVERYTHING, Age, prune
from tests.artifacts.cache.caches import OTHER, OTHER_PACKAGE, PACKAGE, SETTINGS, SOURCE

pytestmark = pytest.mark.process

_CALLS = {
    "mkdir",
    "open",
    "fchmod",
    "write",
    "fsync",
    "close",
    "rename",
    "unlink",
    "utime",
    "stat",
    "scandir",
}


class Mortal:
    """The module `os` of a process that is killed in the place of its n-th call, half-way through a write."""

    def __init__(self, left: int) -> None:
        self._left = left

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return self._counted(name, real) if name in _CALLS else real

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self._left == 0:
                if name == "write":
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            self._left -= 1
            return real(*arguments, **named)

        return call


def killed(moment: int, work: Callable[[], object]) -> bool:
    """Do the work in a process that dies at its n-th call; False where it has fewer."""
    child = os.fork()
    if child == 0:
        vars(cache_files)["os"] = Mortal(moment)
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def assert_good(folder: Path) -> None:
    """That nothing is held but what was kept, that it can be kept again, and that what was left can go."""
    cache = DiskCache(folder)
    assert cache.package(SOURCE, SETTINGS) in (None, PACKAGE)
    cache.keep(SOURCE, SETTINGS, PACKAGE)
    assert cache.package(SOURCE, SETTINGS) == PACKAGE
    prune(folder, Age(unused=0, leftover=EVERYTHING.leftover))
    assert cache.package(SOURCE, SETTINGS) == PACKAGE
    assert not list(folder.rglob(".partial-*"))


def test_keeping_may_be_killed(tmp_path: Path) -> None:
    for moment in count():
        folder = tmp_path / str(moment)
        died = killed(moment, partial(DiskCache(folder).keep, SOURCE, SETTINGS, PACKAGE))
        assert_good(folder)
        if not died:
            break
    assert moment > 15


@pytest.mark.parametrize(
    "age", [EVERYTHING, Age(unused=EVERYTHING.unused, leftover=0)], ids=["all", "unused"]
)
def test_pruning_may_be_killed(tmp_path: Path, age: Age) -> None:
    for moment in count():
        folder = tmp_path / str(moment)
        DiskCache(folder).keep(OTHER, SETTINGS, OTHER_PACKAGE)
        DiskCache(folder).keep(SOURCE, SETTINGS, PACKAGE)
        died = killed(moment, partial(prune, folder, age))
        assert DiskCache(folder).package(OTHER, SETTINGS) in (None, OTHER_PACKAGE)
        assert_good(folder)
        if not died:
            break
    assert moment > 8
