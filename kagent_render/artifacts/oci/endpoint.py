"""Where a repository is asked for: its registry's mirror first, then the registry itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kagent_render.artifacts.oci.reference import contacted_host

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kagent_render.artifacts.oci.reference import Reference, TaggedReference


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One repository at one host; `plain_hosts` are those that may be spoken to without TLS from here.

    They are none where the host itself has TLS: nothing leads from there to plain text.
    """

    host: str
    repository: str
    plain_hosts: frozenset[str] = frozenset()

    @property
    def is_plain(self) -> bool:
        """Whether the host is spoken to without TLS."""
        return self.host in self.plain_hosts

    @property
    def url(self) -> str:
        """The host's address without a path."""
        return f"{'http' if self.is_plain else 'https'}://{self.host}"

    def address(self, kind: str, name: str) -> str:
        """Where the `manifests` or `blobs` of the repository are, by digest or tag."""
        return f"{self.url}/v2/{self.repository}/{kind}/{name}"

    def is_own(self, url: str) -> bool:
        """Whether `url` is at this very scheme, host and port, where its authorization may be sent."""
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc}" == self.url

    def may_lead_to(self, url: str) -> bool:
        """Whether a redirect or a challenge of this host may name `url`."""
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            return False
        if not host or "@" in parts.netloc or not url.isprintable():
            return False
        return parts.scheme == "https" or (
            parts.scheme == "http" and parts.netloc.lower() in self.plain_hosts
        )


def endpoints_of(
    reference: Reference | TaggedReference, mirrors: Mapping[str, str], insecure: Collection[str]
) -> tuple[Endpoint, ...]:
    """The hosts to ask, in order; `mirrors` maps a registry to the `host/path` below which it is mirrored."""
    found = []
    for registry, mirror in mirrors.items():
        if contacted_host(registry.lower()) == reference.host:
            host, _, path = mirror.partition("/")
            repository = f"{path.strip('/')}/{reference.repository}".lstrip("/")
            found.append(_endpoint(contacted_host(host.lower()), repository, insecure))
    found.append(_endpoint(reference.host, reference.repository, insecure))
    return tuple(dict.fromkeys(found))


def _endpoint(host: str, repository: str, insecure: Collection[str]) -> Endpoint:
    plain = frozenset(name.lower() for name in insecure)
    return Endpoint(host, repository, plain if host in plain else frozenset())
