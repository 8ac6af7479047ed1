"""The echo agent behind A2A v1: one agent, or many that a call is told apart by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import grpc
from a2a.types import a2a_pb2, a2a_pb2_grpc
from google.protobuf import json_format

from kagent_apply.runtime.answers import answer, events, trimmed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_apply.runtime.tasks import Tasks

_LARGEST_PAGE = 100
_DEFAULT_PAGE = 50


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent: its tasks, and its card as JSON."""

    tasks: Tasks
    card: str


class EchoService(a2a_pb2_grpc.A2AServiceServicer):
    """Serves the agents that `agent_of` gives for a call, which may abort it instead."""

    def __init__(self, agent_of: Callable[[grpc.ServicerContext], Agent]) -> None:
        self._agent_of = agent_of

    def SendMessage(  # noqa: N802 - gRPC's name
        self, request: a2a_pb2.SendMessageRequest, context: grpc.ServicerContext
    ) -> a2a_pb2.SendMessageResponse:
        """Answer a message with its task, which is completed."""
        task = self._answered(request, context)
        return a2a_pb2.SendMessageResponse(task=trimmed(task, _length(request.configuration)))

    def SendStreamingMessage(  # noqa: N802
        self, request: a2a_pb2.SendMessageRequest, context: grpc.ServicerContext
    ) -> Iterator[a2a_pb2.StreamResponse]:
        """Answer a message with the events of its task."""
        yield from events(self._answered(request, context))

    def GetTask(  # noqa: N802
        self, request: a2a_pb2.GetTaskRequest, context: grpc.ServicerContext
    ) -> a2a_pb2.Task:
        """A task that was answered before."""
        return trimmed(self._task(request.id, context), _length(request))

    def ListTasks(  # noqa: N802
        self, request: a2a_pb2.ListTasksRequest, context: grpc.ServicerContext
    ) -> a2a_pb2.ListTasksResponse:
        """The tasks of a context, or all; the last first."""
        found = [task for task in self._agent_of(context).tasks.all() if _is_asked_for(task, request)]
        found.sort(key=lambda task: (task.status.timestamp.ToNanoseconds(), task.id), reverse=True)
        size = min(request.page_size or _DEFAULT_PAGE, _LARGEST_PAGE)
        start = int(request.page_token) if request.page_token.isdecimal() else 0
        following = str(start + size) if start + size < len(found) else ""
        return a2a_pb2.ListTasksResponse(
            tasks=[trimmed(task, _length(request)) for task in found[start : start + size]],
            next_page_token=following,
            page_size=size,
            total_size=len(found),
        )

    def CancelTask(  # noqa: N802
        self, request: a2a_pb2.CancelTaskRequest, context: grpc.ServicerContext
    ) -> a2a_pb2.Task:
        """No task can be canceled, since each is completed at once."""
        self._task(request.id, context)
        _abort(context, grpc.StatusCode.FAILED_PRECONDITION, "the task is completed and cannot be canceled")

    def SubscribeToTask(  # noqa: N802
        self, request: a2a_pb2.SubscribeToTaskRequest, context: grpc.ServicerContext
    ) -> Iterator[a2a_pb2.StreamResponse]:
        """A task that is completed, once."""
        yield a2a_pb2.StreamResponse(task=self._task(request.id, context))

    def GetExtendedAgentCard(  # noqa: N802
        self, _request: a2a_pb2.GetExtendedAgentCardRequest, context: grpc.ServicerContext
    ) -> a2a_pb2.AgentCard:
        """The card that the agent was given."""
        try:
            return json_format.Parse(
                self._agent_of(context).card, a2a_pb2.AgentCard(), ignore_unknown_fields=True
            )
        except json_format.ParseError:
            _abort(context, grpc.StatusCode.FAILED_PRECONDITION, "the agent has no card that can be read")

    def _answered(self, request: a2a_pb2.SendMessageRequest, context: grpc.ServicerContext) -> a2a_pb2.Task:
        """The task of a message; that of the first time where it is sent again under the same task."""
        if not request.message.message_id or not request.message.parts:
            _abort(context, grpc.StatusCode.INVALID_ARGUMENT, "a message needs `message_id` and `parts`")
        tasks = self._agent_of(context).tasks
        kept = tasks.get(request.message.task_id) if request.message.task_id else None
        if kept is None:
            kept = answer(request.message)
            tasks.put(kept)
        elif kept.history[0].message_id != request.message.message_id:
            _abort(context, grpc.StatusCode.FAILED_PRECONDITION, "the task is completed and takes no message")
        return kept

    def _task(self, task_id: str, context: grpc.ServicerContext) -> a2a_pb2.Task:
        task = self._agent_of(context).tasks.get(task_id)
        if task is None:
            _abort(context, grpc.StatusCode.NOT_FOUND, "there is no such task")
        return task


def _length(asked: Any) -> int | None:
    return asked.history_length if asked.HasField("history_length") else None


def _is_asked_for(task: a2a_pb2.Task, request: a2a_pb2.ListTasksRequest) -> bool:
    return request.context_id in ("", task.context_id) and request.status in (0, task.status.state)


def _abort(context: grpc.ServicerContext, code: grpc.StatusCode, told: str) -> NoReturn:
    context.abort(code, told)
    raise AssertionError
