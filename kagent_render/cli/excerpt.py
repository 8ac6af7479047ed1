"""Source lines for excerpts, withheld where a file may hold a Secret's value, or the line a credential."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kagent_render.api.credential_literals import looks_like_credential
from kagent_render.source.reader import ReadError

if TYPE_CHECKING:
    from kagent_render.source.reader import Reader

# A Secret by any spelling; a mention such as `SecretList` or `apiKeySecret` does not make one.
_SECRET = re.compile(rb"""kind["']?\s*:\s*["']?(Secret|List)\b|stringData""")
# User information before a host, and the query of a URL: where addresses carry credentials.
_PRIVATE_ADDRESS = re.compile(r"@(?!sha256:)|://\S*\?")


class Excerpts:
    """The lines of a root's source files, each file read once."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._lines: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str | None:
        """Line `number` of a file, from 1; None where it cannot be read or may not be shown."""
        if path not in self._lines:
            self._lines[path] = self._read(path)
        lines = self._lines[path]
        line = lines[number - 1] if 0 < number <= len(lines) else None
        return line if line is not None and _may_be_shown(line) else None

    def _read(self, path: str) -> list[str]:
        try:
            data = self._reader.read(path)
        except ReadError:
            return []
        return [] if _SECRET.search(data) else data.decode(errors="replace").splitlines()


def _may_be_shown(line: str) -> bool:
    name, _, value = line.partition(":")
    private = _PRIVATE_ADDRESS.search(line) is not None
    return not private and not looks_like_credential(name.strip(" \t-{\"'"), value.strip(" \"',}"))
