"""Tools of one agent that the ADK could not tell apart."""

from __future__ import annotations

import pytest

from tests.compile.boundaries import agent, compiled, template
from tests.manifests import server, told

SERVERS = [server("{description: d, url: 'https://h'}", name) for name in ("one", "two")]


def mcp(name: str, *tools: str) -> str:
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [{', '.join(tools)}]}}}}"


@pytest.mark.parametrize(
    ("tools", "fields"),
    [
        pytest.param(
            [mcp("one", "a", "b"), mcp("two", "c", "b")], ["spec.tools[1].mcp.tools[1]"], id="servers"
        ),
        pytest.param(
            [mcp("one", "a"), mcp("one", "b", "a")], ["spec.tools[1].mcp.tools[1]"], id="one server"
        ),
        pytest.param(
            [agent("aide_x", of="aide"), mcp("one", "aide_x")],
            ["spec.tools[0].agent.name"],
            id="a Shared agent",
        ),
        pytest.param(
            [agent("aide-x", of="aide"), mcp("one", "aide_x")],
            ["spec.tools[0].agent.name"],
            id="a Shared agent under the name that the runtime knows",
        ),
        pytest.param([mcp("one", "a"), mcp("one", "b"), mcp("two", "A")], [], id="other names"),
        pytest.param(
            [
                agent("x", "Dedicated", of="aide"),
                agent("z", "Dedicated", of="aide"),
                mcp("one", "x", "invoke"),
            ],
            [],
            id="Dedicated agents",
        ),
    ],
)
def test_two_tools_of_one_name_are_a_fault_at_the_second(tools: list[str], fields: list[str]) -> None:
    _, faults = compiled(template("lead", f"tools: [{', '.join(tools)}]"), template("aide"), *SERVERS)
    assert told(faults) == [("NameInvalid", field) for field in fields]


def test_a_tool_of_another_agent_is_no_other_tool() -> None:
    lead = template("lead", f"tools: [{mcp('one', 'a')}, {agent('near', of='aide')}]")
    assert compiled(lead, template("aide", f"tools: [{mcp('two', 'a')}]"), *SERVERS)[1] == []
