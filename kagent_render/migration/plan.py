"""What migrating a root does to each of its files, or what keeps it from being done."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.api.decoding import decode_document
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason
from kagent_render.migration.changes import changed_value, value_at
from kagent_render.migration.files import FilePlan
from kagent_render.migration.objects import NEW, OLD, Located, SourceText
from kagent_render.migration.obstacle import find_obstacle
from kagent_render.migration.rewriting import Rewriting, Task, rewrite
from kagent_render.migration.rules import TO_NEW, harness_changes, template_changes
from kagent_render.migration.servers import is_same_server, present_server, remote_server, server_uses, taken
from kagent_render.migration.store import plan_index
from kagent_render.preparation.completeness import check_harness
from kagent_render.source.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kagent_render.api.hub import Inventory, McpServer
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef
    from kagent_render.migration.changes import Change

_LENIENT: Final = ("ModelConfig", "RemoteMCPServer")
"""Kinds whose objects may stay as they are: templates of either version can refer to either."""


@dataclass(frozen=True, slots=True)
class Migration:
    """Every file that changes, in byte order of the paths; what keeps the root from it, and notes."""

    files: tuple[FilePlan, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def failed(self) -> bool:
        """Whether nothing may be written."""
        return any(found.is_error for found in self.diagnostics)

    @property
    def contents(self) -> dict[str, bytes]:
        """The bytes that each file is to have."""
        return {file.path: file.after for file in self.files}


NO_CHANGE: Final = Migration((), ())
"""Nothing to migrate."""


def plan_migration(
    sources: Sequence[SourceText], inventory: Inventory, policy: Policy, index: bytes | None = None
) -> Migration:
    """Plan the move of every `v1alpha2` object in some files; `inventory` holds all of them, decoded.

    `index` is that of the vendored store. Raises ArtifactFailure where it is invalid.
    """
    planner = _Planner(inventory, policy)
    tasks = {source.path: planner.tasks(source) for source in sources}
    for source in sources:
        tasks[source.path] += planner.additions(source)
    files = []
    for source in sources:
        if tasks[source.path]:
            rewritten = _file(source, tasks[source.path])
            if rewritten is None:
                planner.found.append(_unwritable(source, tasks[source.path]))
            else:
                files.append(rewritten)
    stored = plan_index(index, inventory.templates.values(), policy) if index is not None else None
    files = sorted([*files, *([stored] if stored is not None else [])], key=lambda file: file.path)
    return Migration(tuple(files), tuple(planner.found))


class _Planner:
    """Collects tasks and what is found on the way to them."""

    def __init__(self, inventory: Inventory, policy: Policy) -> None:
        self.found: list[Diagnostic] = []
        self._inventory = inventory
        self._policy = policy
        self._wanted: dict[ObjectRef, McpServer] = {}

    def tasks(self, source: SourceText) -> list[Task]:
        """What is to be done to the objects of a file; servers that have to be added are noted."""
        moving = [located for located in source.objects if located.moves]
        tasks = [Task(located, self._changes(located.document)) for located in moving]
        tasks = [task for task in tasks if task.changes]
        return tasks + list(_lists(source, tasks))

    def additions(self, source: SourceText) -> list[Task]:
        """The servers that are added behind the MCPServers of a file."""
        return [
            Task(located, addition=remote_server(self._wanted[located.document.ref]))
            for located in source.objects
            if located.document.ref in self._wanted
        ]

    def _changes(self, document: Document) -> tuple[Change, ...]:
        """The changes of one object; none where it stays as it is."""
        changes = tuple(self._asked(document))
        value = document.value
        for change in changes:
            value = changed_value(value, change)
        moved = Document(document.path, value, document.locator, document.prefix)
        faults = [fault for fault in decode_document(moved).diagnostics if fault.is_error]
        if faults and document.ref.kind in _LENIENT:
            self.found += [_staying(document, fault) for fault in faults]
            return ()
        known = {fault.field for fault in self.found if fault.object == document.ref}
        self.found += [_of_old(document, fault) for fault in faults if fault.field not in known]
        return changes

    def _asked(self, document: Document) -> Iterator[Change]:
        ref = document.ref
        identity = (ref.namespace or "", ref.name or "")
        if ref.kind == "Harness":
            harness = self._inventory.harnesses[identity]
            self.found += check_harness(harness, self._policy)
            yield from harness_changes(harness, self._policy)
        elif ref.kind == "AgentTemplate":
            template = self._inventory.templates[identity]
            yield from template_changes(template, self._policy)
            for use in server_uses(template, self._inventory):
                yield use.change
                present = present_server(use.server, self._inventory)
                if present is None:
                    self._wanted[use.server.document.ref] = use.server
                elif not is_same_server(use.server, present):
                    self.found.append(taken(use))
        else:
            yield TO_NEW


def _lists(source: SourceText, tasks: Sequence[Task]) -> Iterator[Task]:
    """The typed lists, such as AgentTemplateList, all of whose objects of the old version move."""
    moving: defaultdict[tuple[int, tuple[str | int, ...]], int] = defaultdict(int)
    for task in tasks:
        if task.located.document.prefix:
            moving[task.located.index, task.located.document.prefix[:-2]] += 1
    for (index, prefix), count in moving.items():
        value = value_at(source.values[index], prefix)
        old = [item for item in value["items"] if isinstance(item, dict) and item.get("apiVersion") == OLD]
        if value["apiVersion"] == OLD and len(old) == count:
            locator = next(task.located.document.locator for task in tasks if task.located.index == index)
            yield Task(Located(Document(source.path, value, locator, prefix), index), (TO_NEW,))


def _file(source: SourceText, tasks: Sequence[Task]) -> FilePlan | None:
    """A file with all its tasks done; None where that cannot be written."""
    whole = rewrite(source, tasks)
    added = [task for task in tasks if task.addition is not None]
    between = rewrite(source, added) if added else None
    if whole is None or (added and between is None):
        return None
    return FilePlan(
        source.path,
        source.encoded(source.text),
        source.encoded(whole.text),
        _encoded(source, between, whole),
        tuple(_moved(tasks)),
        tuple(dataclasses.replace(task.located.document.ref, kind="RemoteMCPServer") for task in added),
    )


def _encoded(source: SourceText, between: Rewriting | None, whole: Rewriting) -> bytes | None:
    return None if between is None or between.text == whole.text else source.encoded(between.text)


def _moved(tasks: Iterable[Task]) -> Iterator[ObjectRef]:
    for task in tasks:
        if task.changes and not task.located.document.ref.kind.endswith("List"):
            yield task.located.document.ref


def _staying(document: Document, fault: Diagnostic) -> Diagnostic:
    """The note that an object stays as it is, at the field that keeps it."""
    ref = document.ref
    return dataclasses.replace(
        _of_old(document, fault),
        reason=Reason.NOT_MIGRATABLE,
        severity=Severity.INFO,
        message=f"{ref.kind} `{ref.name}` stays `{OLD}`, because in `{NEW}` {fault.message}",
        hint="change the field and migrate again; templates of either version can refer to it",
    )


def _of_old(document: Document, fault: Diagnostic) -> Diagnostic:
    """A fault of the moved object, told of the one that is there."""
    return dataclasses.replace(fault, object=document.ref)


def _unwritable(source: SourceText, tasks: Sequence[Task]) -> Diagnostic:
    task, field = find_obstacle(source, tasks)
    document = task.located.document
    name = document.ref.name
    if task.addition is None:
        message = f"{document.ref.kind} `{name}` cannot be edited in place without another change"
        hint = "write it out, without anchors, aliases and merges that others use, or migrate it by hand"
    else:
        message = f"RemoteMCPServer `{name}` cannot be written behind MCPServer `{name}`"
        url = task.addition["spec"]["url"]
        hint = f"write it into a file of its own, with `spec.url: {url}`, and migrate again"
    return document.fault(Reason.NOT_MIGRATABLE, field, message, hint=hint)
