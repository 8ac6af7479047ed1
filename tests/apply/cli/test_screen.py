"""Tables on a terminal: what is left out where it is narrow, and where problems stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from kagent_apply.api.gitops.v1alpha1 import revisions_pb2
from kagent_apply.api.v1alpha1 import agent_instances_pb2
from kagent_apply.cli.client.shown import instance, instances, pairs
from kagent_apply.cli.client.table import Cell, Screen, table

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
AGENT = {"namespace": "agent-team", "harness": "python-runtime", "agent_template": "incident-coordinator"}


def screen(width: int | None) -> Screen:
    return Screen(width, colour=False)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (None, "A   B   C\naa  bb  cc"),
        (10, "A   B   C\naa  bb  cc"),
        (9, "A   C\naa  cc"),
        (5, "C\ncc"),
        (1, "C\ncc"),
    ],
)
def test_columns_are_left_out_one_after_the_other(width: int | None, shown: str) -> None:
    row = [Cell("aa"), Cell("bb"), Cell("cc")]
    assert table(["A", "B", "C"], [row], screen(width), ("B", "A")) == shown


def made(**given: str) -> agent_instances_pb2.AgentInstance:
    found = agent_instances_pb2.AgentInstance(
        id="8fd6040c-1661-4022-abf1-1b0fab85ff08",
        namespace="agent-team",
        harness={"name": "python-runtime"},
        agent_template={"name": "incident-coordinator"},
        state=agent_instances_pb2.AGENT_INSTANCE_STATE_SUSPENDED,
        prepared_revision=f"sha256:{'0' * 64}",
        labels=given,
    )
    then = Timestamp()
    then.FromDatetime(NOW - timedelta(minutes=3))
    found.created_at.CopyFrom(then)
    return found


def test_a_list_fits_80_columns() -> None:
    shown = instances([made()], NOW, screen(80), creators=False)
    assert shown.splitlines()[1].split() == [made().id, "incident-coordinator", "SUSPENDED", "3m"]
    assert max(map(len, shown.splitlines())) <= 80


def test_an_instance_has_a_line_for_each_label() -> None:
    lines = instance(made(b="2", a="1"), NOW, screen(80)).splitlines()
    assert [line for line in lines if "=" in line] == ["labels    a=1", "          b=2"]


def test_what_is_wider_than_the_screen_is_below_its_name_in_one_piece() -> None:
    found = made()
    lines = instance(found, NOW, screen(80)).splitlines()
    place = lines.index("revision")
    assert lines[place + 1] == f"  {found.prepared_revision}"
    assert f"revision  {found.prepared_revision}" in instance(found, NOW, screen(81)).splitlines()


def test_a_sentence_goes_on_below_itself_between_its_words() -> None:
    found = made()
    found.failure.reason, found.failure.message = "ActorRefused", "one word after another " * 5
    lines = instance(found, NOW, screen(80)).splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("failure"))
    told = [lines[place].removeprefix("failure   "), *(line[10:] for line in lines[place + 1 : place + 2])]
    assert " ".join(told) == f"ActorRefused: {'one word after another ' * 5}".strip()
    assert lines[place + 1].startswith("          ")
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("width", [None, 500])
def test_in_a_pipe_or_a_wide_terminal_each_field_has_one_line(width: int | None) -> None:
    found = made()
    found.failure.reason, found.failure.message = "ActorRefused", "one word after another " * 15
    assert len(instance(found, NOW, screen(width)).splitlines()) == 7


def test_problems_are_below_the_table_on_a_screen() -> None:
    good = revisions_pb2.Pair(**AGENT, serving="a" * 12, committed="a" * 12, commit="c" * 40)
    bad = revisions_pb2.Pair(**{**AGENT, "agent_template": "x"}, committed="b" * 12, problem="p " * 60 + "p")
    shown = pairs([good, bad], screen(80)).splitlines()
    assert [line.split()[2:] for line in shown[:3]] == [
        ["TEMPLATE", "SERVING", "COMMITTED"],
        ["incident-coordinator", "a" * 12, "a" * 12],
        ["x", "none", "b" * 12],
    ]
    assert shown[3:] == ["", "agent-team/python-runtime/x", f"  {'p ' * 38}p", f"  {'p ' * 21}p"]
    assert "PROBLEM" in pairs([good, bad], screen(None)).splitlines()[0]
