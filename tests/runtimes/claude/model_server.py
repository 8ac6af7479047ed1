"""A scripted model that speaks the Messages API: it records what it is asked and answers by a script."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.servers import Request, serving


@dataclass(frozen=True)
class ToolUse:
    """The model's wish to call a tool."""

    name: str
    input: Mapping[str, Any] = field(default_factory=dict)


Reply = str | ToolUse


Lines = Mapping[str, Sequence[Reply]]
"""What agents say, by the first words of their prompt: one reply for each request."""
Script = Callable[["Asked"], Reply]
"""What the model answers to a request."""


@dataclass(frozen=True)
class Asked:
    """One request for a message; header names are lower-case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def system(self) -> str:
        """The system prompt with every block of it."""
        system = self.body.get("system", "")
        return system if isinstance(system, str) else "\n".join(block["text"] for block in system)

    @property
    def prompt(self) -> str:
        """The last block of the system prompt: the agent's own, for a Shared agent with the CLI's notes."""
        return str(self.body["system"][-1]["text"])

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model may call."""
        return [tool["name"] for tool in self.body.get("tools", ())]

    @property
    def results(self) -> list[Mapping[str, Any]]:
        """What the calls of tools gave until now."""
        return [
            block
            for message in self.body["messages"]
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_result"
        ]

    @property
    def said(self) -> str:
        """Every text of the conversation, with what the client adds."""
        return "\n".join(_texts(self.body["messages"]))


@dataclass
class ModelServer:
    """A running scripted model and the requests it has had."""

    url: str
    asked: list[Asked] = field(default_factory=list)

    def of(self, start: str) -> list[Asked]:
        """The requests of the agent whose prompt starts so."""
        return [asked for asked in self.asked if asked.prompt.startswith(start)]


def by_agent(lines: Lines) -> Script:
    """Play each agent its own lines, the last one again and again."""

    def play(asked: Asked) -> Reply:
        (said,) = (said for start, said in lines.items() if asked.prompt.startswith(start))
        return said[min(len(asked.results), len(said) - 1)]

    return play


def _texts(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        yield from (block["text"] for block in blocks if block["type"] == "text")


@contextlib.contextmanager
def serving_model(script: Script) -> Iterator[ModelServer]:
    """Serve the model that `script` plays while the test runs."""

    def answer(request: Request) -> None:
        if request.command != "POST" or "/v1/messages" not in request.path:
            request.reply(status=404)
            return
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = Asked(request.path, headers, json.loads(request.body))
        model.asked.append(asked)
        events = _events(script(asked), str(asked.body["model"]))
        request.reply(b"".join(events), Content_Type="text/event-stream")

    with serving(answer) as server:
        model = ModelServer(server.url)
        yield model


def refused(asked: Asked, index: int) -> bool:
    """Whether the client said that it has no tool of this name, or may not call it."""
    return asked.results[index].get("is_error") is True


def _events(reply: Reply, model: str) -> Iterator[bytes]:
    """One message as the stream of events that the API sends."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    start = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []}
    yield _event("message_start", message={**start, "usage": usage, "stop_reason": None})
    block, delta = _block(reply)
    yield _event("content_block_start", index=0, content_block=block)
    yield _event("content_block_delta", index=0, delta=delta)
    yield _event("content_block_stop", index=0)
    reason = "tool_use" if isinstance(reply, ToolUse) else "end_turn"
    yield _event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=usage)
    yield _event("message_stop")


def _block(reply: Reply) -> tuple[dict[str, Any], dict[str, Any]]:
    if isinstance(reply, str):
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": reply}
    call = {"type": "tool_use", "id": f"toolu_{id(reply)}", "name": reply.name, "input": {}}
    return call, {"type": "input_json_delta", "partial_json": json.dumps(reply.input)}


def _event(kind: str, **content: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **content})}\n\n".encode()
