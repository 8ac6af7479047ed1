"""The files that Claude Code reads in its configuration folder, `CLAUDE_CONFIG_DIR`.

The runtime writes them there, with each skill in `skills/NAME`, and starts the CLI with

    claude --print --input-format stream-json --output-format stream-json --verbose
        --setting-sources user --agents $CLAUDE_CONFIG_DIR/agents.json
        --mcp-config $CLAUDE_CONFIG_DIR/mcp.json --strict-mcp-config --tools Agent,Skill
        --managed-settings '{"blockedMarketplaces":[{"source":"skills-dir"}]}'

in an empty working folder. The root is an agent of its own, since an agent's `tools` is the one list that
decides what the model sees and may call; `--tools` is a second wall, which no file can say. Without the last
option a skill's folder that holds a plugin would be one, too. A caller's message that begins with `/` gets a
space before it, or the CLI takes it for a command of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.compile.adapters.claude.names import BUNDLED_SKILLS, ROOT, tool_name
from kagent_render.compile.adapters.cli_servers import selected_tools

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.compile.bundle import AgentConfiguration

AGENTS = "agents.json"
MCP = "mcp.json"
SETTINGS = "settings.json"

_SKILL_TOOL = "Skill"
_SWITCHES: Mapping[str, str] = {
    "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",  # the root would go on without its agents' answers
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",  # a caller's `@/proc/self/environ` would be read
    "CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP": "1",  # older models would be replaced by newer ones
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "ENABLE_TOOL_SEARCH": "false",  # tools would hide behind a tool that looks for them
}
_MODELS_BY_FAMILY = (
    "ANTHROPIC_DEFAULT_FABLE_MODEL",
    "ANTHROPIC_DEFAULT_HAIKU_MODEL",
    "ANTHROPIC_DEFAULT_OPUS_MODEL",
    "ANTHROPIC_DEFAULT_SONNET_MODEL",
)
"""What `haiku` and the like mean in a call of a sub-agent: `availableModels` would admit whole families."""


def agent_name(agent: AgentConfiguration, root: AgentConfiguration) -> str:
    """An agent's key: the binding's name, or the root's own."""
    return ROOT if agent is root else agent.name


def config_files(
    agent: AgentConfiguration, entries: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """The files of one boundary by path; `entries` are its MCP servers."""
    return {
        AGENTS: {
            agent_name(member, agent): _definition(member, is_root=member is agent)
            for member in agent.members()
        },
        MCP: {"mcpServers": entries},
        SETTINGS: _settings(agent),
    }


def _definition(agent: AgentConfiguration, *, is_root: bool) -> dict[str, Any]:
    """One agent; a missing `tools` would be every tool there is, an empty list is none."""
    definition = {
        # nobody reads the root's own, but the CLI wants one
        "description": agent.description or agent.name,
        "prompt": agent.instruction,
        "tools": [*_mcp_tools(agent), *_agent_tools(agent, is_root=is_root)],
        "model": agent.provider.model.model,
    }
    if agent.skills and not is_root:
        definition["skills"] = [skill.name for skill in agent.skills]
    return definition


def _mcp_tools(agent: AgentConfiguration) -> Iterator[str]:
    for server, tools in selected_tools(agent).items():
        yield from (tool_name(server, tool) for tool in tools)


def _agent_tools(agent: AgentConfiguration, *, is_root: bool) -> Iterator[str]:
    """The tools that call an agent's own sub-agents and, for the root, load its skills.

    Every agent with the tool for skills may load every skill: so a sub-agent's come with its definition.
    """
    if agent.children:
        yield f"Agent({', '.join(child.name for child in agent.children)})"
    if agent.skills and is_root:
        yield _SKILL_TOOL


def _settings(agent: AgentConfiguration) -> dict[str, Any]:
    """What holds for the whole process: nothing runs that is not allowed, and no model that is not named."""
    members = agent.members()
    own = {skill.name for skill in agent.skills}
    others = {skill.name for member in members for skill in member.skills} - own
    allowed = dict.fromkeys(tool for member in members for tool in _mcp_tools(member))
    permissions: dict[str, Any] = {
        "defaultMode": "dontAsk",
        "allow": [*allowed, *(f"{_SKILL_TOOL}({name})" for name in sorted(own))],
    }
    if others:
        permissions["deny"] = [f"{_SKILL_TOOL}({name})" for name in sorted(others)]
    return {
        "agent": ROOT,
        "env": {**_SWITCHES, **dict.fromkeys(_MODELS_BY_FAMILY, agent.provider.model.model)},
        "permissions": permissions,
        "availableModels": sorted({member.provider.model.model for member in members}),
        "disableAllHooks": True,
        "disableBundledSkills": True,
        "disableSkillShellExecution": True,  # a skill's text would run what it writes as !`command`
        "skillOverrides": dict.fromkeys(BUNDLED_SKILLS, "off"),
    }
