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


def is_own_header(name: str) -> bool:
    """Whether the CLI's MCP client sets a header itself, whatever is configured."""
    return name.lower() in _OWN


def is_header_value(text: str) -> bool:
    """Whether `text` arrives unchanged: printable ASCII without white space at either end."""
    return _VALUE.fullmatch(text) is not None
