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


def test_problems_are_below_the_table_on_a_screen() -> None:
    good = revisions_pb2.Pair(**AGENT, serving="a" * 12, committed="a" * 12, commit="c" * 40)
    bad = revisions_pb2.Pair(**{**AGENT, "agent_template": "x"}, committed="b" * 12, problem="p " * 60 + "p")
    shown = pairs([good, bad], screen(80)).splitlines()
    assert [line.split()[2:] for line in shown[:3]] == [
        ["TEMPLATE", "SERVING", "COMMITTED"],
        ["incident-coordinator", "a" * 12, "a" * 12],
        ["x", "none", "b" * 12],
    ]
    assert shown[3:] == ["", "agent-team/python-runtime/x", f"  {'p ' * 60}p"]
    assert "PROBLEM" in pairs([good, bad], screen(None)).splitlines()[0]
