"""No signal that a server gets is missed, whichever of its threads the system gives it to."""

from __future__ import annotations

import signal
import threading

import pytest

from kagent_apply.cli.server.signals import signals


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_another_thread_ends_the_wait_of_this_one(number: signal.Signals) -> None:
    with signals() as received:
        received.serve()
        other = threading.Timer(0.1, lambda: signal.pthread_kill(threading.get_ident(), number))
        other.start()
        assert received.next() == number
        other.join()


def test_signals_come_in_their_order_and_others_are_not_told_of() -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with signals() as received:
            received.serve()
            for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGHUP, signal.SIGTERM):
                signal.raise_signal(number)
            assert [received.next() for _ in range(3)] == [signal.SIGHUP, signal.SIGHUP, signal.SIGTERM]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_handlers_and_descriptors_are_as_before_afterwards() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)]
    told = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(told)
    with signals():
        pass
    assert [signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)] == before
    assert signal.set_wakeup_fd(told) == told
