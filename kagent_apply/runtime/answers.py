"""What the echo agent answers: the text that it was sent, as a task that is completed at once."""

from __future__ import annotations

import datetime
import uuid
from typing import TYPE_CHECKING

from a2a.types import a2a_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator


def answer(message: a2a_pb2.Message) -> a2a_pb2.Task:
    """The task of a message, with the text of its parts as the one artifact.

    Ids are the message's own where it has them, so that a gateway can give them.
    """
    task = a2a_pb2.Task(
        id=message.task_id or str(uuid.uuid4()),
        context_id=message.context_id or str(uuid.uuid4()),
        status=_status(a2a_pb2.TASK_STATE_COMPLETED),
        artifacts=[
            a2a_pb2.Artifact(artifact_id="echo", name="echo", parts=[a2a_pb2.Part(text=_text(message))])
        ],
        history=[message],
    )
    task.history[0].task_id, task.history[0].context_id = task.id, task.context_id
    return task


def events(task: a2a_pb2.Task) -> Iterator[a2a_pb2.StreamResponse]:
    """How a task came to be: that it is worked on, its artifact, that it is completed."""
    begun = a2a_pb2.Task(
        id=task.id,
        context_id=task.context_id,
        status=_status(a2a_pb2.TASK_STATE_WORKING),
        history=task.history,
    )
    yield a2a_pb2.StreamResponse(task=begun)
    for artifact in task.artifacts:
        update = a2a_pb2.TaskArtifactUpdateEvent(
            task_id=task.id, context_id=task.context_id, artifact=artifact, last_chunk=True
        )
        yield a2a_pb2.StreamResponse(artifact_update=update)
    ended = a2a_pb2.TaskStatusUpdateEvent(task_id=task.id, context_id=task.context_id, status=task.status)
    yield a2a_pb2.StreamResponse(status_update=ended)


def trimmed(task: a2a_pb2.Task, length: int | None) -> a2a_pb2.Task:
    """The task with the last messages of its history alone; all of them where nothing is asked."""
    if length is not None and 0 <= length < len(task.history):
        del task.history[: len(task.history) - length]
    return task


def _text(message: a2a_pb2.Message) -> str:
    return "\n".join(part.text for part in message.parts if part.HasField("text"))


def _status(state: a2a_pb2.TaskState) -> a2a_pb2.TaskStatus:
    status = a2a_pb2.TaskStatus(state=state)
    status.timestamp.FromDatetime(datetime.datetime.now(datetime.UTC))
    return status
