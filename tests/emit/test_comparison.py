"""Sorting what an output folder holds into planned, ours and foreign."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.comparison import compare, drift
from kagent_render.emit.folder import Entry, EntryKind, MemoryOutput
from kagent_render.emit.plan import HEADER, AgentOutput, plan_output
from tests.emit.outputs import AFTER, BEFORE, plan_of

EMPTY = plan_output([])
ONE = plan_of(("a", "py", "one", "v1"))
OLD = "a/py/one/actortemplates/one-py-ffffffffffff.yaml"


def compared(plan: Any, **extra: bytes) -> Any:
    return compare(plan, MemoryOutput({**plan.files, **extra}))


def test_a_folder_as_planned_has_only_unchanged_files() -> None:
    comparison = compared(BEFORE)
    assert comparison.unchanged == tuple(BEFORE.files)
    assert comparison.stale == ()
    assert drift(comparison, "rendered") == []


def test_a_missing_a_changed_and_an_unchanged_file_are_told_apart() -> None:
    files = dict(ONE.files)
    first, second, *rest = files
    del files[first]
    files[second] += b"\n"
    comparison = compare(ONE, MemoryOutput(files))
    assert (comparison.missing, comparison.changed) == ((first,), (second,))
    assert comparison.unchanged == tuple(rest)


def test_only_files_of_pairs_that_are_gone_are_orphaned() -> None:
    comparison = compare(AFTER, MemoryOutput(BEFORE.files))
    gone = {path for path in BEFORE.files if path.startswith(("a/py/two/", "b/"))}
    assert set(comparison.orphaned) == gone
    assert comparison.foreign == ()


@pytest.mark.parametrize(
    ("plan", "path", "content"),
    [
        (ONE, OLD, b""),
        (ONE, "b/py/gone/revision.lock.yaml", b"<<<<<<<"),
        (ONE, "b/py/gone/actortemplates/gone-py-ffffffffffff.yaml", b""),
        (ONE, "b/kustomization.yaml", HEADER.encode()),
        (EMPTY, "kustomization.yaml", HEADER.encode() + b"more"),
        (EMPTY, ".gitattributes", HEADER.encode()),
    ],
)
def test_what_only_we_write_is_orphaned_when_unplanned(plan: Any, path: str, content: bytes) -> None:
    assert compared(plan, **{path: content}).orphaned == (path,)


@pytest.mark.parametrize(
    ("plan", "path"),
    [
        (ONE, "README.md"),
        (ONE, "a/py/one/notes.md"),
        (ONE, "a/py/one/actortemplates/extra.yaml"),
        (ONE, "a/py/one/actortemplates/other-py-ffffffffffff.yaml"),
        (ONE, "b/kustomization.yaml"),
        (ONE, "b/base/app/kustomization.yaml"),
        (ONE, "b/base/app/actortemplates/x.yaml"),
        (EMPTY, "kustomization.yaml"),
        (EMPTY, ".gitattributes"),
    ],
)
def test_what_somebody_else_may_have_written_is_foreign_and_drift(plan: Any, path: str) -> None:
    comparison = compared(plan, **{path: b"theirs"})
    assert (comparison.foreign, comparison.orphaned) == ((path,), ())
    [diagnostic] = drift(comparison, "out")
    assert diagnostic.reason is Reason.OUTPUT_DRIFT
    assert diagnostic.source is not None
    assert diagnostic.source.path == f"out/{path}"


def test_a_pair_folder_without_lock_is_ours_while_it_holds_our_manifests() -> None:
    files = {path: text for path, text in ONE.files.items() if not path.endswith("lock.yaml")}
    assert set(compare(EMPTY, MemoryOutput(files)).orphaned) == files.keys()


def test_a_kept_pair_is_not_judged() -> None:
    kept = PairRef("a", "py", "one")
    plan = plan_output([], [kept])
    files = {**ONE.files, **plan.files, OLD: b""}
    comparison = compare(plan, MemoryOutput(files))
    assert (comparison.orphaned, comparison.changed, comparison.missing) == ((), (), ())


def agent_files(content: bytes) -> dict[str, bytes]:
    names = ("configmap.yaml", "gateway.yaml", "kustomization.yaml", "revision.lock.yaml", "status.yaml")
    return dict.fromkeys(names, content)


AGENT = PlatformAgentRef("a", "ops")
COMPONENT = {f"a/_agentplugins/ops/{name}": b"c" for name in agent_files(b"")}


def test_a_component_is_planned_beside_pairs_and_listed_by_nothing() -> None:
    plan = plan_output([], agents=[AgentOutput(AGENT, agent_files(b"c"))])
    assert plan.files.keys() == {*COMPONENT, ".gitattributes"}
    assert set(plan.locks) == {"a/_agentplugins/ops/revision.lock.yaml"}
    files = {**plan.files, "a/_agentplugins/ops/gateway.yaml": b"other"}
    comparison = compare(plan, MemoryOutput(files))
    assert (comparison.changed, comparison.orphaned) == (("a/_agentplugins/ops/gateway.yaml",), ())


def test_a_component_of_an_agent_that_is_gone_is_orphaned_and_a_stranger_beside_it_is_not() -> None:
    notes = "a/_agentplugins/ops/notes.md"
    comparison = compared(ONE, **COMPONENT, **{notes: b"", "a/_agentplugins/other/kustomization.yaml": b""})
    assert comparison.orphaned == tuple(sorted(COMPONENT))
    assert comparison.foreign == (notes, "a/_agentplugins/other/kustomization.yaml")


def test_a_kept_component_is_not_judged() -> None:
    plan = plan_output([], [AGENT])
    comparison = compare(plan, MemoryOutput({**plan.files, **COMPONENT}))
    assert comparison.stale == ()


def test_what_a_killed_run_left_is_known() -> None:
    left = "a/py/one/.revision.lock.yaml.kagent-render~"
    assert compared(ONE, **{left: b"ha"}).leftovers == (left,)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a", EntryKind.OTHER),
        ("a", EntryKind.FILE),
        ("a/py/one/revision.lock.yaml", EntryKind.OTHER),
        ("a/py/one/revision.lock.yaml", EntryKind.EMPTY_FOLDER),
        ("a/py/one/revision.lock.yaml/x", EntryKind.FILE),
        ("k/py/kept", EntryKind.OTHER),
    ],
)
def test_what_stands_where_a_file_or_folder_should_be_is_blocking(path: str, kind: EntryKind) -> None:
    plan = plan_of(("a", "py", "one", "v1"), kept=(PairRef("k", "py", "kept"),))
    output = MemoryOutput({path: b""} if kind is EntryKind.FILE else {})
    output.others.update({Entry(path, kind)} - {Entry(path)})
    comparison = compare(plan, output)
    assert comparison.blocking == (path,)
    assert comparison.foreign == ()
    assert [diagnostic.reason for diagnostic in drift(comparison, "out")] == [Reason.OUTPUT_DRIFT]


def test_a_link_elsewhere_is_foreign() -> None:
    output = MemoryOutput(ONE.files)
    output.others.add(Entry("a/py/one/link", EntryKind.OTHER))
    assert compare(ONE, output).foreign == ("a/py/one/link",)


def test_no_foreign_file_is_read() -> None:
    class Watched(MemoryOutput):
        def read(self, path: str, limit: int) -> bytes:
            assert path in ONE.files
            assert limit <= len(ONE.files[path]) + 1
            return super().read(path, limit)

    compare(ONE, Watched({**ONE.files, "huge.bin": b"", "a/py/one/x": b""}))
