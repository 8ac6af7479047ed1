"""What the echo agent answers, and that its tasks stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from a2a.types import a2a_pb2

from kagent_apply.runtime.answers import answer, events, trimmed
from kagent_apply.runtime.tasks import Tasks


def _message(*texts: str, task_id: str = "", context_id: str = "") -> a2a_pb2.Message:
    parts = [a2a_pb2.Part(text=text) for text in texts]
    return a2a_pb2.Message(message_id="m", parts=parts, task_id=task_id, context_id=context_id)


@pytest.mark.parametrize(
    ("texts", "said"), [((), ""), (("a",), "a"), (("a", "é\n"), "a\né\n"), (("", ""), "\n")], ids=str
)
def test_the_answer_is_the_text_of_the_message(texts: tuple[str, ...], said: str) -> None:
    task = answer(_message(*texts))
    assert [part.text for artifact in task.artifacts for part in artifact.parts] == [said]
    assert task.status.state == a2a_pb2.TASK_STATE_COMPLETED
    assert (task.history[0].task_id, task.history[0].context_id) == (task.id, task.context_id)


def test_ids_are_the_messages_own_or_new() -> None:
    given = answer(_message("a", task_id="t", context_id="c"))
    assert (given.id, given.context_id) == ("t", "c")
    first, second = answer(_message("a")), answer(_message("a"))
    assert len({first.id, second.id, first.context_id, second.context_id}) == 4


def test_the_events_add_up_to_the_task() -> None:
    task = answer(_message("a"))
    begun, artifact, ended = events(task)
    rebuilt = begun.task
    assert rebuilt.status.state == a2a_pb2.TASK_STATE_WORKING
    rebuilt.artifacts.append(artifact.artifact_update.artifact)
    rebuilt.status.CopyFrom(ended.status_update.status)
    assert rebuilt == task


@pytest.mark.parametrize(("length", "left"), [(None, 3), (0, 0), (1, 1), (3, 3), (9, 3)])
def test_a_history_is_trimmed_from_its_beginning(length: int | None, left: int) -> None:
    task = a2a_pb2.Task(history=[a2a_pb2.Message(message_id=str(number)) for number in range(3)])
    assert [message.message_id for message in trimmed(task, length).history] == ["0", "1", "2"][3 - left :]


@pytest.mark.parametrize("task_id", ["t", "../../t", "a/b", "\0", "é" * 500, ""])
def test_a_task_is_kept_below_its_folder_whatever_its_id(tmp_path: Path, task_id: str) -> None:
    tasks = Tasks(tmp_path / "tasks")
    assert tasks.get(task_id) is None
    assert list(tasks.all()) == []
    tasks.put(a2a_pb2.Task(id=task_id, context_id="c"))
    assert Tasks(tmp_path / "tasks").get(task_id) == a2a_pb2.Task(id=task_id, context_id="c")
    assert [path.parent for path in tmp_path.rglob("*.task")] == [tmp_path / "tasks"]
    assert len(list(tasks.all())) == 1
