"""A part that is measured looks as it did to whoever calls it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import pytest

from kagent_apply.observability.measured_parts import measured_store, traced
from kagent_apply.observability.tracing import PassingTracing
from tests.apply.observability.scraping import new_metrics, scraped, value


@runtime_checkable
class Checking(Protocol):
    """What only some parts can do."""

    def check(self) -> None: ...


class Part:
    """Methods of every sort."""

    kept = "as it is"

    def __init__(self) -> None:
        self.calls = 0

    @property
    def draining(self) -> bool:
        return self.calls > 0

    def put(self, name: str, *, hold: int = 1) -> tuple[str, int]:
        """Put something."""
        self.calls += 1
        return name, hold

    def fail(self) -> None:
        raise KeyError("x")


class Collecting:
    """Tracing of which nobody knows that it collects nothing."""

    span = PassingTracing().span
    close = PassingTracing().close


class CheckingPart(Part):
    """One that can do more."""

    def check(self) -> None:
        """Nothing."""


def test_calls_give_and_raise_what_they_did() -> None:
    measured = traced(Part(), "part", Collecting())
    assert measured.put("a", hold=3) == ("a", 3)
    assert (measured.draining, measured.calls, measured.kept) == (True, 1, "as it is")
    assert measured.put.__doc__ == "Put something."
    with pytest.raises(KeyError, match="x"):
        measured.fail()
    with pytest.raises(AttributeError):
        measured.missing  # type: ignore[attr-defined]  # noqa: B018


def test_a_part_is_left_as_it_is_where_nobody_collects_spans() -> None:
    part = Part()
    assert traced(part, "part", PassingTracing()) is part


@pytest.mark.parametrize(("part", "can"), [(Part(), False), (CheckingPart(), True)])
def test_what_a_part_can_do_can_still_be_asked(part: Part, can: bool) -> None:
    assert isinstance(traced(part, "part", Collecting()), Checking) is can


def test_every_call_is_timed_and_a_failure_is_counted_too() -> None:
    metrics = new_metrics()
    store = measured_store(Part(), metrics, PassingTracing())
    store.put("a")
    with pytest.raises(KeyError):
        store.fail()
    found = scraped(metrics.registry)
    assert value(found, "store_call_seconds_count", call="put") == 1
    assert value(found, "store_call_seconds_count", call="fail") == 1
    assert (
        value(found, "store_errors_total", call="put"),
        value(found, "store_errors_total", call="fail"),
    ) == (None, 1)
