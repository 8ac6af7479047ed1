"""Instances, shares and pairs as rows and fields."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Final

from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
from kagent_apply.cli.client.table import Cell, Screen, fields, painted, table
from kagent_apply.cli.client.times import age, moment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from google.protobuf.timestamp_pb2 import Timestamp

    from kagent_apply.api.gitops.v1alpha1 import revisions_pb2

_MEANINGS: Final = {"READY": "good", "FAILED": "bad", "CREATING": "busy", "DELETING": "busy"}
_UNKNOWN: Final = "?"


def instances(found: Sequence[api.AgentInstance], now: datetime, screen: Screen, *, creators: bool) -> str:
    """Instances as a table, with the revisions that they are of, and their creators where these differ."""
    head = ["ID", "HARNESS", "TEMPLATE", "REVISION", "STATE", *(["CREATOR"] if creators else []), "AGE"]
    rows = [_row(made, now, creators=creators) for made in found]
    return table(head, rows, screen, ("HARNESS", "REVISION", "AGE"))


def _row(made: api.AgentInstance, now: datetime, *, creators: bool) -> list[Cell]:
    return [
        Cell(made.id),
        Cell(made.harness.name),
        Cell(made.agent_template.name),
        Cell(_short(made.prepared_revision), "dim"),
        _state(made),
        *([Cell(made.creator)] if creators else []),
        Cell(age(_time(made.created_at), now)),
    ]


def instance(made: api.AgentInstance, now: datetime, screen: Screen) -> str:
    """One instance with all that is told of it."""
    labels = [f"{key}={made.labels[key]}" for key in sorted(made.labels)]
    return fields(
        [
            ("id", Cell(made.id)),
            ("agent", Cell(f"{made.namespace}/{made.harness.name}/{made.agent_template.name}")),
            ("state", _state(made)),
            ("failure", Cell(_failure(made), "bad")),
            ("creator", Cell(made.creator)),
            ("revision", Cell(made.prepared_revision)),
            ("address", Cell(made.a2a_authority)),
            *(("" if number else "labels", Cell(label)) for number, label in enumerate(labels)),
            ("created", Cell(moment(_time(made.created_at), now))),
            ("updated", Cell(moment(_time(made.updated_at), now))),
        ],
        screen,
    )


def shares(found: Sequence[api.AgentInstanceShare], now: datetime, screen: Screen) -> str:
    """Shares as a table."""
    rows = [
        [Cell(made.id), Cell(_permission(made.permission)), Cell(age(_time(made.created_at), now))]
        for made in found
    ]
    return table(["ID", "PERMISSION", "AGE"], rows, screen)


def share(made: api.AgentInstanceShare, token: str, now: datetime, screen: Screen) -> str:
    """A new share with its token."""
    return fields(
        [
            ("id", Cell(made.id)),
            ("instance", Cell(made.agent_instance_id)),
            ("permission", Cell(_permission(made.permission))),
            ("created", Cell(moment(_time(made.created_at), now))),
            ("token", Cell(token, "busy")),
        ],
        screen,
    )


def pairs(found: Sequence[revisions_pb2.Pair], screen: Screen) -> str:
    """Pairs as a table: what serves, what is committed, and why that is not the same.

    On a screen, problems are below the table: each of them is a sentence.
    """
    head = ["NAMESPACE", "HARNESS", "TEMPLATE", "SERVING", "COMMITTED", "COMMIT", "PROBLEM"]
    rows = [_pair(pair) for pair in found]
    if screen.width is None:
        return table(head, rows, screen)
    shown = table(head[:-1], [row[:-1] for row in rows], screen, ("COMMIT", "COMMITTED"))
    return "\n".join([shown, *(_problem(pair, screen) for pair in found if pair.problem)])


def _problem(pair: revisions_pb2.Pair, screen: Screen) -> str:
    name = f"{pair.namespace}/{pair.harness}/{pair.agent_template}"
    return f"\n{painted(Cell(name, 'bad'), screen)}\n  {painted(Cell(pair.problem), screen)}"


def _pair(pair: revisions_pb2.Pair) -> list[Cell]:
    current = bool(pair.serving) and pair.serving == pair.committed
    return [
        Cell(pair.namespace),
        Cell(pair.harness),
        Cell(pair.agent_template),
        Cell(_short(pair.serving) or "none", "good" if current else "busy" if pair.serving else "bad"),
        Cell(_short(pair.committed) or "none"),
        Cell(pair.commit[:12], "dim"),
        Cell(pair.problem, "bad"),
    ]


def _short(revision: str) -> str:
    """Enough of an id to tell it from others: what names of ActorTemplates end with."""
    return revision.removeprefix("sha256:")[:12]


def _state(made: api.AgentInstance) -> Cell:
    """The state, and the operation that is under way."""
    states, operations = api.AgentInstanceState, api.AgentInstanceOperation
    state = states.Name(made.state) if made.state in states.values() else _UNKNOWN
    name = state.removeprefix("AGENT_INSTANCE_STATE_")
    if not made.operation:
        return Cell(name, _MEANINGS.get(name, ""))
    operation = operations.Name(made.operation) if made.operation in operations.values() else _UNKNOWN
    return Cell(f"{name} ({operation.removeprefix('AGENT_INSTANCE_OPERATION_')})", "busy")


def _failure(made: api.AgentInstance) -> str:
    return ": ".join(text for text in (made.failure.reason, made.failure.message) if text)


def _permission(permission: int) -> str:
    names = {
        api.AGENT_INSTANCE_SHARE_PERMISSION_READ_ONLY: "read-only",
        api.AGENT_INSTANCE_SHARE_PERMISSION_READ_WRITE: "read-write",
    }
    return names.get(permission, _UNKNOWN)  # type: ignore[call-overload, no-any-return, unused-ignore]


def _time(stamp: Timestamp) -> datetime:
    return stamp.ToDatetime(tzinfo=UTC)
