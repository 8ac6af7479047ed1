"""HTTP headers that Claude Code sends as they are written."""

from __future__ import annotations

import re

_VALUE = re.compile("(?:[!-~](?:[ -~\t]*[!-~])?)?")

_OWN = frozenset(
    {
        "accept",
        "content-length",
        "content-type",
        "host",
        "mcp-method",
        "mcp-name",
        "mcp-protocol-version",
        "mcp-session-id",
        "transfer-encoding",
    }
)
_OWN_OF_MODELS = frozenset({"anthropic-beta", "content-length", "content-type", "transfer-encoding"})
_CREDENTIALS = {
    "Anthropic": "x-api-key",  # it would be sent in the place of the Secret's value
    "AnthropicVertexAI": "authorization",
    "Bedrock": "authorization",
}


def is_own_header(name: str) -> bool:
    """Whether the CLI's MCP client sets a header itself, whatever is configured."""
    return name.lower() in _OWN


def is_own_model_header(name: str, provider: str) -> bool:
    """Whether a header of a model's requests is the CLI's own, or carries its credential."""
    return name.lower() in _OWN_OF_MODELS or name.lower() == _CREDENTIALS.get(provider)


def is_header_value(text: str) -> bool:
    """Whether `text` arrives unchanged: printable ASCII without white space at either end."""
    return _VALUE.fullmatch(text) is not None
