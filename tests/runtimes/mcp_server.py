"""A real MCP server on loopback: named tools that answer with their call, and a record of who asked what."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from starlette.types import ASGIApp, Receive, Scope, Send

PATHS = {"streamable-http": "/mcp", "sse": "/sse"}


@dataclass(frozen=True)
class ToolCall:
    """One tool as it was called; `meta` is what the client says of the call besides."""

    tool: str
    arguments: Mapping[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass
class McpServer:
    """A running server; `calls` in their order, `headers` of every HTTP request with lower-case names."""

    url: str
    calls: list[ToolCall] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def called(self) -> list[str]:
        """The names of the tools that were called."""
        return [call.tool for call in self.calls]


@contextlib.contextmanager
def serving_mcp(
    tools: Sequence[str], *, transport: str = "streamable-http", path: str | None = None, port: int = 0
) -> Iterator[McpServer]:
    """Serve `tools`, each with one text argument `task`; `transport` is `streamable-http` or `sse`."""
    where = path or PATHS[transport]
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()  # a port that is only bound is still there for others to bind
        served = McpServer(f"http://127.0.0.1:{listener.getsockname()[1]}{where}")
        app = _noting_headers(_application(tools, served, transport, where), served)
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            _wait(server, thread)
            yield served
        finally:
            server.should_exit = True
            thread.join(10)


def _wait(server: uvicorn.Server, thread: threading.Thread) -> None:
    while not server.started:
        assert thread.is_alive(), "the MCP server did not start"
        time.sleep(0.01)


def _application(tools: Sequence[str], served: McpServer, transport: str, path: str) -> ASGIApp:
    server = MCPServer("scripted")
    for name in tools:
        server.add_tool(_answering(name, served), name=name, description=f"The tool {name}")
    if transport == "sse":
        return server.sse_app(sse_path=path)
    return server.streamable_http_app(streamable_http_path=path)


def _answering(name: str, served: McpServer) -> Any:
    def answer(context: Context, task: str = "") -> str:
        meta = context.request_context.meta
        served.calls.append(ToolCall(name, {"task": task}, dict(meta or {})))
        return json.dumps({"tool": name, "task": task})

    return answer


def _noting_headers(app: ASGIApp, served: McpServer) -> ASGIApp:
    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            served.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
        await app(scope, receive, send)

    return noting
