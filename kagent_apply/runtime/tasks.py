"""The tasks of one agent, a file each, in the folder that its snapshots keep."""

from __future__ import annotations

import hashlib
import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from a2a.types import a2a_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Tasks:
    """Tasks by id; the folder is made with the first."""

    folder: Path

    def get(self, task_id: str) -> a2a_pb2.Task | None:
        """A task; None where there is none."""
        try:
            return a2a_pb2.Task.FromString(self._path(task_id).read_bytes())
        except FileNotFoundError:
            return None

    def put(self, task: a2a_pb2.Task) -> None:
        """Keep a task, whole or not at all."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(task.id)
        partial = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        partial.write_bytes(task.SerializeToString())
        partial.replace(path)

    def all(self) -> Iterator[a2a_pb2.Task]:
        """Every task, by the name of its file."""
        for path in sorted(self.folder.glob("*.task")):
            yield a2a_pb2.Task.FromString(path.read_bytes())

    def _path(self, task_id: str) -> Path:
        return self.folder / f"{hashlib.sha256(task_id.encode()).hexdigest()}.task"
