"""References of images, `[registry/]repository[:tag][@digest]`, as the container tools read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.failure import OciFault, not_fetched

DOCKER_HUB: Final = "registry-1.docker.io"
"""The host behind the public default registry."""

HUB_NAMES: Final = frozenset({"docker.io", "index.docker.io", DOCKER_HUB})
"""How that registry is called in references and configurations."""

_HOST: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?")
_SEGMENT: Final = re.compile(r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*")
_TAG: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_DEFAULT_TAG: Final = "latest"
_NAME_CHARACTERS: Final = 255
"""The most of a repository, and of a host."""
_HINT: Final = "write it as `registry/repository@sha256:` and 64 hex digits"


@dataclass(frozen=True, slots=True)
class Reference:
    """One artifact in one repository of the registry at `host`, by its digest."""

    host: str
    repository: str
    digest: str


@dataclass(frozen=True, slots=True)
class TaggedReference:
    """What a tag of one repository means, today this and tomorrow that."""

    host: str
    repository: str
    tag: str


def registry_host(reference: str) -> str:
    """The host of a reference's registry; a first segment without dot or port means Docker Hub."""
    return contacted_host(_split(reference)[0])


def contacted_host(registry: str) -> str:
    """Where a registry is contacted that a reference or a configuration names; Docker Hub has aliases."""
    return DOCKER_HUB if registry.lower() in HUB_NAMES else registry


def parse_reference(text: str) -> Reference:
    """The parts of a reference; a tag beside the digest plays no part; raises OciFault."""
    if "://" in text:
        raise not_fetched("the reference begins with a scheme", "remove everything up to `://`", refused=True)
    name, _, digest = text.rpartition("@")
    registry, rest = _split(name)
    host = _host(registry)
    if not _DIGEST.fullmatch(digest):
        raise _malformed("it names no sha256 digest")
    return Reference(host, _repository(rest, host)[0], digest)


def parse_image(text: str) -> Reference | TaggedReference:
    """What a pod names as its image; without tag and digest it is `latest`; raises OciFault."""
    if not text:
        raise _malformed("it is empty")
    name, at, digest = text.rpartition("@")
    if "@" in name or (at and "://" not in text and not _DIGEST.fullmatch(digest)):
        raise _malformed("what follows its first `@` is no sha256 digest")
    if at or "://" in text:
        return parse_reference(text)
    registry, rest = _split(text)
    host = _host(registry)
    repository, tag = _repository(rest, host)
    return TaggedReference(host, repository, tag or _DEFAULT_TAG)


def at_digest(image: Reference | TaggedReference, digest: str) -> str:
    """The reference of what `image` names today, whatever its tag comes to mean."""
    registry = "docker.io" if image.host == DOCKER_HUB else image.host
    return f"{registry}/{image.repository}@{digest}"


def _split(name: str) -> tuple[str, str]:
    first, slash, rest = name.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return first, rest
    return DOCKER_HUB, name


def _host(registry: str) -> str:
    host = contacted_host(registry.lower())
    port = _HOST.fullmatch(host)
    if not port or len(host) > _NAME_CHARACTERS or not 0 < int(port[1] or 1) < 1 << 16:
        raise _malformed(f"`{printable(registry)}` is not a registry")
    return host


def _repository(text: str, host: str) -> tuple[str, str]:
    """A repository as its registry knows it, and the tag, which may be empty."""
    name, colon, tag = text.partition(":")
    if colon and not _TAG.fullmatch(tag):
        raise _malformed(f"`{printable(tag)}` is not a tag")
    if name != name.lower():
        raise not_fetched(
            f"the repository `{printable(name)}` has upper-case letters",
            "write the repository in lower case",
            refused=True,
        )
    if len(name) > _NAME_CHARACTERS or not all(_SEGMENT.fullmatch(part) for part in name.split("/")):
        raise _malformed(f"`{printable(name)}` is not a repository")
    return (f"library/{name}" if host == DOCKER_HUB and "/" not in name else name), tag


def _malformed(what: str) -> OciFault:
    return not_fetched(f"the reference is malformed: {what}", _HINT, refused=True)
