"""A revision serves once Substrate has its ActorTemplates; until then, what served before does."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from kagent_apply.instances.prepared import PreparedRevision
from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.index import RevisionIndex
from kagent_apply.revisions.last_served import LastServed
from kagent_apply.revisions.port import NotServed
from kagent_apply.revisions.readiness import LONGEST_PAUSE, WORKERS, Readiness, pause_after
from kagent_apply.substrate.port import ComputeDeniedError, ComputeRefusedError, ComputeUnavailableError
from tests.apply.revisions.memory import MemoryRepository
from tests.apply.revisions.world import PAIRS, Clock, Served, Substrate, agent, edition, revision

EVERY = dict.fromkeys(PAIRS, 0)
AWAY = ComputeUnavailableError("nobody answers", "try again")
DENIED = ComputeDeniedError("it has no role", "give it one")
REFUSED = ComputeRefusedError("the template differs", "render again")
WAIT_SECONDS = 60.0


def waiting_for(answer: bool | Exception, tmp_path: Path) -> tuple[Served, MemoryRepository, str]:
    """A process that serves edition 1, and of whose second edition Substrate says something of one pair."""
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    upstream.commit(edition(2))
    newest = revision("researcher", edition(2))
    running.substrate.answers[newest] = answer
    running.substrate.asked.clear()
    return running.refresh(), upstream, newest


STALLED = {"coordinator": 1, "researcher": 0, "reviewer": 1}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (False, "its ActorTemplates are not ready yet"),
        (AWAY, "Substrate cannot be asked: nobody answers"),
        (DENIED, "Substrate does not let this service make it: it has no role"),
        (REFUSED, "Substrate refuses it: the template differs"),
        (RuntimeError("a token that is secret"), "it failed unexpectedly with `RuntimeError`"),
    ],
)
def test_what_is_not_ready_does_not_serve(answer: bool | Exception, said: str, tmp_path: Path) -> None:
    running, _, newest = waiting_for(answer, tmp_path)
    assert running.serving(edition(1), edition(2)) == STALLED
    assert running.problem("researcher").endswith(said)
    (status,) = [status for status in running.index.pairs() if status.agent == agent("researcher")]
    assert (status.committed, status.serving) == (newest, revision("researcher", edition(1)))
    assert running.restart().serving(edition(1), edition(2)) == STALLED


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        *(
            (waits, "wait until it is prepared, and ask for the same again")
            for waits in (False, AWAY, DENIED)
        ),
        (REFUSED, "correct that, and commit it"),
    ],
)
def test_who_may_only_wait_is_told_to(answer: bool | Exception, hint: str, tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept")
    running.substrate.answers[revision("researcher", edition(1))] = answer
    found = running.refresh().index.serving(agent("researcher"))
    assert isinstance(found, NotServed)
    assert (found.hint, found.unknown) == (hint, False)


def test_what_substrate_was_not_asked_for_yet_is_not_known(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept")
    running.index._read_ref()
    found = running.index.serving(agent("researcher"))
    assert isinstance(found, NotServed)
    assert found.unknown
    assert found.message.endswith("its ActorTemplates have not been asked for yet")


@pytest.mark.parametrize("answer", [False, AWAY, DENIED, RuntimeError("x")])
def test_it_is_tried_again_after_longer_and_longer_pauses(answer: bool | Exception, tmp_path: Path) -> None:
    running, _, newest = waiting_for(answer, tmp_path)
    for tries in range(10):
        asked = running.substrate.asked.count(newest)
        assert asked == tries + 1
        running.clock.now += pause_after(tries) * 0.9
        assert running.refresh().substrate.asked.count(newest) == asked
        running.clock.now += pause_after(tries) * 0.2
        running.refresh()
    assert pause_after(100) == LONGEST_PAUSE
    running.substrate.answers.clear()
    running.clock.now += LONGEST_PAUSE
    assert running.refresh().serving(edition(1), edition(2)) == dict.fromkeys(PAIRS, 1)
    assert running.problem("researcher") == ""


def test_a_refusal_holds_until_there_is_another_commit(tmp_path: Path) -> None:
    running, upstream, _ = waiting_for(REFUSED, tmp_path)
    running.substrate.answers.clear()
    running.clock.now += 10 * LONGEST_PAUSE
    assert running.refresh().serving(edition(1), edition(2)) == STALLED
    upstream.commit({**edition(2), "README": b"again"})
    assert running.refresh().serving(edition(1), edition(2)) == dict.fromkeys(PAIRS, 1)


@pytest.mark.parametrize("answer", [False, REFUSED])
def test_a_retry_asks_at_once_for_what_is_not_ready_and_for_nothing_else(
    answer: bool | Exception, tmp_path: Path
) -> None:
    running, _, newest = waiting_for(answer, tmp_path)
    running.substrate.asked.clear()
    assert running.refresh().substrate.asked == []
    running.substrate.answers[newest] = True
    running.index.retry()
    assert running.refresh().serving(edition(1), edition(2)) == dict.fromkeys(PAIRS, 1)
    assert len(running.substrate.asked) == 1


def test_what_is_ready_is_not_asked_for_again(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    upstream.commit({**edition(1), "README": b"again"})
    running.clock.now += 1000
    running.refresh()
    assert sorted(running.substrate.asked) == sorted(revision(name, edition(1)) for name in PAIRS)


def test_a_revision_of_another_generation_is_a_problem_of_its_pair(tmp_path: Path) -> None:
    class OneGeneration(Substrate):
        def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
            if revision.target != "ateapi/v0.4":
                raise ComputeRefusedError(f"this Substrate takes no `{revision.target}`", "render for it")
            return True

    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept", OneGeneration()).refresh()
    assert running.serving(edition(1)) == dict.fromkeys(PAIRS)
    assert "takes no `ate.dev/v1alpha1`" in running.problem("researcher")
    upstream.commit(edition(1, "substrate-v0.4"))
    assert running.refresh().serving(edition(1, "substrate-v0.4")) == EVERY


def made_up(number: int) -> PreparedRevision:
    return PreparedRevision(AgentName("a", "h", f"t{number}"), f"sha256:{number:064}", "ateapi/v0.4", {}, ())


def test_while_substrate_is_away_it_is_not_asked_for_every_pair() -> None:
    substrate, clock = Substrate(default=AWAY), Clock()
    readiness = Readiness(substrate, clock, 1.0)
    wanted = {made_up(number).agent: made_up(number) for number in range(100)}
    asked = []
    for _ in range(3):
        list(readiness.ask(wanted, "c"))
        list(readiness.ask(wanted, "c"))
        asked.append(len(substrate.asked))
        due = readiness.next_due()
        assert due is not None
        assert due > clock.now
        clock.now = due
    assert asked == [WORKERS, 2 * WORKERS, 3 * WORKERS]
    assert len(set(substrate.asked)) == 3 * WORKERS  # those that failed wait behind the others
    substrate.default = True
    clock.now += LONGEST_PAUSE
    assert len(list(readiness.ask(wanted, "c"))) == len(wanted)
    assert readiness.next_due() is None


def test_failures_of_some_keep_no_other_from_being_asked() -> None:
    wanted = {made_up(number).agent: made_up(number) for number in range(100)}
    substrate = Substrate({made_up(number).revision: AWAY for number in range(0, 100, 2)})
    assert len(list(Readiness(substrate, Clock(), 1.0).ask(wanted, "c"))) == len(wanted)


def test_the_index_answers_while_it_loads_and_follows_a_poke(tmp_path: Path) -> None:
    asked, go_on = threading.Event(), threading.Event()

    class Slow(Substrate):
        def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
            asked.set()
            return go_on.wait(WAIT_SECONDS)

    served = {name: threading.Event() for name in ("first", "second")}
    upstream = MemoryRepository()
    upstream.commit(edition(1))

    def on_event(event: object) -> None:
        answers = [index.serving(agent(name)) for name in PAIRS]
        found = {answer.revision for answer in answers if isinstance(answer, PreparedRevision)}
        for number, name in enumerate(served, 1):
            if found == {revision(pair, edition(number)) for pair in PAIRS}:
                served[name].set()

    index = RevisionIndex(upstream, Slow(), LastServed(tmp_path), on_event)
    loader = threading.Thread(target=index.run, args=(3600.0,))
    loader.start()
    try:
        assert asked.wait(WAIT_SECONDS)
        assert isinstance(index.serving(agent("reviewer")), NotServed)
        go_on.set()
        assert served["first"].wait(WAIT_SECONDS)
        upstream.commit(edition(2))
        index.poke()
        assert served["second"].wait(WAIT_SECONDS)
    finally:
        go_on.set()
        index.stop()
        loader.join(WAIT_SECONDS)
    assert not loader.is_alive()


def test_what_no_reader_foresaw_does_not_end_the_loader(tmp_path: Path) -> None:
    upstream = MemoryRepository()
    upstream.commit(edition(1))
    running = Served(upstream, tmp_path / "kept").refresh()
    whole = dict(upstream.objects)
    upstream.commit(edition(2))
    newest = dict(upstream.objects)
    upstream.objects = {upstream.branch: ("commit", None)}  # type: ignore[dict-item]
    assert running.refresh().serving(edition(1)) == EVERY
    assert "failed unexpectedly with `AttributeError`" in running.index.problem()
    upstream.objects = whole | newest
    assert running.refresh().serving(edition(1), edition(2)) == dict.fromkeys(PAIRS, 1)
