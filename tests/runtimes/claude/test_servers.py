"""MCP servers of the real Claude Code: transports, headers, time-outs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.runtimes.claude.actor import model, render_actor
from tests.runtimes.claude.dialogues import call
from tests.runtimes.claude.model_server import Lines, by_agent, refused, serving_model
from tests.runtimes.mcp_server import serving_mcp
from tests.runtimes.repository import mcp_server, selects, template

pytestmark = pytest.mark.server

HEADERS = """\
headersFrom:
- {name: X-Literal, value: 'a $HOME {b} "c" \\d'}
- {name: Authorization, valueFrom: {type: Secret, name: tools, key: token}}
"""


@pytest.mark.parametrize(("transport", "protocol"), [("streamable-http", "STREAMABLE_HTTP"), ("sse", "SSE")])
def test_a_tool_is_called_over_every_transport(transport: str, protocol: str, tmp_path: Path) -> None:
    script: Lines = {"You lead.": [call("search_v2", "find"), "Done."]}
    with serving_mcp(["find"], transport=transport) as search, serving_model(by_agent(script)) as scripted:
        manifests = [
            model(scripted.url),
            mcp_server(search.url, "search.v2", f"protocol: {protocol}\n{HEADERS}"),
            template("lead", "You lead.", selects("search.v2", "find")),
        ]
        actor = render_actor(tmp_path, *manifests)
        turn = actor.start(tmp_path)
    assert (turn.complaints, search.called) == ([], ["find"])
    assert not refused(scripted.asked[-1], 0)
    for sent in search.headers:
        assert sent["authorization"] == "Bearer tools-key"
        assert sent["x-literal"] == 'a $HOME {b} "c" \\d'
    assert "tools-key" not in json.dumps([actor.config, actor.files])


def test_one_server_is_one_entry_however_many_agents_use_it(tmp_path: Path) -> None:
    script: Lines = {"You lead.": [call("search", "find"), call("search", "crawl"), "Done."]}
    with serving_mcp(["find", "crawl"]) as search, serving_model(by_agent(script)) as scripted:
        manifests = [
            model(scripted.url),
            mcp_server(search.url, "search"),
            template("lead", "You lead.", f"{selects('search', 'find')}, {selects('search', 'crawl')}"),
        ]
        turn = render_actor(tmp_path, *manifests).start(tmp_path)
    assert [server["name"] for server in turn.init["mcp_servers"]] == ["search"]
    assert search.called == ["find", "crawl"]
