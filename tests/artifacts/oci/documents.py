"""OCI documents written by hand, and a registry of them that a test can make lie."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from kagent_render.api.hub import OciSource
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.oci.fetcher import OciFetcher, OciSettings
from kagent_render.artifacts.oci.keychain import Keychain
from kagent_render.artifacts.package import Package
from kagent_render.artifacts.port import FetchContext, Fetcher
from tests.artifacts.archive.archives import ordinary_tar
from tests.servers import Answer, Request, ScriptedServer, serving

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
TAR = "application/vnd.oci.image.layer.v1.tar"
CONFIG = "application/vnd.oci.image.config.v1+json"
EMPTY = "application/vnd.oci.empty.v1+json"
REPOSITORY = "skills/triage"
QUICK = Bounds(connect=0.5, read=0.5, answer=1, body=2, retry=0.3, pause=0.05)

Json = dict[str, Any]


def digest_of(data: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm}:{hashlib.new(algorithm, data).hexdigest()}"


@dataclass
class Library:
    """Blobs and documents by digest, with the media type that the registry announces."""

    contents: dict[str, tuple[bytes, str]] = field(default_factory=dict)

    def blob(self, data: bytes, media_type: str = TAR, **members: Any) -> Json:
        """Store content; gives its descriptor."""
        self.contents[digest_of(data)] = data, "application/octet-stream"
        return {"mediaType": media_type, "digest": digest_of(data), "size": len(data), **members}

    def document(self, members: Json, announced: str | None = None) -> Json:
        """Store a document; gives its descriptor."""
        data = json.dumps(members).encode()
        media_type = announced or members.get("mediaType") or MANIFEST
        self.contents[digest_of(data)] = data, media_type
        return {"mediaType": media_type, "digest": digest_of(data), "size": len(data)}

    def image(self, *layers: Json, media_type: str = MANIFEST, **members: Any) -> Json:
        """Store a manifest; gives its descriptor."""
        config = self.blob(b'{"os":"linux"}', CONFIG)
        return self.document(
            {"schemaVersion": 2, "mediaType": media_type, "config": config, "layers": layers, **members}
        )

    def index(self, *manifests: Json, media_type: str = INDEX, **members: Any) -> Json:
        """Store an index; gives its descriptor."""
        return self.document({"schemaVersion": 2, "mediaType": media_type, "manifests": manifests, **members})

    def answer(self, request: Request) -> None:
        """Serve what was stored, as a registry does."""
        wanted = request.path.partition("?")[0].rpartition("/")[2]
        if wanted not in self.contents:
            request.reply(b'{"errors":[{"code":"MANIFEST_UNKNOWN","message":"secret-of-the-server"}]}', 404)
            return
        data, media_type = self.contents[wanted]
        request.reply(data, Content_Type=media_type, Docker_Content_Digest=wanted)


class Host(Protocol):
    """A server that tests started."""

    @property
    def host(self) -> str:
        """`127.0.0.1:PORT`."""
        ...


def simple() -> tuple[Library, Json]:
    """A library with an image of one file; gives the image's descriptor too."""
    library = Library()
    return library, library.image(library.blob(ordinary_tar({"SKILL.md": b"text"}, "w")))


@contextmanager
def registry(answer: Answer) -> Iterator[ScriptedServer]:
    """A scripted registry without TLS."""
    with serving(answer) as server:
        yield server


def origin_at(server: Host | str, descriptor: Json, repository: str = REPOSITORY) -> OciSource:
    host = server if isinstance(server, str) else server.host
    return OciSource(f"{host}/{repository}@{descriptor['digest']}")


def fetch(
    origin: OciSource,
    *plain: Host,
    context: FetchContext | None = None,
    keychain: Keychain | None = None,
    **settings: Any,
) -> Package:
    """Fetch with the servers of `plain` as those without TLS."""
    insecure = tuple(server.host for server in plain)
    fetcher: Fetcher = OciFetcher(OciSettings(insecure=insecure, **settings), keychain or Keychain({}))
    return fetcher.fetch(origin, [""], context or FetchContext(bounds=QUICK))


def failure_of(origin: OciSource, *plain: Host, **settings: Any) -> ArtifactFailure:
    """The failure of a fetch, which never shows what must not be shown."""
    try:
        fetch(origin, *plain, **settings)
    except ArtifactFailure as failure:
        told = failure.message + (failure.hint or "")
        assert "secret" not in told
        assert told.isprintable()
        return failure
    raise AssertionError("the fetch did not fail")


def paths(requests: Sequence[Request]) -> list[str]:
    return [request.path.partition("?")[0].rpartition("/")[2] for request in requests]
