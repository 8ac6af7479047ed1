import pytest

from kagent_render.agentplugin.selection import admit, orphans, select
from kagent_render.api.kubeagents import AgentPlugin
from tests.agentplugin.agents import AGENT, NAMESPACE, agent, plugin


@pytest.mark.parametrize(
    ("candidate", "selected"),
    [
        pytest.param(plugin("p", AGENT), True, id="exact"),
        pytest.param(plugin("p", ""), False, id="empty"),
        pytest.param(plugin("p", "Platform-Agent"), False, id="another case"),
        pytest.param(plugin("p", "platform-agen"), False, id="a prefix"),
        pytest.param(plugin("p", " platform-agent"), False, id="a space"),
        pytest.param(plugin("p", AGENT, "elsewhere"), False, id="another namespace"),
        pytest.param(plugin("not-valid", AGENT), True, id="validity does not matter"),
    ],
)
def test_a_plugin_is_selected_by_namespace_and_exact_name(candidate: AgentPlugin, selected: bool) -> None:
    assert select(agent(), [candidate]) == ((candidate,) if selected else ())


def test_an_empty_agent_ref_names_no_agent_whatever_that_is_called() -> None:
    assert select(agent(name=""), [plugin("p", "")]) == ()


def test_plugins_are_in_the_byte_order_of_their_names() -> None:
    names = ["b", "a10", "a2", "a", "Z", "a-b", "ä"]
    selected = select(agent(), [plugin(name) for name in names])
    assert [found.name for found in selected] == ["Z", "a", "a-b", "a10", "a2", "b", "ä"]


@pytest.mark.parametrize(
    ("names", "admitted"),
    [
        (["goodplugin", "legacy-hyphen"], ["goodplugin"]),
        (["a" * 57], []),
        (["sessionstore", "toolcallaudit", "hermesotel"], []),
        (["agentroster"], ["agentroster"]),
        (["same", "same"], ["same"]),
        (["my-plugin", "myplugin"], ["myplugin"]),  # the invalid name does not count as seen
    ],
)
def test_what_is_invalid_or_taken_is_not_admitted(names: list[str], admitted: list[str]) -> None:
    assert [found.name for found in admit([plugin(name) for name in names])] == admitted


def test_of_a_repeated_name_the_first_is_admitted() -> None:
    first, second = plugin("same", image="one"), plugin("same", image="two")
    assert admit([first, second]) == (first,)


@pytest.mark.parametrize(
    ("candidate", "lost"),
    [
        pytest.param(plugin("p"), False, id="its agent exists"),
        pytest.param(plugin("p", "platfrom-agent"), True, id="a typing error"),
        pytest.param(plugin("p", AGENT, "elsewhere"), True, id="an agent of another namespace"),
        pytest.param(plugin("p", ""), True, id="no agent"),
        pytest.param(plugin("not-valid", "x"), True, id="validity does not matter"),
    ],
)
def test_a_plugin_without_its_agent_is_an_orphan(candidate: AgentPlugin, lost: bool) -> None:
    assert orphans([candidate], {(NAMESPACE, AGENT)}) == ((candidate,) if lost else ())


def test_orphans_are_in_order_of_namespace_and_name() -> None:
    lost = [plugin("b", "x"), plugin("a", "x"), plugin("z", "x", "a-namespace")]
    assert [found.name for found in orphans(lost, set())] == ["z", "a", "b"]
