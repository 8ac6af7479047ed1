"""The commands that ask a server: what they send, what they print, and how they end."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from kagent_apply.api.v1alpha1.agent_instances_pb2 import (
    CreateAgentInstanceRequest,
    CreateAgentInstanceResponse,
)
from kagent_apply.cli.client.server import Answer, AnswerError, Server
from kagent_apply.cli.create import create
from kagent_apply.instances.outcome import Status
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.requests import AgentName, Creation
from kagent_apply.instances.states import State
from kagent_apply.operations.error import OperationError
from kagent_apply.revisions.port import PairStatus
from tests.apply.cli.calling import call
from tests.apply.service.parts import STORE_DOWN, World, done, instance, share, uuid

pytestmark = pytest.mark.server

IN = ("-n", "payments")
CREATE = ("create", *IN, "--harness", "python-runtime", "--template", "triage")
AGO = datetime.now(UTC) - timedelta(hours=3, minutes=20)


def keep(world: World, *kept: Any) -> None:
    """Put instances into the store, made three hours ago."""
    world.store.kept = {made.id: replace(made, created_at=AGO) for made in kept}


def test_instances_are_a_table(world: World) -> None:
    keep(world, instance(1), instance(2, State.FAILED), instance(3, creator="bob"))
    assert call("list", *IN).out == (
        "ID                                    HARNESS         TEMPLATE  REVISION      STATE   AGE\n"
        "00000000-0000-4000-8000-000000000001  python-runtime  triage    000000000000  READY   3h\n"
        "00000000-0000-4000-8000-000000000002  python-runtime  triage    000000000000  FAILED  3h\n"
    )
    assert call("list", *IN, "--all-creators").out.splitlines()[3] == (
        "00000000-0000-4000-8000-000000000003  python-runtime  triage    000000000000  READY   bob      3h"
    )


def test_lists_are_read_through_all_pages_up_to_a_limit(world: World) -> None:
    keep(world, *(instance(number) for number in range(1, 231)))
    whole = call("list", *IN, "-o", "json")
    assert len(whole.json["agentInstances"]) == 230
    assert (whole.err, "nextPageToken" in whole.json.get("page", {})) == ("", False)
    some = call("list", *IN, "--limit", "101", "-o", "json")
    assert len(some.json["agentInstances"]) == 101
    assert some.err == "there are more than `--limit`\n"
    assert call("list", *IN, "--limit", "230").err == ""


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("list", *IN), "none of yours\n"),
        (("list", *IN, "--all-creators"), "there are none\n"),
        (("share", "list", *IN, uuid(1)), "there are none\n"),
        (("revisions", "-n", "elsewhere"), "no agent is committed in the namespace `elsewhere`\n"),
        (("revisions",), "no agent is committed\n"),
    ],
)
def test_an_empty_list_says_so_to_people(world: World, command: tuple[str, ...], told: str) -> None:
    keep(world, *([instance(1)] if command[0] == "share" else []))
    assert call(*command).err == told
    assert call(*command, "-o", "json").err == ""


def test_labels_choose(world: World) -> None:
    keep(world, instance(1), instance(2, labels={"team": "b", "x": ""}))
    for labels in (("-l", "team=b", "-l", "x="), ("-l", "team=b,x=")):
        found = call("list", *IN, *labels, "-o", "json").json["agentInstances"]
        assert [made["id"] for made in found] == [uuid(2)]


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (("-l", "team"), "`team` in `--label` is not `KEY=VALUE`"),
        (("-l", "a=1,"), "`` in `--label` is not `KEY=VALUE`"),
        (("-l", "=1"), "`=1` in `--label` is not `KEY=VALUE`"),
        (("-l", "a=1", "-l", "a=2"), "`--label` has the key `a` twice"),
        (("-l", "a=1,a=1"), "`--label` has the key `a` twice"),
    ],
)
def test_labels_that_are_none_are_told(world: World, labels: tuple[str, ...], told: str) -> None:
    found = call("list", *IN, *labels)
    assert (found.status, found.err.splitlines()[-1]) == (2, f"Error: {told}")


def test_json_is_the_replys_protojson_and_yaml_the_same(world: World) -> None:
    keep(world, instance(1))
    as_json = call("get", *IN, uuid(1), "-o", "json").json
    assert as_json["agentInstance"]["preparedRevision"] == "sha256:" + "0" * 64
    assert as_json["agentInstance"]["state"] == "AGENT_INSTANCE_STATE_READY"
    assert yaml.safe_load(call("get", *IN, uuid(1), "-o", "yaml").out) == as_json


@pytest.mark.parametrize(
    ("command", "state"), [("suspend", "SUSPENDED"), ("resume", "READY"), ("delete", "DELETED")]
)
def test_operations_show_what_the_instance_became(world: World, command: str, state: str) -> None:
    shown = call(command, *IN, uuid(1)).out
    assert shown.splitlines()[2].split() == ["state", state]
    assert world.operations.asked[0][0] == command


def test_create_prints_a_request_id_that_can_be_repeated(world: World) -> None:
    made = call(*CREATE)
    given = made.err.removeprefix("request id: ").strip()
    assert call(*CREATE, "--request-id", given).err == ""
    first, second = (asked for _, _, asked, _ in world.operations.asked)
    assert first == second == Creation(AgentName("payments", "python-runtime", "triage"), given)


def test_create_asks_again_with_the_same_request_while_the_server_is_unavailable(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("kagent_apply.cli.create.time.sleep", pauses.append)

    def act(*asked: Any) -> Any:
        if len(world.operations.asked) < 4:
            raise OperationError(
                Status.UNAVAILABLE, Reason.SUBSTRATE_UNAVAILABLE, "Substrate does not answer", "ask again"
            )
        return done(*asked)

    world.operations.act = act
    made = call(*CREATE)
    assert made.status == 0
    assert len({asked for _, _, asked, _ in world.operations.asked}) == 1
    assert pauses == [0.25, 0.5, 1.0]
    assert made.err.splitlines()[1:] == ["Substrate does not answer (UNAVAILABLE); asking again"]


def test_create_asks_again_where_the_server_ended_meanwhile() -> None:
    made, answers = (
        CreateAgentInstanceResponse(),
        [AnswerError(Answer("CANCELLED", "it ends", "", told=False))],
    )

    class Ending(Server):
        def call(self, *_: Any) -> Any:
            if answers:
                raise answers.pop()
            return made

    pauses: list[float] = []
    request = CreateAgentInstanceRequest()
    assert create(Ending(None, "127.0.0.1:1"), request, 10, lambda: 0.0, pauses.append) is made
    assert pauses == [0.25]


def test_create_does_not_ask_again_for_what_does_not_change(world: World) -> None:
    def act(*_: Any) -> Any:
        raise OperationError(
            Status.FAILED_PRECONDITION, Reason.NO_REVISION_SERVES, "the agent is not committed", "commit it"
        )

    world.operations.act = act
    made = call(*CREATE, "--request-id", "once")
    assert made.status == 1
    assert made.err == "error: the agent is not committed (FAILED_PRECONDITION)\n  hint: commit it\n"
    assert len(world.operations.asked) == 1


def test_create_gives_up_when_the_time_is_over() -> None:
    made = call(*CREATE, "--server", "127.0.0.1:1", "--timeout", "0.4", "--request-id", "once")
    assert made.status == 2
    assert made.err.splitlines()[-2:] == [
        "error: `127.0.0.1:1` does not answer: nothing listens there",
        "  hint: start `kagent-apply serve`, or give the address of a server in `--server`",
    ]


@pytest.mark.parametrize(
    ("args", "status", "told"),
    [
        (("get", *IN, uuid(7)), 1, "error: there is no such AgentInstance (NOT_FOUND)\n  hint: list those"),
        (
            ("get", *IN, "7"),
            1,
            "error: `agent_instance_id` is no UUID (INVALID_ARGUMENT)\n  hint: give the id",
        ),
        (("get", uuid(7)), 2, "Usage: kagent-apply get [OPTIONS] ID"),
        (("list", *IN, "--token-file", "/nowhere"), 2, "error: `/nowhere` cannot be read: no such file"),
        (("list", *IN, "--tls-ca", "/nowhere"), 2, "error: `/nowhere` cannot be read: no such file"),
        (("list", *IN, "--tls-cert", "/nowhere"), 2, "error: a client certificate needs its key"),
        (("list", *IN, "--timeout", "0"), 2, "Usage: kagent-apply list"),
        (("share", "revoke", *IN, uuid(7)), 1, "error: there is no such AgentInstanceShare (NOT_FOUND)"),
    ],
)
def test_a_command_that_is_refused_says_why_and_what_to_do(
    world: World, args: tuple[str, ...], status: int, told: str
) -> None:
    found = call(*args)
    assert (found.status, found.out) == (status, "")
    assert found.err.startswith(told)


def test_an_internal_error_is_told_by_its_id(world: World) -> None:
    world.store.down = ValueError("a secret")
    found = call("list", *IN)
    assert found.err.startswith(f"error: the server failed with the id `{uuid(99)}` (INTERNAL)\n  hint: give")
    world.store.down = STORE_DOWN
    assert call("list", *IN).err.startswith("error: the store did not answer (INTERNAL)\n")


def test_a_deadline_that_passes_says_that_the_server_goes_on(world: World) -> None:
    import threading

    go = threading.Event()

    def act(*asked: Any) -> Any:
        assert go.wait(30)
        return done(*asked)

    world.operations.act = act
    found = call("suspend", *IN, uuid(1), "--timeout", "0.2")
    go.set()
    assert (found.status, found.err.splitlines()[0]) == (1, "error: the time is over, and the server goes on")


def test_shares_are_made_listed_and_revoked(world: World) -> None:
    keep(world, instance(1))
    made = call("share", "create", *IN, uuid(1), "--permission", "read-write")
    assert "permission  read-write\n" in made.out
    token = call("share", "create", *IN, uuid(1), "-o", "json").json["token"]
    assert f"token       {token}\n" in made.out
    world.store.kept_shares = {uuid(3): replace(share(3), created_at=AGO)}
    assert call("share", "list", *IN, uuid(1)).out == (
        f"ID                                    PERMISSION  AGE\n{uuid(3)}  read-only   3h\n"
    )
    assert call("share", "revoke", *IN, uuid(3)).out == f"revoked {uuid(3)}\n"
    assert world.store.kept_shares == {}


PAIRS = [
    PairStatus(AgentName("a", "h", "same"), "sha256:" + "1" * 64, "sha256:" + "1" * 64, "c" * 40),
    PairStatus(AgentName("a", "h", "behind"), "sha256:" + "1" * 64, "", "c" * 40, "the lock is not valid"),
    PairStatus(AgentName("b", "h", "none"), "", "sha256:" + "2" * 64, "c" * 40, "it is not ready"),
]


def test_revisions_are_a_table_with_what_is_wrong(world: World) -> None:
    world.revisions.listed = PAIRS
    world.revisions.trouble = "the ref cannot be read\x1b[2J"
    found = call("revisions")
    assert found.out == (
        "NAMESPACE  HARNESS  TEMPLATE  SERVING       COMMITTED     COMMIT        PROBLEM\n"
        "a          h        same      111111111111  111111111111  cccccccccccc\n"
        "a          h        behind    111111111111  none          cccccccccccc  the lock is not valid\n"
        "b          h        none      none          222222222222  cccccccccccc  it is not ready\n"
    )
    assert found.err == "warning: the ref cannot be read\N{REPLACEMENT CHARACTER}[2J\n"
    assert len(call("revisions", "-n", "b", "-o", "json").json["pairs"]) == 1


def test_a_token_goes_along_from_its_file(world: World, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("bob\n")
    keep(world, instance(1, creator="bob"))
    assert len(call("list", *IN, "--token-file", str(tmp_path / "token")).out.splitlines()) == 2


@pytest.mark.parametrize("text", ["", "\n", "a b", "a\nb", "é"])
def test_a_file_without_one_token_is_refused(world: World, tmp_path: Path, text: str) -> None:
    (tmp_path / "token").write_text(text)
    found = call("list", *IN, "--token-file", str(tmp_path / "token"))
    assert (found.status, found.err.splitlines()[0]) == (2, f"error: `{tmp_path}/token` holds no token")
    assert world.tokens.seen == []


def test_a_token_never_leaves_this_machine_in_the_clear(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("bob")
    found = call("list", *IN, "--server", "example.com:1", "--token-file", str(tmp_path / "token"))
    assert (found.status, found.err.splitlines()[0]) == (2, "error: the token would be sent in the clear")


def test_a_proxy_is_not_asked_for_this_machine(world: World) -> None:
    assert (
        call(
            "list", *IN, env={"http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1"}
        ).status
        == 0
    )


def test_what_a_server_says_cannot_move_the_terminal(world: World) -> None:
    def act(*_: Any) -> Any:
        raise OperationError(
            Status.ABORTED, Reason.WRONG_STATE, "\x1b[2J\N{RIGHT-TO-LEFT OVERRIDE}busy", "wait\x07"
        )

    keep(world, instance(1, creator="\x1b]0;x\x07"))
    world.operations.act = act
    shown = call("get", *IN, uuid(1), "--token-file", "/dev/null").err + call("suspend", *IN, uuid(1)).err
    shown += call("list", *IN, "--all-creators", "--color", "never").out
    assert "busy" in shown
    assert not set(shown) & set("\x1b\x07\N{RIGHT-TO-LEFT OVERRIDE}")


def test_tables_are_coloured_when_asked(world: World) -> None:
    keep(world, instance(1), instance(2, State.FAILED))
    plain, coloured = call("list", *IN).out, call("list", *IN, "--color", "always").out
    assert "\033[32mREADY\033[0m" in coloured
    assert "\033[31mFAILED\033[0m" in coloured
    import re

    assert re.sub(r"\033\[[0-9]*m", "", coloured) == plain


def test_json_is_ascii(world: World) -> None:
    keep(world, instance(1, labels={"team": "é\u202e"}))
    assert call("list", *IN, "-o", "json").out.isascii()
    assert json.loads(call("get", *IN, uuid(1), "-o", "json").out)["agentInstance"]["labels"] == {
        "team": "é\u202e"
    }
