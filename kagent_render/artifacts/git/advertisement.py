"""What a server says of itself before it is asked for anything: version, capabilities, refs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.artifacts.git.failure import not_git, unfetched
from kagent_render.artifacts.git.object_format import SHA1, named_format

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.artifacts.git.object_format import ObjectFormat
    from kagent_render.artifacts.git.packets import Packets


@dataclass(frozen=True, slots=True)
class Advertisement:
    """Protocol version 2, or 0 with the refs by name; capabilities without a value have an empty one."""

    version: int
    capabilities: Mapping[str, str]
    refs: Mapping[str, str]

    @property
    def object_format(self) -> ObjectFormat:
        """What names the repository's objects; SHA-1 where the server does not say."""
        return named_format(self.capabilities.get("object-format", SHA1.name)) or SHA1

    @property
    def filters(self) -> bool:
        """Whether objects may be left out and asked for later, which version 0 hardly ever grants."""
        return self.version == 2 and "filter" in self._fetch_features

    @property
    def shallow(self) -> bool:
        """Whether history may be cut off."""
        return "shallow" in (self._fetch_features if self.version == 2 else self.capabilities)

    @property
    def any_commit(self) -> bool:
        """Whether a commit may be asked for that no ref points at."""
        return self.version == 2 or not self.capabilities.keys().isdisjoint(
            {"allow-tip-sha1-in-want", "allow-reachable-sha1-in-want"}
        )

    @property
    def _fetch_features(self) -> list[str]:
        return self.capabilities.get("fetch", "").split()


def read_advertisement(packets: Packets, expected: ObjectFormat | None) -> Advertisement:
    """The advertisement of a repository that has to be of an `expected` format; None takes any."""
    first = packets.next()
    if first is not None and first.startswith(b"# service="):
        if packets.next() is not None:
            raise not_git()
        first = packets.next()
    if first is not None and first.rstrip(b"\n") == b"version 2":
        found = Advertisement(2, _capabilities(packets.section()), {})
    else:
        found = _version_0(first, packets)
    told = found.capabilities.get("object-format", SHA1.name)
    wanted = expected or named_format(told)
    if wanted is None or told != wanted.name:
        raise unfetched(
            "the repository does not name its commits by "
            + (expected.name if expected else "any known hash"),
            "pin the commit by the full id that `git rev-parse` prints in a clone of it",
        )
    return Advertisement(found.version, found.capabilities, _checked(found.refs, wanted))


def _version_0(first: bytes | None, packets: Packets) -> Advertisement:
    if first is None:
        return Advertisement(0, {}, {})  # an empty repository of an old server
    line, zero, capabilities = first.partition(b"\0")
    if not zero:
        raise not_git()
    refs = {}
    for entry in (line, *packets.section()):
        target, _, name = _text(entry).partition(" ")
        if target != "shallow" and name != "capabilities^{}":
            refs[name] = target
    return Advertisement(0, _capabilities(capabilities.split()), refs)


def _checked(refs: Mapping[str, str], expected: ObjectFormat) -> Mapping[str, str]:
    if not all(expected.is_id(target) for target in refs.values()):
        raise not_git()
    return refs


def _capabilities(words: Iterable[bytes]) -> dict[str, str]:
    return dict(_text(word).partition("=")[::2] for word in words)


def _text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\n")
