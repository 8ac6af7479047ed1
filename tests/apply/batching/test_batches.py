"""Who waits together is served together, in order, by one of them; nobody waits for ever."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from kagent_apply.batching.batches import Batches, Turn

PATIENCE = 60


class Scene:
    """Batches whose first waits until so many others have come."""

    def __init__(self, others: int, most: int) -> None:
        self.done: list[list[int]] = []
        self._begun, self._others, self._most = threading.Event(), others, most

    def run(self) -> list[Future[int]]:
        batches: Batches[int] = Batches(self._do, self._most)
        with ThreadPoolExecutor(self._others + 1) as pool:
            first = pool.submit(batches.run, 0)
            assert self._begun.wait(PATIENCE)
            others = []
            for number in range(1, self._others + 1):
                others.append(pool.submit(batches.run, number))
                while batches.waiting < number:
                    threading.Event().wait(0.001)
            self._begun.clear()
        return [first, *others]

    def _do(self, turns: Sequence[Turn[int]]) -> None:
        self.done.append([turn.work for turn in turns])
        if len(self.done) == 1:
            self._begun.set()
            while self._begun.is_set():
                threading.Event().wait(0.001)
        for turn in turns:
            if turn.work == 3:
                turn.error = ValueError("three")
            turn.result = turn.work * 10
        if turns[0].work == 5:
            raise KeyboardInterrupt


def test_who_waits_is_served_in_order_and_so_many_at_once() -> None:
    scene = Scene(others=4, most=3)
    results = scene.run()
    assert scene.done == [[0], [1, 2, 3], [4]]
    assert [results[number].result() for number in (0, 1, 2, 4)] == [0, 10, 20, 40]
    with pytest.raises(ValueError, match="three"):
        results[3].result()


def test_an_interrupted_leader_leaves_nobody_waiting() -> None:
    scene = Scene(others=7, most=2)
    results = scene.run()
    assert scene.done == [[0], [1, 2], [3, 4], [5, 6], [7]]
    with pytest.raises(KeyboardInterrupt):
        results[5].result()
    with pytest.raises(RuntimeError, match="was interrupted"):
        results[6].result()
    assert results[7].result() == 70
