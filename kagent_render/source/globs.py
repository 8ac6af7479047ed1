"""Path patterns as RenderConfig writes them: `*` and `?` inside a name, `**` across folders."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DEFAULT_SOURCES = ("**/*.yaml", "**/*.yml")
"""What is a source where RenderConfig names nothing else."""


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern, a step per path segment; None stands for `**`, any number of folders."""

    steps: tuple[re.Pattern[str] | None, ...]

    def matches(self, path: str) -> bool:
        """Whether the whole of `path` matches; linear for each `**`, never exponential."""
        return _match(self.steps, path.split("/"))

    def covers(self, path: str) -> bool:
        """Whether `path`, or a folder that it is in, matches."""
        parts = path.split("/")
        return any(_match(self.steps, parts[:length]) for length in range(len(parts), 0, -1))


@dataclass(frozen=True, slots=True)
class PathFilter:
    """Patterns and `!patterns` together; the order does not matter, and an exclusion always wins."""

    included: tuple[Glob, ...]
    excluded: tuple[Glob, ...]

    def admits(self, path: str) -> bool:
        """Whether some pattern matches `path` and no exclusion covers it."""
        if not any(glob.matches(path) for glob in self.included):
            return False
        return not any(glob.covers(path) for glob in self.excluded)


def compile_filter(patterns: Iterable[str]) -> PathFilter:
    """A filter out of RenderConfig's patterns; exclusions alone take away from the default sources."""
    patterns = list(patterns)
    included = [pattern for pattern in patterns if not pattern.startswith("!")]
    excluded = [pattern.removeprefix("!") for pattern in patterns if pattern.startswith("!")]
    return PathFilter(
        tuple(compile_glob(pattern) for pattern in included or (DEFAULT_SOURCES if excluded else ())),
        tuple(compile_glob(pattern) for pattern in excluded),
    )


def compile_glob(pattern: str) -> Glob:
    """A pattern relative to the root; steps that are empty or `.` mean nothing."""
    steps = _steps(pattern)
    # `**/**` says no more than `**`.
    steps = [step for at, step in enumerate(steps) if step != "**" or at == 0 or steps[at - 1] != "**"]
    return Glob(tuple(None if step == "**" else re.compile(fnmatch.translate(step)) for step in steps))


def literal_folder(pattern: str) -> str:
    """The folder that everything is in which a pattern can match: its first steps without a wildcard."""
    folders = _steps(pattern.removeprefix("!"))[:-1]
    plain = next((at for at, step in enumerate(folders) if set(step) & set("*?[")), len(folders))
    return "/".join(folders[:plain])


def _steps(pattern: str) -> list[str]:
    return [step for step in pattern.split("/") if step not in ("", ".")]


def _match(steps: Sequence[re.Pattern[str] | None], parts: Sequence[str]) -> bool:
    """Greedy matching that goes back to the latest `**` only: an earlier one need never give way."""
    step = part = 0
    retry: tuple[int, int] | None = None
    while part < len(parts):
        pattern = steps[step] if step < len(steps) else _NOTHING
        if pattern is None:
            step += 1
            retry = step, part
        elif pattern.match(parts[part]):
            step += 1
            part += 1
        elif retry is not None:
            step, part = retry[0], retry[1] + 1
            retry = step, part
        else:
            return False
    return all(pattern is None for pattern in steps[step:])


_NOTHING = re.compile(r"(?!)")
