"""Workers: order whatever the parallelism, every error told, an interrupt that waits for nobody."""

from __future__ import annotations

import subprocess
import sys
import threading
from functools import partial

import pytest

from kagent_render.artifacts.workers import run_all

INTERRUPTED = """
import threading
from kagent_render.artifacts.workers import run_all

begun = threading.Event()

def interrupt():
    begun.wait()
    import os, signal
    os.kill(os.getpid(), signal.SIGINT)

def wait_for_ever():
    begun.set()
    threading.Event().wait()

threading.Thread(target=interrupt).start()
try:
    run_all([wait_for_ever] * 3, 2)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("workers", [1, 2, 50])
def test_results_are_in_the_order_of_the_work(workers: int) -> None:
    assert run_all([partial(int, number) for number in range(20)], workers) == list(range(20))


def test_no_work_gives_nothing() -> None:
    assert run_all([], 4) == []


def test_no_more_than_the_asked_for_work_at_a_time() -> None:
    lock, at_work, most = threading.Lock(), 0, 0

    def labour() -> None:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        threading.Event().wait(0.005)
        with lock:
            at_work -= 1

    run_all([labour] * 12, 3)
    assert most == 3


def test_an_error_is_raised_and_what_has_not_begun_does_not_begin() -> None:
    begun: list[int] = []

    def labour(number: int) -> None:
        begun.append(number)
        if number == 0:
            raise ZeroDivisionError
        threading.Event().wait(0.05)

    with pytest.raises(ZeroDivisionError):
        run_all([partial(labour, number) for number in range(200)], 2)
    assert len(begun) < 200


def test_an_interrupt_does_not_wait_for_the_work() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=20, check=False
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr
