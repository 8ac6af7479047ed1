"""A scripted model that speaks OpenAI's chat completions: it calls the tools it is told to, then answers."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.servers import Request, serving

Call = tuple[str, Mapping[str, Any]]
"""A tool by the name that the model knows, and its arguments."""


@dataclass(frozen=True)
class Asked:
    """One request as the model saw it; `heard` are the results of the tools it called before."""

    instruction: str
    user: str
    tools: tuple[str, ...]
    heard: tuple[str, ...]
    body: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass
class ChatModel:
    """A running model; `script` is by the agent's instruction, in the order of its calls."""

    script: Mapping[str, Sequence[Call]]
    url: str = ""
    asked: list[Asked] = field(default_factory=list)

    def of(self, instruction: str) -> list[Asked]:
        """What the agent with this instruction asked."""
        return [asked for asked in self.asked if asked.instruction == instruction]

    def answer(self, request: Request) -> None:
        """Call the next tool of the script, or say what was heard; as a stream where that is asked for."""
        asked = _asked(request)
        self.asked.append(asked)
        calls = self.script.get(asked.instruction, ())
        step = len(asked.heard)
        message = _call(calls[step], step) if step < len(calls) else {"content": _said(asked)}
        choice = {"index": 0, "finish_reason": "tool_calls" if step < len(calls) else "stop"}
        if asked.body.get("stream"):
            _reply_stream(request, choice, message)
        else:
            answered = {**choice, "message": {"role": "assistant", "content": None, **message}}
            body = json.dumps(_completion("chat.completion", answered))
            request.reply(body.encode(), Content_Type="application/json")


@contextlib.contextmanager
def serving_chat_model(script: Mapping[str, Sequence[Call]]) -> Iterator[ChatModel]:
    """Serve the model while the test runs."""
    model = ChatModel(script)
    with serving(model.answer) as server:
        model.url = f"{server.url}/v1"
        yield model


def _asked(request: Request) -> Asked:
    body = json.loads(request.body)
    texts: dict[str, list[str]] = {"system": [], "user": [], "assistant": [], "tool": []}
    for message in body["messages"]:
        texts[message["role"]].append(str(message.get("content")))
    tools = [tool["function"]["name"] for tool in body.get("tools", ())]
    headers = {name.lower(): value for name, value in request.headers.items()}
    system = "\n".join(texts["system"]).split("\n")[0]
    return Asked(system, texts["user"][0], tuple(tools), tuple(texts["tool"]), body, headers)


def _said(asked: Asked) -> str:
    return f"{asked.instruction} <{asked.user}> heard: {' | '.join(asked.heard)}"


def _call(call: Call, step: int) -> dict[str, Any]:
    name, arguments = call
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": f"call-{step}", "type": "function", "function": function}]}


def _completion(kind: str, choice: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": "1", "object": kind, "created": 0, "model": "scripted", "choices": [choice]}


def _reply_stream(request: Request, choice: Mapping[str, Any], message: Mapping[str, Any]) -> None:
    """A tool's call in one piece, a text in two."""
    head, colon, rest = str(message.get("content", "")).partition(":")
    deltas = [{"content": head + colon}, {"content": rest}] if colon else [message]
    pieces = [{**choice, "finish_reason": None, "delta": delta} for delta in deltas]
    ends = [*pieces, {**choice, "delta": {}}]
    chunks = [json.dumps(_completion("chat.completion.chunk", end)) for end in ends]
    body = "".join(f"data: {chunk}\n\n" for chunk in (*chunks, "[DONE]"))
    request.reply(body.encode(), Content_Type="text/event-stream")
