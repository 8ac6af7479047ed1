"""Feeds the readers of archives for some CPU seconds in a process that may not touch anything.

`python -m tests.fuzz.child SEED SECONDS [NUMBER]`, with NUMBER for that one input alone. Standard output
always starts with the number of the input at hand.
"""

from __future__ import annotations

import faulthandler
import itertools
import os
import resource
import signal
import sys
import time
import unicodedata
from collections.abc import Iterable

from kagent_render.artifacts.archive.formats import read_archive
from kagent_render.artifacts.archive.layers import read_layers
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.archive.refusal import ArchiveRefused
from kagent_render.artifacts.package import Package
from tests.fuzz.inputs import ARCHIVES, Archive, Input, input_of

SMALL = Limits(entries=100, content=100_000, archive=300_000, ratio=50, ratio_from=10_000)
MEMORY = 1 << 30
SECONDS_OF_ONE_INPUT = 5
FORBIDDEN = (
    "open",
    "os.",
    "shutil.",
    "tempfile.",
    "subprocess.",
    "socket.",
    "glob.",
    "ctypes.",
    "pty.",
    "fcntl.",
)


class Forbidden(BaseException):
    """The reader reached for something outside of itself."""


def main(seed: str, seconds: float, number: int | None) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    faulthandler.register(signal.SIGPROF, chain=True)  # tells where, and ends even what runs in C
    warm_up()
    touched: list[str] = []
    sys.addaudithook(lambda event, _: _watch(event, touched))
    numbers: Iterable[int] = itertools.count() if number is None else [number]
    for current in numbers:
        if time.process_time() > seconds and number is None:
            return
        os.pwrite(1, b"%020d" % current, 0)
        limits = SMALL if current % 2 else Limits()
        source = input_of(f"{seed}:{current}")
        signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_ONE_INPUT)
        package = read(source, limits)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if touched:
            raise Forbidden(touched[0])
        if package is not None:
            check(package, limits)


def warm_up() -> None:
    """Have everything imported that a reader imports when it needs it."""
    for archive in ARCHIVES:
        read(archive, SMALL)


def check(package: Package, limits: Limits) -> None:
    """Judge a package by its limits and the grammar of names, by other means than the reader's."""
    assert len(package.files) <= limits.entries
    assert sum(len(file.data) for file in package.files.values()) <= limits.content
    plain = [path for path in package.files if path.isascii()]
    assert len({path.lower() for path in plain}) == len(plain)
    for path in package.files:
        assert path == unicodedata.normalize("NFC", path)
        assert not {"", ".", "..", ".git"} & set(path.lower().split("/"))
        assert "\\" not in path
        assert not any(ord(char) < 32 or ord(char) == 127 for char in path)
        assert len(path.encode()) <= 1_024 + 256
    for path, real in package.links.items():
        assert path != real
        assert not {"", ".", ".."} & set(real.split("/"))


def read(source: Input, limits: Limits) -> Package | None:
    try:
        if isinstance(source, Archive):
            return read_archive(source.data, source.name, limits)
        return read_layers(source, limits)
    except ArchiveRefused as refused:
        message = refused.message
    assert message.isprintable()
    assert len(message) < 300
    return None


def _watch(event: str, touched: list[str]) -> None:
    if event.startswith(FORBIDDEN):
        touched.append(event)
        raise Forbidden(event)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if sys.argv[3:] else None)
