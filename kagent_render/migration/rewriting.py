"""One file rewritten by edits, and the proof that it then says what it should and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kagent_render.migration.changes import changed_value, edits_of, value_at
from kagent_render.migration.edits import Edit, OverlappingEditsError, apply_edits, distinct_edits
from kagent_render.migration.insertion import NoPlaceError, add_document, add_item, step_of
from kagent_render.migration.nodes import node_at, read_nodes
from kagent_render.migration.secrets import secret_texts
from kagent_render.source.failure import YAMLInvalidError
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.migration.changes import Change
    from kagent_render.migration.nodes import Document
    from kagent_render.migration.objects import Located, SourceText


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done to one object: its changes, and an object to be written behind it."""

    located: Located
    changes: tuple[Change, ...] = ()
    addition: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The edits of one file and the text that they make."""

    edits: tuple[Edit, ...]
    text: str


def rewrite(source: SourceText, tasks: Sequence[Task]) -> Rewriting | None:
    """The file with every task done; None where it is written in a way that edits cannot change so."""
    documents, expected = read_nodes(source.text), expected_values(source, tasks)
    secrets = secret_texts(documents)
    for spelled_out in (False, True):
        found = attempt(source, documents, tasks, spelled_out=spelled_out)
        if found is not None and found[1] == expected and _secrets_stay(secrets, found[0].text):
            return found[0]
    return None


def _secrets_stay(secrets: list[Any], text: str) -> bool:
    return not secrets or secrets == secret_texts(read_nodes(text))


def attempt(
    source: SourceText, documents: Sequence[Document], tasks: Sequence[Task], *, spelled_out: bool
) -> tuple[Rewriting, list[Any]] | None:
    """The file rewritten in one way, and the data that it then holds; None where it is not YAML."""
    try:
        edits = [edit for task in tasks for edit in _edits(source.text, documents, task, spelled_out)]
        edits = distinct_edits([*edits, *_additions(source, documents, tasks)])
        text = apply_edits(source.text, edits)
        values = [document.value for document in read_yaml(text.encode())]
    except (NoPlaceError, OverlappingEditsError, YAMLInvalidError):
        return None
    return Rewriting(tuple(edits), text), values


def expected_values(source: SourceText, tasks: Sequence[Task]) -> list[Any]:
    """The data that the file's documents have to hold in the end."""
    values: list[Any] = [_copied(value) for value in source.values]
    for task in tasks:
        index, prefix = task.located.index, task.located.document.prefix
        value = value_at(values, (index, *prefix))
        for change in task.changes:
            value = changed_value(value, change)
        value_at(values, (index, *prefix)[:-1])[(index, *prefix)[-1]] = value
    for task in sorted(tasks, key=_place, reverse=True):
        if task.addition is not None:
            _add(values, task)
    return values


def _copied(value: Any) -> Any:
    """Data of which no part is another part, too, as it is where the text has aliases."""
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _edits(text: str, documents: Sequence[Document], task: Task, spelled_out: bool) -> list[Edit]:
    root = documents[task.located.index].root
    prefix = task.located.document.prefix
    return [
        edit
        for change in task.changes
        for edit in edits_of(text, root, change, prefix, spelled_out=spelled_out)
    ]


def _place(task: Task) -> tuple[int, list[int]]:
    """Where a task's object is in its file, so that what is added from behind moves nothing."""
    return task.located.index, [step for step in task.located.document.prefix if isinstance(step, int)]


def _additions(source: SourceText, documents: Sequence[Document], tasks: Sequence[Task]) -> list[Edit]:
    edits = []
    for task in tasks:
        if task.addition is None:
            continue
        document, prefix = documents[task.located.index], task.located.document.prefix
        own = node_at(document.root, prefix)
        if own is None:
            raise NoPlaceError
        step = step_of(source.text, own)
        listed = _listed(source.values[task.located.index], prefix)
        items = node_at(document.root, listed[0]) if listed else None
        if listed and items is not None:
            edits.append(add_item(source.text, items, listed[1], task.addition, step))
        elif source.path.endswith(".json"):
            raise NoPlaceError  # other readers of such a file want one document
        else:
            edits.append(add_document(source.text, document, task.addition, step))
    return edits


def _add(values: list[Any], task: Task) -> None:
    """Put an addition where `_additions` writes it."""
    index = task.located.index
    listed = _listed(values[index], task.located.document.prefix)
    among, at = (value_at(values[index], listed[0]), listed[1]) if listed else (values, index)
    among.insert(at + 1, task.addition)


def _listed(value: Any, prefix: FieldPath) -> tuple[FieldPath, int] | None:
    """The items and the place among them of an object in a List of objects of any kind; None elsewhere."""
    if not prefix or value_at(value, prefix[:-2])["kind"] != "List":
        return None
    index = prefix[-1]
    assert isinstance(index, int)
    return prefix[:-1], index
