"""Environment names from which Claude Code takes what only a template may say."""

from __future__ import annotations

PREFIXES = (
    "ANTHROPIC_",
    "API_",
    "AWS_ENDPOINT_URL",
    "BUN_",
    "CCR_",
    "CLAUDE",
    "DISABLE_",
    "ENABLE_",
    "FALLBACK_",
    "LD_",
    "MAX_",
    "MCP_",
    "NODE_",
    "VERTEX_",
)
NAMES = frozenset(
    {
        "AWS_CONFIG_FILE",
        "AWS_PROFILE",
        "AWS_SHARED_CREDENTIALS_FILE",
        "CLOUD_ML_REGION",
        "HOME",
        "IS_SANDBOX",
        "PATH",
        "SLASH_COMMAND_TOOL_CHAR_BUDGET",
        "XDG_CONFIG_HOME",
    }
)
_CREDENTIALS = frozenset({"ANTHROPIC_API_KEY"})
"""What a Harness may replace for all its templates, with the warning that tells so."""


def reserves(name: str) -> bool:
    """Whether a variable decides on program, folders, endpoint, model, permissions, tools or limits."""
    return name not in _CREDENTIALS and (name in NAMES or name.startswith(PREFIXES))
