"""The echo agent over real gRPC: as a process, and as one of many in this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from a2a.types import a2a_pb2, a2a_pb2_grpc

from kagent_apply.embedded.commands import read_commands
from kagent_apply.embedded.opening import open_echo, open_processes
from kagent_apply.embedded.runner import Endpoint
from tests.apply.embedded.calls import IMAGE, TEAM, Client, template
from tests.parts import REPOSITORY

pytestmark = pytest.mark.server

_CARD = (
    '{"name":"agent","version":"v1","supportedInterfaces":'
    '[{"url":"http://127.0.0.1:80","protocolBinding":"GRPC","protocolVersion":"1.0"}],"newer":1}'
)
_VARIABLES = {
    "PORT": "80",
    "KAGENT_A2A_GRPC_ADDRESS": "[::]:80",
    "KAGENT_CONFIG_JSON": "{}",
    "KAGENT_AGENT_CARD_JSON": _CARD,
}


def _processes(folder: Path) -> Client:
    command = [sys.executable, "-m", "kagent_apply.runtime.echo"]
    entry = {"command": command, "env": {"PYTHONPATH": str(REPOSITORY)}}
    return Client(open_processes(folder, read_commands({IMAGE: entry}), {"PATH": os.environ["PATH"]}))


@pytest.fixture(params=["process", "echo"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Client]:
    opened = _processes(tmp_path) if request.param == "process" else Client(open_echo(tmp_path))
    opened.begin(template(**_VARIABLES))
    for name in ("a", "b"):
        opened.create(name)
        opened.resume(name)
    yield opened
    opened.control.close()


class _Agent:
    def __init__(self, at: Endpoint) -> None:
        self._channel = grpc.insecure_channel(at.target, options=[("grpc.default_authority", at.authority)])
        self.stub: Any = a2a_pb2_grpc.A2AServiceStub(self._channel)  # type: ignore[no-untyped-call]

    def __enter__(self) -> Any:
        return self.stub

    def __exit__(self, *_: object) -> None:
        self._channel.close()


def _agent(client: Client, name: str) -> _Agent:
    return _Agent(client.control.endpoint(TEAM, name, 30))


def _send(
    text: str, message_id: str = "m", task_id: str = "", context_id: str = ""
) -> a2a_pb2.SendMessageRequest:
    message = a2a_pb2.Message(
        message_id=message_id, parts=[a2a_pb2.Part(text=text)], task_id=task_id, context_id=context_id
    )
    return a2a_pb2.SendMessageRequest(message=message)


def _code(call: Any, request: Any) -> str:
    with pytest.raises(grpc.RpcError) as failed:
        call(request, timeout=10)
    return str(failed.value.code().name)


def test_a_conversation_survives_suspending_and_is_nobody_elses(client: Client) -> None:
    with _agent(client, "a") as agent:
        task = agent.SendMessage(_send("héllo"), timeout=10).task
        assert task.artifacts[0].parts[0].text == "héllo"
        streamed = list(agent.SendStreamingMessage(_send("again", task_id="t", context_id="c"), timeout=10))
        assert streamed[1].artifact_update.artifact.parts[0].text == "again"
        assert agent.SendMessage(_send("again", task_id="t"), timeout=10).task.context_id == "c"
    client.suspend("a")
    client.resume("a")
    with _agent(client, "a") as agent:
        assert agent.GetTask(a2a_pb2.GetTaskRequest(id=task.id), timeout=10) == task
        assert [event.task.id for event in agent.SubscribeToTask(a2a_pb2.SubscribeToTaskRequest(id="t"))] == [
            "t"
        ]
        listed = agent.ListTasks(a2a_pb2.ListTasksRequest(page_size=1), timeout=10)
        assert (listed.tasks[0].id, listed.total_size, listed.next_page_token) == ("t", 2, "1")
        following = a2a_pb2.ListTasksRequest(page_size=1, page_token=listed.next_page_token)
        assert [found.id for found in agent.ListTasks(following, timeout=10).tasks] == [task.id]
        of_context = agent.ListTasks(a2a_pb2.ListTasksRequest(context_id="c"), timeout=10)
        assert [found.id for found in of_context.tasks] == ["t"]
        card = agent.GetExtendedAgentCard(a2a_pb2.GetExtendedAgentCardRequest(), timeout=10)
        assert card.name == "agent"
        assert _code(agent.CancelTask, a2a_pb2.CancelTaskRequest(id="t")) == "FAILED_PRECONDITION"
        assert _code(agent.SendMessage, _send("x", "other", task_id="t")) == "FAILED_PRECONDITION"
        assert _code(agent.SendMessage, _send("x", "")) == "INVALID_ARGUMENT"
    with _agent(client, "b") as agent:
        assert _code(agent.GetTask, a2a_pb2.GetTaskRequest(id=task.id)) == "NOT_FOUND"
        assert agent.ListTasks(a2a_pb2.ListTasksRequest(), timeout=10).total_size == 0


@pytest.mark.parametrize(
    ("authority", "code"),
    [
        ("gone.agent-team.actors.resources.substrate.ate.dev", "NOT_FOUND"),
        ("a.other.actors.resources.substrate.ate.dev", "NOT_FOUND"),
        ("b.agent-team.actors.resources.substrate.ate.dev", "UNAVAILABLE"),
        ("localhost", "INVALID_ARGUMENT"),
        ("a", "INVALID_ARGUMENT"),
        ("..", "INVALID_ARGUMENT"),
    ],
)
def test_an_authority_that_names_no_running_echo_reaches_none(
    tmp_path: Path, authority: str, code: str
) -> None:
    client = Client(open_echo(tmp_path)).begin(template(**_VARIABLES))
    for name in ("a", "b"):
        client.create(name)
    client.resume("a")
    target = client.control.endpoint(TEAM, "a", 1).target
    with _Agent(Endpoint(target, authority)) as agent:
        assert _code(agent.SendMessage, _send("x")) == code
    client.control.close()
    assert not Path(target.removeprefix("unix:")).exists()
