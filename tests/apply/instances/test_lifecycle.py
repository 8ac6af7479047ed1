"""Which operation may begin in which state, what asking for it gives, and how it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from kagent_apply.instances.lifecycle import (
    FAILURES,
    begin,
    begin_creation,
    fail,
    finish,
    give_up,
    issue,
)
from kagent_apply.instances.outcome import Answered, Claimed, Joined, Outcome, Refused, Status
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.requests import AgentName
from kagent_apply.instances.standing import Reservation, Standing, admits_messages
from kagent_apply.instances.states import Failure, FailureReason, Operation, State

AGENT = AgentName("payments", "python", "triage")
GONE = Failure(FailureReason.ACTOR_MISSING, "the Actor of the root is gone")
OTHERS = Failure(FailureReason.ACTOR_MISMATCH, "the Actor of the root has another template")

STANDINGS = {
    "none": None,
    "creating": Standing(State.CREATING, Operation.CREATE, 1),
    "ready": Standing(State.READY, None, 1),
    "ready, to be suspended": Standing(State.READY, Operation.SUSPEND, 2),
    "ready, to be deleted": Standing(State.READY, Operation.DELETE, 2),
    "suspended": Standing(State.SUSPENDED, None, 2),
    "suspended, to be resumed": Standing(State.SUSPENDED, Operation.RESUME, 3),
    "suspended, to be deleted": Standing(State.SUSPENDED, Operation.DELETE, 3),
    "failed": Standing(State.FAILED, None, 2, failure=GONE),
    "failed, to be deleted": Standing(State.FAILED, Operation.DELETE, 3, failure=GONE),
    "deleting": Standing(State.DELETING, Operation.DELETE, 3, issued=True),
    "deleted": Standing(State.DELETED, None, 3),
}
"""Everything that can be stored, but for what is issued."""

TABLE = """
                          | create again        | suspend   | resume    | delete
none                      | claimed             | NOT_FOUND | NOT_FOUND | NOT_FOUND
creating                  | joined              | ABORTED   | ABORTED   | ABORTED
ready                     | answered            | claimed   | ABORTED   | claimed
ready, to be suspended    | answered            | joined    | ABORTED   | ABORTED
ready, to be deleted      | answered            | ABORTED   | ABORTED   | joined
suspended                 | FAILED_PRECONDITION | ABORTED   | claimed   | claimed
suspended, to be resumed  | FAILED_PRECONDITION | ABORTED   | joined    | ABORTED
suspended, to be deleted  | FAILED_PRECONDITION | ABORTED   | ABORTED   | joined
failed                    | FAILED_PRECONDITION | ABORTED   | ABORTED   | claimed
failed, to be deleted     | FAILED_PRECONDITION | ABORTED   | ABORTED   | joined
deleting                  | FAILED_PRECONDITION | ABORTED   | ABORTED   | joined
deleted                   | FAILED_PRECONDITION | NOT_FOUND | NOT_FOUND | NOT_FOUND
"""
ROWS = [[cell.strip() for cell in line.split("|")] for line in TABLE.strip("\n").splitlines()]
CASES = [
    pytest.param(row[0], operation, given, id=f"{operation.name} of {row[0]}")
    for row in ROWS[1:]
    for operation, given in zip(Operation, row[1:], strict=True)
]


def _asked(operation: Operation, found: Standing | None, *, prepared: bool = True) -> Outcome:
    if operation is Operation.CREATE:
        reserved = Reservation(AGENT, found) if found else None
        return begin_creation(AGENT, reserved, prepared=prepared)
    return begin(operation, found)


def _word(outcome: Outcome) -> str:
    return str(outcome.status) if isinstance(outcome, Refused) else type(outcome).__name__.lower()


def test_the_table_has_every_standing() -> None:
    assert [row[0] for row in ROWS[1:]] == list(STANDINGS)


@pytest.mark.parametrize(("standing", "operation", "given"), CASES)
def test_asking_gives_what_the_table_says(standing: str, operation: Operation, given: str) -> None:
    found = STANDINGS[standing]
    outcome = _asked(operation, found)
    assert _word(outcome) == given
    if isinstance(outcome, Joined | Answered):
        assert outcome.standing is found
    elif isinstance(outcome, Claimed):
        number = found.claim if found else 0
        begun = found or Standing(State.CREATING)
        assert outcome.standing == replace(begun, operation=operation, claim=number + 1)


@pytest.mark.parametrize(("standing", "operation", "given"), CASES)
@pytest.mark.parametrize("issued", [False, True])
def test_a_deletion_takes_the_place_of_what_rests(
    standing: str, operation: Operation, given: str, issued: bool
) -> None:
    found = STANDINGS[standing]
    if found is None or operation is Operation.CREATE:
        return
    found = replace(found, issued=issued and found.operation is not None)
    outcome = begin(operation, found, resting=True)
    if operation is Operation.DELETE is not found.operation and found.operation is not None:
        assert given == "ABORTED"
        assert outcome == Claimed(replace(found, operation=operation, claim=found.claim + 1))
    else:
        assert _word(outcome) == given


@pytest.mark.parametrize("standing", [name for name, found in STANDINGS.items() if found])
def test_a_request_id_stands_for_one_agent_for_ever(standing: str) -> None:
    found = STANDINGS[standing]
    assert found is not None
    outcome = begin_creation(replace(AGENT, harness="claude"), Reservation(AGENT, found), prepared=True)
    assert outcome == Refused(
        Status.ALREADY_EXISTS,
        Reason.REQUEST_ID_USED,
        "`request_id` was used for another agent",
        "create an instance with another `request_id`",
    )


@pytest.mark.parametrize("standing", STANDINGS)
def test_only_a_new_instance_needs_a_revision_that_serves(standing: str) -> None:
    with_it, without = (_asked(Operation.CREATE, STANDINGS[standing], prepared=now) for now in (True, False))
    if standing == "none":
        assert _word(without) == "FAILED_PRECONDITION"
    else:
        assert without == with_it


REFUSALS = [
    (Operation.SUSPEND, "none", "there is no such AgentInstance", "list those of the namespace"),
    (
        Operation.DELETE,
        "creating",
        "`CREATE` of the AgentInstance is under way",
        "wait until it has ended; one that has trouble gives way when you ask again between two attempts",
    ),
    (
        Operation.SUSPEND,
        "creating",
        "`CREATE` of the AgentInstance is under way",
        "wait until it has ended",
    ),
    (
        Operation.SUSPEND,
        "suspended",
        "`SUSPEND` needs an AgentInstance that is `READY`, and it is `SUSPENDED`",
        "there is nothing to do",
    ),
    (
        Operation.RESUME,
        "ready",
        "`RESUME` needs an AgentInstance that is `SUSPENDED`, and it is `READY`",
        "there is nothing to do",
    ),
    (
        Operation.RESUME,
        "failed",
        "`RESUME` needs an AgentInstance that is `SUSPENDED`, and it is `FAILED`",
        "see its `failure`, and delete it",
    ),
    (Operation.CREATE, "suspended", "the AgentInstance of `request_id` is `SUSPENDED`", "resume it"),
    (
        Operation.CREATE,
        "failed",
        "the AgentInstance of `request_id` is `FAILED`",
        "see its `failure`, delete it, and create an instance with another `request_id`",
    ),
    (
        Operation.CREATE,
        "deleting",
        "the AgentInstance of `request_id` is `DELETING`",
        "create an instance with another `request_id`",
    ),
    (
        Operation.CREATE,
        "deleted",
        "the AgentInstance of `request_id` is `DELETED`",
        "create an instance with another `request_id`",
    ),
]


@pytest.mark.parametrize(("operation", "standing", "message", "hint"), REFUSALS)
def test_a_refusal_says_why_and_what_to_do(
    operation: Operation, standing: str, message: str, hint: str
) -> None:
    outcome = _asked(operation, STANDINGS[standing])
    assert isinstance(outcome, Refused)
    assert (outcome.message, outcome.hint) == (message, hint)


REASONS = {
    "NOT_FOUND": {Reason.INSTANCE_NOT_FOUND},
    "ABORTED": {Reason.OPERATION_UNDER_WAY, Reason.WRONG_STATE},
    "FAILED_PRECONDITION": {Reason.WRONG_STATE},
}


@pytest.mark.parametrize(("standing", "operation", "given"), CASES)
def test_a_reason_tells_waiting_from_what_never_helps(
    standing: str, operation: Operation, given: str
) -> None:
    found = STANDINGS[standing]
    outcome = _asked(operation, found)
    if not isinstance(outcome, Refused):
        return
    assert outcome.reason in REASONS[given]
    assert (
        found is None or given != "ABORTED" or (outcome.reason is Reason.WRONG_STATE) == (not found.operation)
    )


UNDER_WAY = {name: found for name, found in STANDINGS.items() if found and found.operation}
GIVEN_UP = {name: name.partition(",")[0] for name in UNDER_WAY if "," in name}
ENDS = {
    "creating": State.READY,
    "ready, to be suspended": State.SUSPENDED,
    "ready, to be deleted": State.DELETED,
    "suspended, to be resumed": State.READY,
    "suspended, to be deleted": State.DELETED,
    "failed, to be deleted": State.DELETED,
    "deleting": State.DELETED,
}


@pytest.mark.parametrize("standing", UNDER_WAY)
def test_a_finished_operation_leaves_a_state_and_the_number_of_its_claim(standing: str) -> None:
    mine = UNDER_WAY[standing]
    assert finish(mine, mine) == Standing(ENDS[standing], claim=mine.claim)


@pytest.mark.parametrize("standing", UNDER_WAY)
def test_what_was_not_issued_is_given_up_but_for_a_creation(standing: str) -> None:
    mine = UNDER_WAY[standing]
    before = STANDINGS[GIVEN_UP.get(standing, standing)]
    assert before is not None
    assert give_up(mine, mine) == replace(before, claim=mine.claim)


@pytest.mark.parametrize("standing", UNDER_WAY)
def test_what_was_issued_stays_and_is_joined(standing: str) -> None:
    mine = UNDER_WAY[standing]
    issued = issue(mine, mine)
    assert isinstance(issued, Standing)
    assert issued.issued
    assert issued.failure is None
    assert issued.state is (State.DELETING if mine.operation is Operation.DELETE else mine.state)
    assert issue(issued, mine) == give_up(issued, mine) == issued
    assert mine.operation is not None
    assert _asked(mine.operation, issued) == Joined(issued)


@pytest.mark.parametrize("standing", UNDER_WAY)
@pytest.mark.parametrize("reason", FailureReason)
def test_a_failure_ends_an_operation_that_can_have_it(standing: str, reason: FailureReason) -> None:
    mine = UNDER_WAY[standing]
    failure = Failure(reason, "as it is")
    assert mine.operation is not None
    if reason in FAILURES[mine.operation]:
        assert fail(mine, mine, failure) == Standing(State.FAILED, claim=mine.claim, failure=failure)
    else:
        with pytest.raises(ValueError, match="does not fail for"):
            fail(mine, mine, failure)


@pytest.mark.parametrize("standing", UNDER_WAY)
def test_who_comes_second_gets_what_the_first_made(standing: str) -> None:
    mine = UNDER_WAY[standing]
    ended = finish(mine, mine)
    assert isinstance(ended, Standing)
    assert finish(ended, mine) is ended
    assert isinstance(fail(ended, mine, OTHERS), Refused)
    failed = fail(mine, mine, OTHERS)
    assert isinstance(failed, Standing)
    assert _word(cast("Refused", finish(failed, mine))) == "ABORTED"


@pytest.mark.parametrize("standing", UNDER_WAY)
def test_who_comes_late_cannot_end_the_next_operation(standing: str) -> None:
    mine = UNDER_WAY[standing]
    later = replace(mine, claim=mine.claim + 2)
    assert all(isinstance(step(later, mine), Refused) for step in (issue, finish))
    assert isinstance(fail(later, mine, OTHERS), Refused)
    assert give_up(later, mine) is later


@pytest.mark.parametrize("standing", [found for found in STANDINGS.values() if found])
def test_messages_are_taken_where_nothing_is_about_to_happen(standing: Standing) -> None:
    assert admits_messages(standing) == (standing == STANDINGS["ready"])
