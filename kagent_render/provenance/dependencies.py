"""What went into an output besides manifests: artifacts and images, by name and digest."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from kagent_render.api.hub import GitSource, OciSource, S3Source
from kagent_render.artifacts.failure import public_url
from kagent_render.artifacts.source_identity import source_of
from kagent_render.provenance.statement import TREE_DIGEST, Resource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent
    from kagent_render.revision.compiled_pair import CompiledPair

_SHA256 = "sha256:"


def pair_dependencies(compiled: CompiledPair) -> Iterator[Resource]:
    """The image that runs a pair, and the artifacts of all its templates."""
    for boundary, _ in compiled.boundaries:
        yield image(boundary.bundle.image)
    for resolved in compiled.resolved.values():
        for pinned in resolved.artifacts:
            yield artifact(pinned.identity, pinned.tree_digest)


def agent_dependencies(compiled: CompiledAgent) -> Iterator[Resource]:
    """The images of the plugins that a PlatformAgent's Component names."""
    for plugin in compiled.rendered:
        found = compiled.image_of(plugin)
        if found is not None:
            yield image(plugin.image, found.digest)


def image(reference: str, digest: str = "") -> Resource:
    """An image by its reference, and by the digest in it or behind it."""
    place, _, own = reference.partition("@")
    pinned = (own or digest).removeprefix(_SHA256)
    return Resource(uri=f"oci://{_quoted(place)}", digests=(("sha256", pinned),) if pinned else ())


def artifact(identity: Mapping[str, object], tree_digest: str) -> Resource:
    """An artifact by its source as a lock has it, and by the digests of source and content."""
    source = source_of(dict(identity))
    tree = (TREE_DIGEST, tree_digest.removeprefix(_SHA256))
    notes = (("path", source.path),) if source.path else ()
    match source.origin:
        case OciSource(reference):
            found = image(reference.rpartition("://")[2])
            return Resource(uri=found.uri, digests=(*found.digests, tree), notes=notes)
        case GitSource(url, commit):
            place = f"git+{public_url(url)}@{commit}"
            return Resource(uri=place, digests=(("gitCommit", commit), tree), notes=notes)
        case S3Source(bucket, key, version, endpoint, region):
            access = [("endpoint", public_url(endpoint))] if endpoint else []
            access += [("region", region)] if region else []
            place = f"s3://{_quoted(bucket)}/{_quoted(key)}?versionId={quote(version, safe='')}"
            return Resource(uri=place, digests=(tree,), notes=(*notes, *access))


def _quoted(text: str) -> str:
    return quote(text, safe="/:.-_~")
