"""Ids of instances are UUIDs that grow with time."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

from kagent_apply.operations.instance_id import new_instance_id

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_an_id_is_a_uuid_of_version_7_that_tells_when_it_was_made() -> None:
    made = uuid.UUID(new_instance_id(NOW))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == int(NOW.timestamp() * 1000)


def test_ids_grow_with_time_and_differ_within_a_moment() -> None:
    ids = [new_instance_id(NOW + timedelta(milliseconds=number)) for number in range(100)]
    assert ids == sorted(ids)
    assert len({new_instance_id(NOW) for _ in range(1000)}) == 1000


def test_all_bits_that_are_left_to_chance_are_so() -> None:
    seen = [uuid.UUID(new_instance_id(NOW)).int for _ in range(500)]
    ever, always = 0, -1
    for number in seen:
        ever, always = ever | number, always & number
    assert (ever ^ always) & ((1 << 80) - 1) == ((1 << 76) - 1) & ~(0b11 << 62)
