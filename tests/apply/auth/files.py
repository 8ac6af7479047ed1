"""Files of an operator, and a clock that stands until it is told."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, field
from pathlib import Path

_LATER = itertools.count(1)


@dataclass
class Hand:
    """A clock that a test moves."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Heard:
    """What an operator was told."""

    lines: list[str] = field(default_factory=list)

    def __call__(self, line: str) -> None:
        self.lines.append(line)


def put(path: Path, text: str, mode: int = 0o600) -> Path:
    """Put a file in the place of what is there, so that it never looks the same as before."""
    partial = path.with_suffix(f".{next(_LATER)}")
    partial.write_text(text)
    partial.chmod(mode)
    os.utime(partial, ns=(next(_LATER), next(_LATER)))
    partial.replace(path)
    return path
