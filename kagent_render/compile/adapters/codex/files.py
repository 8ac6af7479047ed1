"""The files of CODEX_HOME: with them alone Codex offers a boundary's agents and tools, and nothing else.

The runtime starts `codex app-server --strict-config`, or for one turn
`codex exec --json --strict-config --skip-git-repo-check PROMPT`, in an empty working folder, these files in
CODEX_HOME.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.compile.adapters.codex.agents import agent_files, agents_table
from kagent_render.compile.adapters.codex.models import model_catalog, reasoning_effort
from kagent_render.compile.adapters.codex.provider import endpoint_of, provider_name, provider_table
from kagent_render.compile.adapters.codex.servers import server_tables
from kagent_render.compile.adapters.codex.toml import toml_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from kagent_render.compile.bundle import AgentConfiguration

_CATALOG = "models.json"
_FEATURES_OFF = (
    "apps",
    "browser_use",
    "computer_use",
    "goals",
    "hooks",
    "image_generation",
    "in_app_browser",
    "memories",
    "plugins",
    "shell_snapshot",
    "shell_tool",
    "skill_mcp_dependency_install",
    "skill_search",
    "tool_suggest",
    "unified_exec",
    "view_image",
)


def codex_files(agent: AgentConfiguration, variables: Collection[str]) -> dict[str, str]:
    """Every file by its path in CODEX_HOME; `variables` are the names that the process has."""
    files = {
        **agent_files(agent),
        "config.toml": toml_text(_config(agent, variables)),
        _CATALOG: model_catalog(agent),
    }
    return {path: files[path] for path in sorted(files)}


def _config(agent: AgentConfiguration, variables: Collection[str]) -> dict[str, Any]:
    endpoint = endpoint_of(agent.provider)
    config: dict[str, Any] = {
        "model": agent.provider.model.model,
        "model_provider": provider_name(endpoint),
        "model_catalog_json": _CATALOG,
        "developer_instructions": agent.instruction,
    }
    if effort := reasoning_effort(agent):
        config["model_reasoning_effort"] = effort
    config |= _NOTHING_ELSE
    config["features"] = dict.fromkeys(_FEATURES_OFF, False)
    config["agents"] = agents_table(agent)
    if table := provider_table(endpoint, variables):
        config["model_providers"] = {provider_name(endpoint): table}
    if servers := server_tables(agent):
        config["mcp_servers"] = servers
    return config


_NOTHING_ELSE: dict[str, Any] = {
    "model_reasoning_summary": "none",
    "approval_policy": "never",
    "sandbox_mode": "read-only",
    "web_search": "disabled",
    "include_apps_instructions": False,
    "include_collaboration_mode_instructions": False,
    "include_environment_context": False,
    "include_permissions_instructions": False,
    "project_doc_max_bytes": 0,
    "check_for_update_on_startup": False,
    "cli_auth_credentials_store": "ephemeral",
    "analytics": {"enabled": False},
    "skills": {"include_instructions": False, "bundled": {"enabled": False}},
    "tools": {
        "experimental_request_user_input": {"enabled": False},
        "update_plan": {"enabled": False},
    },
}
"""No text but the prompt, no tool but the selected ones, nobody who approves, nothing that calls home."""
