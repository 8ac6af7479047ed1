"""Which object keeps a file from being rewritten, and at which of its fields."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from kagent_render.migration.changes import value_at
from kagent_render.migration.nodes import read_nodes
from kagent_render.migration.rewriting import Task, attempt, expected_values, rewrite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.migration.objects import SourceText


def find_obstacle(source: SourceText, tasks: Sequence[Task]) -> tuple[Task, FieldPath]:
    """The task of a file that cannot be done, and the field at which it fails by itself, if at one."""
    task = _misread(source, tasks) or _unwritable(source, tasks)
    alone = (Task(task.located, (change,)) for change in task.changes)
    return task, next((one.changes[0].path for one in alone if rewrite(source, [one]) is None), ())


def _misread(source: SourceText, tasks: Sequence[Task]) -> Task | None:
    """The first whose object would say something else than it should; None where the text is not YAML."""
    found = attempt(source, read_nodes(source.text), tasks, spelled_out=True)
    if found is None:
        return None
    expected = expected_values(source, tasks)
    places = ((task, (task.located.index, *task.located.document.prefix)) for task in tasks)
    return next((task for task, at in places if value_at(found[1], at) != value_at(expected, at)), None)


def _unwritable(source: SourceText, tasks: Sequence[Task]) -> Task:
    """The one with which the tasks up to it first fail: found by halving, since each try reads the file."""
    documents = read_nodes(source.text)
    is_yaml = attempt(source, documents, tasks, spelled_out=True) is not None

    def fails(count: int) -> bool:
        part = tasks[:count]
        if is_yaml:
            return rewrite(source, part) is None
        return attempt(source, documents, part, spelled_out=True) is None

    return tasks[bisect_left(range(1, len(tasks)), True, key=fails)]
