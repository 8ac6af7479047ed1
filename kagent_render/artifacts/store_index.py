"""The index of the vendored store: which tree digest the content of each source has."""

from __future__ import annotations

import re
from typing import Any, Final

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.source_identity import Identity, identity_key
from kagent_render.diagnostics.reasons import Reason

STORE: Final = ".kagent/artifacts"
INDEX: Final = f"{STORE}/index.yaml"
API_VERSION: Final = "render.kagent.dev/v1alpha1"
KIND: Final = "ArtifactIndex"
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


def read_index(data: bytes) -> dict[str, str]:
    """The tree digest of each identity key; raises ArtifactFailure with `ConfigInvalid`."""
    digests: dict[str, str] = {}
    for number, entry in enumerate(_entries(data)):
        key, digest = _checked(entry, number)
        if digests.setdefault(key, digest) != digest:
            raise _invalid(f"gives one source two digests at `artifacts[{number}]`")
    return digests


def index_with(index: bytes | None, identity: Identity, digest: str) -> bytes:
    """The index with one more source in it, in its one spelling; raises ArtifactFailure."""
    from kagent_render.revision.canonical_yaml import dump

    kept = {}
    if index is not None:
        read_index(index)
        kept = {identity_key(entry["source"]): entry for entry in _entries(index)}
    kept[identity_key(identity)] = {"source": identity, "treeDigest": digest}
    ordered = [kept[key] for key in sorted(kept)]
    return dump({"apiVersion": API_VERSION, "kind": KIND, "artifacts": ordered}).encode()


def _entries(data: bytes) -> list[Any]:
    from kagent_render.source.failure import YAMLInvalidError
    from kagent_render.source.yaml import read_yaml

    try:
        documents = read_yaml(data)
    except YAMLInvalidError as error:
        raise _invalid(f"is not YAML: line {error.line}") from None
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or (value.get("apiVersion"), value.get("kind")) != (API_VERSION, KIND):
        raise _invalid(f"is not one `{KIND}` of `{API_VERSION}`")
    entries = value.get("artifacts") or []
    if not isinstance(entries, list):
        raise _invalid("has `artifacts` that are not a list")
    return entries


def _checked(entry: object, number: int) -> tuple[str, str]:
    if not isinstance(entry, dict) or entry.keys() != {"source", "treeDigest"}:
        raise _invalid(f"has no `source` and `treeDigest` alone at `artifacts[{number}]`")
    source, digest = entry["source"], entry["treeDigest"]
    if not isinstance(source, dict) or not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise _invalid(f"has no source or no sha256 digest at `artifacts[{number}]`")
    return identity_key(source), digest


def _invalid(fault: str) -> ArtifactFailure:
    return ArtifactFailure(
        Reason.CONFIG_INVALID,
        f"`{INDEX}` {fault}",
        hint="restore the file from Git",
    )
