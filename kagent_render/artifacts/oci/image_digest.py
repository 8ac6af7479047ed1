"""What the name of an image stands for now: the digest of the manifest or index behind it."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.descriptor import Descriptor
from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.manifest import read_document
from kagent_render.artifacts.oci.reference import Reference, TaggedReference
from kagent_render.artifacts.oci.tag import Tag
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.artifacts.oci.registry import Received, Registry

_CLAIM: Final = re.compile(r"(sha256|sha512):[0-9a-f]+")


def resolve_digest(image: Reference | TaggedReference, registry: Registry) -> str:
    """The digest of the document that `image` names, of an index its own; raises OciFault.

    It is computed from the document's bytes, so that a wrong `Docker-Content-Digest` is told, not pinned.
    """
    wanted = Descriptor(image.digest) if isinstance(image, Reference) else Tag(image.tag)
    received = registry.document(wanted)
    _check_claim(received)
    read_document(received.data, None, received.media_type)
    return _digest(received.data)


def _check_claim(received: Received) -> None:
    claimed = received.digest
    if claimed is None:
        return
    known = _CLAIM.fullmatch(claimed)
    if not known or claimed != _digest(received.data, known[1]):
        raise OciFault(
            Reason.ARTIFACT_DIGEST_MISMATCH,
            f"`{received.host}` calls `{printable(claimed)}` what is `{_digest(received.data)}`",
            "check the registry: what it answers does not agree with itself",
        )


def _digest(data: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm}:{hashlib.new(algorithm, data).hexdigest()}"
