"""A scripted Responses API on loopback: what each agent says next, and every request that was made."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.servers import Request, serving


@dataclass(frozen=True)
class Text:
    """The model answers, and its turn ends."""

    text: str


@dataclass(frozen=True)
class Call:
    """The model calls a tool; `namespace` is the group that the tool was offered in."""

    name: str
    arguments: Mapping[str, Any]
    namespace: str | None = None


Step = Text | Call


@dataclass(frozen=True)
class ModelRequest:
    """One request for the model's next step."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    path: str

    @property
    def model(self) -> str:
        """The model that was asked."""
        return str(self.body["model"])

    @property
    def instructions(self) -> str:
        """The base instructions."""
        return str(self.body.get("instructions") or "")

    @property
    def tools(self) -> list[str]:
        """The names of the tools that were offered, `namespace.name` where they are grouped."""
        added = [tool for item in self.body["input"] for tool in item.get("tools") or ()]
        return [name for tool in (*(self.body.get("tools") or ()), *added) for name in _names(tool)]

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Every text of the input with its role, in order."""
        return [
            (str(item["role"]), str(part["text"]))
            for item in self.body["input"]
            if item["type"] == "message"
            for part in item["content"]
        ]

    def said(self, role: str) -> str:
        """Every text of the input by one role."""
        return "\n".join(text for by, text in self.messages if by == role)

    @property
    def outputs(self) -> list[str]:
        """What the tools that were called so far gave, in order."""
        outputs = [item["output"] for item in self.body["input"] if "output" in item]
        return [found if isinstance(found, str) else json.dumps(found) for found in outputs]

    def offered(self, name: str) -> Mapping[str, Any]:
        """The definition of one offered tool, grouped or not."""
        tools = [inner for tool in self.body["tools"] for inner in tool.get("tools") or (tool,)]
        return next(tool for tool in tools if tool.get("name") == name)


def _names(tool: Mapping[str, Any]) -> list[str]:
    if tool.get("type") == "namespace":
        return [f"{tool['name']}.{name}" for inner in tool["tools"] for name in _names(inner)]
    return [str(tool.get("name") or tool["type"])]


Script = Callable[[ModelRequest], Step]
"""What the model does next, from what it was asked."""


@dataclass
class ModelServer:
    """A running server; `requests` in their order, `others` the paths of all that asked for no step."""

    url: str
    requests: list[ModelRequest] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


@contextlib.contextmanager
def serving_model(script: Script, context: ssl.SSLContext | None = None) -> Iterator[ModelServer]:
    """Serve a model that follows `script`, over TLS with a context."""
    lock = threading.Lock()
    model: ModelServer

    def answer(request: Request) -> None:
        if request.command != "POST" or not request.path.split("?")[0].endswith("/responses"):
            model.others.append(f"{request.command} {request.path}")
            request.reply(b"{}", 404)
            return
        with lock:
            headers = {name.lower(): value for name, value in request.headers.items()}
            asked = ModelRequest(json.loads(request.body), headers, request.path)
            model.requests.append(asked)
            step, number = script(asked), len(model.requests)
        request.reply(_stream(step, number), Content_Type="text/event-stream")

    with serving(answer, context) as server:
        model = ModelServer(f"{server.url}/v1")
        yield model


def by_turn(steps: Sequence[Step]) -> Script:
    """One agent's steps, in order; the last is repeated."""

    def script(request: ModelRequest) -> Step:
        return steps[min(len(request.outputs), len(steps) - 1)]

    return script


def _stream(step: Step, number: int) -> bytes:
    """The server-sent events of one step."""
    response = {"id": f"resp_{number}"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.done", "output_index": 0, "item": _item(step, number)},
        {"type": "response.completed", "response": {**response, "usage": _USAGE}},
    ]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


_USAGE = {
    "input_tokens": 1,
    "input_tokens_details": None,
    "output_tokens": 1,
    "output_tokens_details": None,
    "total_tokens": 2,
}


def _item(step: Step, number: int) -> dict[str, Any]:
    if isinstance(step, Text):
        content = [{"type": "output_text", "text": step.text}]
        return {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
    call = {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": step.name,
        "arguments": json.dumps(step.arguments),
    }
    return {**call, "namespace": step.namespace} if step.namespace else call
