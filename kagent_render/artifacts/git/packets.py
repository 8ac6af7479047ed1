"""pkt-lines, the framing of Git's protocol, out of a stream of bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.git.failure import Interrupted, ServerRefused, not_git

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.artifacts.archive.stream import ByteStream


class Packets:
    """Reads the lines of one answer; a line by which the server refuses is raised as ServerRefused."""

    def __init__(self, stream: ByteStream) -> None:
        from dulwich.protocol import Protocol

        def read(size: int) -> bytes:
            data = stream.read(size)
            if len(data) < size:
                raise Interrupted
            return data

        self._protocol = Protocol(read, len)

    def next(self) -> bytes | None:
        """The next line; None at the end of a section or of the answer."""
        from dulwich.errors import GitProtocolError

        try:
            line = self._protocol.read_pkt_line()
        except GitProtocolError:
            raise not_git() from None
        if line is not None and line.startswith(b"ERR "):
            raise ServerRefused(said(line[4:]))
        return line

    def section(self) -> Iterator[bytes]:
        """The lines up to the end of the section."""
        while (line := self.next()) is not None:
            yield line


def said(text: bytes) -> str:
    """What a server said, fit to print."""
    return printable(text.decode(errors="replace").strip())
