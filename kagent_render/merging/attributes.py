"""The lines of Git's own attributes that name the driver for more than locks, where it is installed.

The output's `.gitattributes` has to serve clones without a driver, too: there a union is better than a
conflict.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

DRIVER: Final = "kagent-render"
"""The name of the merge driver."""

_BEGIN: Final = "# kagent-render: begin"
_END: Final = "# kagent-render: end"
_PATTERNS: Final = ("**/kustomization.yaml", "*/_agentplugins/*/*.yaml")
_SPECIAL: Final = re.compile(r"[*?\[\\]")


def with_outputs(text: str, outputs: Iterable[str]) -> str:
    """The attributes with one section for these output folders; whatever else they hold stays as it is."""
    kept = re.sub(rf"^{_BEGIN}\n.*?^{_END}\n", "", text, flags=re.MULTILINE | re.DOTALL)
    if kept and not kept.endswith("\n"):
        kept += "\n"
    lines = [f"{_pattern(output, each)} merge={DRIVER}" for output in sorted(outputs) for each in _PATTERNS]
    return "\n".join([kept + _BEGIN, *lines, _END, ""]) if lines else kept


def _pattern(folder: str, pattern: str) -> str:
    """A pattern below a folder whose own name is taken as it is."""
    path = f"/{_SPECIAL.sub(lambda found: chr(92) + found[0], folder)}/{pattern}"
    if re.fullmatch(r"[!-~]+", path) and '"' not in path:
        return path
    quoted = "".join(_quoted(byte) for byte in path.encode())
    return f'"{quoted}"'


def _quoted(byte: int) -> str:
    if byte in b'"\\':
        return f"\\{chr(byte)}"
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
