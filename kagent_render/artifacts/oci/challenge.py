"""What a registry asks for with `WWW-Authenticate` (RFC 9110 §11.6.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_PART: Final = re.compile(
    r"""(?P<scheme>[A-Za-z][A-Za-z0-9-]*)(?=\s*(?:,|$|\s[A-Za-z_]+\s*=))
      | (?P<name>[A-Za-z_]+)\s*=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s,"]+))""",
    re.VERBOSE,
)
_HEADER_CHARACTERS: Final = 8192


@dataclass(frozen=True, slots=True)
class Challenge:
    """One way to authenticate: `scheme` and the names of `parameters` are in lower case."""

    scheme: str
    parameters: Mapping[str, str] = field(default_factory=dict)


def challenge_in(header: str) -> Challenge | None:
    """The challenge to answer, a token before a password; None where there is neither."""
    known = {challenge.scheme: challenge for challenge in reversed(_challenges(header[:_HEADER_CHARACTERS]))}
    return known.get("bearer") or known.get("basic")


def _challenges(header: str) -> list[Challenge]:
    found: list[tuple[str, dict[str, str]]] = []
    for part in _PART.finditer(header):
        if part["scheme"]:
            found.append((part["scheme"].lower(), {}))
        elif found:
            value = part["plain"] or re.sub(r"\\(.)", r"\1", part["quoted"] or "")
            found[-1][1].setdefault(part["name"].lower(), value)
    return [Challenge(scheme, parameters) for scheme, parameters in found]
