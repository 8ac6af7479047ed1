import anyio
import pytest
from mcp.client.client import Client
from mcp.client.sse import sse_client

from tests.runtimes.mcp_server import ToolCall, serving_mcp

pytestmark = pytest.mark.server


@pytest.mark.parametrize("transport", ["streamable-http", "sse"])
def test_each_transport_serves_the_named_tools_and_records_their_calls(transport: str) -> None:
    with serving_mcp(["search", "fetch"], transport=transport) as server:

        async def use() -> list[str]:
            async with Client(sse_client(server.url) if transport == "sse" else server.url) as client:
                await client.call_tool("search", {"task": "outage"})
                return [tool.name for tool in (await client.list_tools()).tools]

        assert anyio.run(use) == ["search", "fetch"]
        assert server.calls == [ToolCall("search", {"task": "outage"})]
