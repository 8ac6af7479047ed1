"""Writing a plan: order, repair, and a kill between any two changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.diagnostics.diagnostic import PairRef, PlatformAgentRef
from kagent_render.emit.folder import (
    Entry,
    EntryKind,
    InterruptedRunError,
    MemoryOutput,
    OutputBlockedError,
    OutputError,
)
from kagent_render.emit.layout import COMPONENT_FILES, Role, place_of
from kagent_render.emit.plan import OutputPlan, plan_output
from kagent_render.emit.writer import write_plan
from tests.emit.outputs import AFTER, BEFORE, agent_output, broken_promises, pair_output, plan_of

EMPTY = plan_output([])


class Journal(MemoryOutput):
    """Notes every path that gets its final content, or goes."""

    def __init__(self, files: Any = None) -> None:
        super().__init__(files)
        self.written: list[str] = []
        self.removed: list[str] = []

    def replace(self, source: str, target: str) -> None:
        assert not self.removed
        self.written.append(target)
        super().replace(source, target)

    def remove(self, path: str) -> None:
        self.removed.append(path)
        super().remove(path)


def test_writing_makes_the_folder_hold_the_plan() -> None:
    output = MemoryOutput()
    written = write_plan(BEFORE, output)
    assert output.files == BEFORE.files
    assert written.created == tuple(BEFORE.files)
    written = write_plan(AFTER, output)
    assert output.files == AFTER.files
    assert set(written.removed) == BEFORE.files.keys() - AFTER.files.keys()
    assert "kustomization.yaml" in written.changed


def test_writing_again_changes_nothing() -> None:
    output = MemoryOutput(BEFORE.files)
    assert write_plan(BEFORE, output).paths == ()
    assert output.changes == 0


def test_only_files_that_differ_are_written() -> None:
    output = Journal(BEFORE.files)
    written = write_plan(AFTER, output)
    assert sorted(output.written) == sorted((*written.created, *written.changed))
    assert "c/py/one/revision.lock.yaml" in output.written
    assert not any(BEFORE.files.get(path) == AFTER.files[path] for path in output.written)


def test_manifests_come_before_locks_and_kustomizations_from_the_deepest_up() -> None:
    output = Journal(BEFORE.files)
    write_plan(AFTER, output)
    places = [place_of(path) for path in output.written]
    ranks = [[Role.MANIFEST, Role.LOCK, Role.KUSTOMIZATION].index(place.role) for place in places if place]
    assert ranks == sorted(ranks)
    depths = [path.count("/") for path in output.written if path.endswith("/kustomization.yaml")]
    assert depths == sorted(depths, reverse=True)


def test_a_lock_goes_first_and_the_manifests_that_mark_the_folder_last() -> None:
    output = Journal(BEFORE.files)
    write_plan(EMPTY, output)
    assert output.files == {}
    gone = [path.rpartition("/")[2] for path in output.removed]
    assert gone[:3] == ["revision.lock.yaml"] * 3
    assert gone[3] == "kustomization.yaml"
    assert gone[-1] == ".gitattributes"


def changes(before: OutputPlan, after: OutputPlan) -> int:
    output = MemoryOutput(before.files)
    write_plan(after, output)
    return output.changes


AGENTS = plan_output(
    [pair_output("a", "py", "one", "v1")],
    agents=[agent_output("a", "ops", "v1"), agent_output("b", "ops", "v1")],
)
OTHER_AGENTS = plan_output(
    [pair_output("a", "py", "one", "v2")],
    agents=[agent_output("a", "ops", "v2"), agent_output("c", "ops", "v1")],
)
FAILED_AGENT = plan_output([], [PlatformAgentRef("a", "ops")], [agent_output("b", "ops", "v2")])
KEPT = plan_output([pair_output("b", "py", "one", "v2")], [PairRef("a", "py", "one")])
STEPS = {
    "first run": (EMPTY, BEFORE),
    "edit": (BEFORE, AFTER),
    "undo": (AFTER, BEFORE),
    "last pair gone": (BEFORE, EMPTY),
    "one pair failed": (BEFORE, KEPT),
    "agents come": (BEFORE, AGENTS),
    "agents change, come and go": (AGENTS, OTHER_AGENTS),
    "agents go": (AGENTS, EMPTY),
    "one agent failed": (AGENTS, FAILED_AGENT),
}


@pytest.mark.parametrize(("before", "after"), STEPS.values(), ids=STEPS)
def test_a_kill_at_any_point_leaves_every_promise_kept_and_the_next_run_repairs(
    before: OutputPlan, after: OutputPlan
) -> None:
    finished = MemoryOutput(before.files)
    write_plan(after, finished)
    for moment in range(changes(before, after)):
        output = MemoryOutput(before.files, dies_before=moment)
        with pytest.raises(InterruptedRunError):
            write_plan(after, output)
        assert broken_promises(output.files) == []
        assert every_file_is_whole(output.files, before, after)
        output.dies_before = None
        write_plan(after, output)
        assert output.files == finished.files


def every_file_is_whole(files: dict[str, bytes], before: OutputPlan, after: OutputPlan) -> bool:
    """Whether each file under its own name is that of one of the plans."""
    known = [before.files, after.files]
    return all(
        any(plan.get(path) == content for plan in known)
        for path, content in files.items()
        if place_of(path) is not None
    )


@pytest.mark.parametrize(
    "step", ["first run", "edit", "undo", "last pair gone", "agents come", "agents change, come and go"]
)
def test_a_killed_run_whose_edit_was_taken_back_leaves_nothing_behind(step: str) -> None:
    before, after = STEPS[step]
    for moment in range(changes(before, after)):
        output = MemoryOutput(before.files, dies_before=moment)
        with pytest.raises(InterruptedRunError):
            write_plan(after, output)
        output.dies_before = None
        write_plan(before, output)
        assert output.files == before.files


PAIRS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.just("py"),
        st.sampled_from(["one", "two"]),
        st.sampled_from(["v1", "v2"]),
    ),
    unique_by=lambda pair: pair[:3],
    max_size=3,
)


@settings(deadline=None)
@given(PAIRS, PAIRS, PAIRS, st.data())
def test_any_history_of_killed_runs_is_repaired(first: Any, second: Any, third: Any, data: Any) -> None:
    output = MemoryOutput()
    for pairs in (first, second):
        output.changes, output.dies_before = 0, data.draw(st.integers(0, 40))
        try:
            write_plan(plan_of(*pairs), output)
        except InterruptedRunError:
            assert broken_promises(output.files) == []
    output.dies_before = None
    write_plan(plan_of(*third), output)
    assert output.files == plan_of(*third).files


def test_foreign_files_survive_every_run() -> None:
    foreign = {"README.md": b"r", "b/py/one/notes.md": b"n", "b/_agentplugins/x/kustomization.yaml": b"k"}
    output = MemoryOutput({**BEFORE.files, **foreign})
    write_plan(EMPTY, output)
    assert output.files == foreign


def test_a_kept_pair_keeps_its_files() -> None:
    output = MemoryOutput(BEFORE.files)
    write_plan(KEPT, output)
    kept = {path: text for path, text in BEFORE.files.items() if path.startswith("a/py/one/")}
    assert kept.items() <= output.files.items()
    assert broken_promises(output.files) == []


def test_a_kept_agent_keeps_its_files() -> None:
    output = MemoryOutput(AGENTS.files)
    write_plan(FAILED_AGENT, output)
    kept = {path: text for path, text in AGENTS.files.items() if path.startswith("a/_agentplugins/ops/")}
    assert len(kept) == 5
    assert kept.items() <= output.files.items()


@pytest.mark.parametrize("before", [EMPTY, AGENTS], ids=["first", "again"])
def test_the_lock_of_an_agent_comes_after_the_files_that_it_has_the_digests_of(before: OutputPlan) -> None:
    output = Journal(before.files)
    write_plan(OTHER_AGENTS, output)
    folder = "a/_agentplugins/ops/"
    written = [path.removeprefix(folder) for path in output.written if path.startswith(folder)]
    assert written[:4] == [*COMPONENT_FILES, "revision.lock.yaml"]


def test_a_planned_path_that_is_blocked_is_refused_before_anything_is_written() -> None:
    output = MemoryOutput({"left": b""})
    output.others.add(Entry("a", EntryKind.OTHER))
    with pytest.raises(OutputBlockedError, match="`a` stands where"):
        write_plan(BEFORE, output)
    assert output.files == {"left": b""}


@pytest.mark.parametrize("moment", range(0, 30, 5))
def test_a_full_disk_leaves_every_promise_kept(moment: int) -> None:
    class Full(MemoryOutput):
        def create(self, path: str, data: bytes, *, executable: bool = False) -> None:
            if self.changes >= moment:
                raise OutputError(path, "cannot be written: the disk is full")
            super().create(path, data)

    output = Full(BEFORE.files)
    with pytest.raises(OutputError, match="disk is full"):
        write_plan(plan_of(*((n, "py", t, "v9") for n in "abcdef" for t in ("one", "two"))), output)
    assert broken_promises(output.files) == []
