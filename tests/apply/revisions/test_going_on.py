"""What serves across restarts, and what a process without any memory finds in the history."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions import reading
from kagent_apply.revisions.events import (
    CommitRead,
    FirstTried,
    KeepingFailed,
    PairProblem,
    PairWithdrawn,
    RevisionServes,
)
from kagent_apply.revisions.pair_reading import CommittedRevision, UnusableError
from kagent_apply.revisions.port import NotServed
from kagent_apply.revisions.repository import HISTORY
from tests.apply.revisions.memory import MemoryRepository
from tests.apply.revisions.world import OUTPUT, PAIRS, Served, agent, edition, lock_of, revision

EVERY = dict.fromkeys(PAIRS, 0)
NONE = dict.fromkeys(PAIRS)
BROKEN = {lock_of("researcher"): b"broken"}


def test_what_served_last_serves_from_the_start_of_the_next_process(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    upstream.away = True
    restarted = running.restart()
    assert restarted.serving(edition(1)) == EVERY
    assert restarted.problem("researcher") == "the ref has not been read since the start"
    assert restarted.refresh().serving(edition(1)) == EVERY
    assert "nobody answers" in restarted.index.problem()
    assert restarted.substrate.asked  # its ActorTemplates may be gone since


def test_without_memory_and_repository_nothing_serves_and_says_why(tmp_path: Path) -> None:
    running = Served(MemoryRepository(away=True), tmp_path / "kept")
    answer = running.index.serving(agent("researcher"))
    assert isinstance(answer, NotServed)
    assert answer.unknown
    assert "has not been read since the start" in answer.message
    answer = running.refresh().index.serving(agent("researcher"))
    assert isinstance(answer, NotServed)
    assert "nobody answers" in running.index.problem()
    assert "of a test" not in answer.message + answer.hint  # callers are not told where the repository is


def change(where: str, to: Any) -> Callable[[Path], None]:
    def tamper(path: Path) -> None:
        document = json.loads(path.read_text())
        document[where] = to(document[where]) if callable(to) else to
        path.write_text(json.dumps(document))

    return tamper


def elsewhere(path: Path) -> None:
    path.with_suffix(".moved").write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(path.with_suffix(".moved"))


@pytest.mark.parametrize(
    "tamper",
    [
        change("lock", lambda lock: lock.replace("agent-runtime", "other-runtime", 1)),
        change("lock", lambda lock: lock.replace("prompts", "pr0mpts")),
        change("manifests", lambda manifests: {name: f"{text}#\n" for name, text in manifests.items()}),
        change("manifests", {}),
        change("pair", ["agent-team", "python-runtime", "other"]),
        change("pair", ["..", "..", "x"]),
        change("version", 2),
        lambda path: path.write_text("{"),
        lambda path: path.write_bytes(b"\xff"),
        lambda path: path.write_text("[" * 100_000),
        elsewhere,
    ],
)
def test_what_was_kept_is_verified_like_a_commit(tamper: Callable[[Path], None], tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    Served(upstream, tmp_path).refresh()
    assert Served(upstream, tmp_path).serving(edition(1)) == EVERY
    for path in list(tmp_path.glob("*.json")):
        before = path.read_bytes()
        tamper(path)
        assert path.is_symlink() or path.read_bytes() != before
    assert Served(upstream, tmp_path).serving(edition(1)) == NONE


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    (tmp_path / "kept").write_text("a file")
    running = Served(upstream, tmp_path / "kept").refresh()
    assert running.serving(edition(1)) == EVERY
    assert sum(isinstance(event, KeepingFailed) for event in running.events) == len(PAIRS)


def test_a_write_that_was_cut_short_leaves_what_was_there(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    Served(upstream, tmp_path).refresh()
    (tmp_path / ".x.partial").write_text("{")
    assert Served(upstream, tmp_path).serving(edition(1)) == EVERY


def test_a_process_without_memory_finds_the_last_good_one_in_the_history(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    upstream.commit(edition(2))
    for number in range(HISTORY - 1):
        upstream.commit({**edition(3), **BROKEN, "number": b"%d" % number})
    upstream.commit({**edition(3), **BROKEN})
    editions = edition(1), edition(2), edition(3)
    expected = {"coordinator": 2, "researcher": 1, "reviewer": 2}
    assert Served(upstream, tmp_path / "fresh").refresh().serving(*editions) == expected
    upstream.commit({**edition(3), **BROKEN, "more": b""})
    beyond = {**expected, "researcher": None}
    assert Served(upstream, tmp_path / "late").refresh().serving(*editions) == beyond


def test_a_good_one_between_two_readings_is_not_missed(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    upstream.commit(edition(2))
    upstream.commit({**edition(3), **BROKEN})
    for served in (running, running.restart(), Served(upstream, tmp_path / "fresh")):
        assert served.refresh().serving(edition(1), edition(2), edition(3))["researcher"] == 1


@pytest.mark.parametrize("seen", [True, False])
def test_what_was_withdrawn_does_not_come_back_broken(seen: bool, tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    upstream.commit({"README": b"nothing here"})
    if seen:
        running.refresh()
    upstream.commit({**edition(2), **BROKEN})
    for served in (running, running.restart(), Served(upstream, tmp_path / "fresh")):
        assert served.refresh().serving(edition(1), edition(2)) == {
            "coordinator": 1,
            "researcher": None,
            "reviewer": 1,
        }


def test_an_object_that_comes_later_is_read_without_another_commit(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    before = set(upstream.objects)
    upstream.commit(edition(2))
    upstream.lost = {name for name in set(upstream.objects) - before if upstream.objects[name][0] == "blob"}
    assert running.refresh().serving(edition(1), edition(2)) == EVERY
    assert "lacks the object" in running.problem("researcher")
    upstream.lost = set()
    assert running.refresh().serving(edition(1), edition(2)) == dict.fromkeys(PAIRS, 1)


def test_only_what_changed_is_read(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    upstream.read.clear()
    changed = {path: data for path, data in edition(2).items() if "incident-reviewer/" in path}
    kept = {path: data for path, data in edition(1).items() if "incident-reviewer/" not in path}
    upstream.commit({**kept, **changed, "docs/x.md": b"a change of no pair"})
    running.refresh()
    assert len(upstream.read) == 2  # the lock and its one manifest


def test_labels_are_new_although_the_revision_is_not(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    files = edition(1)
    upstream.commit(files)
    running = Served(upstream, tmp_path / "kept").refresh()
    labelled = files[lock_of("researcher")].replace(
        b"example.com/runtime: python", b"example.com/runtime: other"
    )
    upstream.commit({**files, lock_of("researcher"): labelled})
    for served in (running.refresh(), running.restart()):
        found = served.index.serving(agent("researcher"))
        assert not isinstance(found, NotServed)
        assert (found.revision, found.labels["example.com/runtime"]) == (
            revision("researcher", files),
            "other",
        )


def test_each_change_is_told_once(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    first = upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh().refresh()
    served = {RevisionServes(agent(name), revision(name, edition(1)), first) for name in PAIRS}
    assert running.events[0] == CommitRead(first, 3)
    assert (set(running.events[1:-1]), len(running.events)) == (served, 5)
    assert running.events[-1] == FirstTried(first, 3, 0, None)
    running.events.clear()
    second = upstream.commit({**edition(1), **BROKEN})
    running.refresh()
    running.refresh()
    (read, told) = running.events
    assert read == CommitRead(second, 3)
    assert isinstance(told, PairProblem)
    assert told.agent == agent("researcher")
    running.events.clear()
    third = upstream.commit(edition(1))
    running.refresh()
    assert running.events == [CommitRead(third, 3), PairProblem(agent("researcher"), "", third)]
    running.events.clear()
    last = upstream.commit({f"{OUTPUT}/x": b""})
    running.refresh()
    assert set(running.events[1:]) == {PairWithdrawn(agent(name), last) for name in PAIRS}


def test_each_time_that_the_ref_is_read_is_told(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    running = Served(upstream, tmp_path / "kept").refresh()
    assert (running.reads, running.index.is_known) == (0, False)
    upstream.commit(edition(1))
    assert running.refresh().refresh().reads == 2
    upstream.away = True
    assert (running.refresh().reads, running.index.is_known) == (2, True)
    restarted = running.restart().refresh()
    assert (restarted.reads, restarted.index.is_known) == (0, True)  # by what served before


def test_what_is_the_same_byte_for_byte_is_not_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    restarted = running.restart()
    upstream.commit({**edition(1), lock_of("reviewer"): edition(2)[lock_of("reviewer")]})
    parsed: list[str] = []

    def note(agent: AgentName, *_: object) -> CommittedRevision:
        parsed.append(agent.agent_template)
        raise UnusableError("noted")

    monkeypatch.setattr(reading, "read_pair", note)
    assert restarted.refresh().serving(edition(1)) == EVERY
    assert parsed[:1] == ["incident-reviewer"]
    assert set(parsed) == {"incident-reviewer"}


def test_pairs_that_do_not_serve_at_the_start_are_told_together(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    first = upstream.commit({**edition(1), **BROKEN})
    running = Served(upstream, tmp_path / "kept").refresh().refresh()
    (tried,) = (event for event in running.events if isinstance(event, FirstTried))
    assert (tried.commit, tried.current, tried.behind) == (first, 2, 1)
    assert tried.example is not None
    assert tried.example.agent == agent("researcher")
