"""The index of the vendored store: which tree digest the content of each source has."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.source_identity import Identity, identity_key
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.source.yaml import YAMLDocument

STORE: Final = ".kagent/artifacts"
INDEX: Final = f"{STORE}/index.yaml"
API_VERSION: Final = "render.kagent.dev/v1alpha1"
KIND: Final = "ArtifactIndex"
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A source as it is written and the tree digest of its content; `line` is where it was read."""

    identity: Identity
    digest: str
    line: int = field(default=1, compare=False)


def read_entries(data: bytes) -> dict[str, IndexEntry]:
    """The entry of each identity key; raises ArtifactFailure with `ConfigInvalid`."""
    document = _document(data)
    entries: dict[str, IndexEntry] = {}
    for number, value in enumerate(document.value.get("artifacts") or []):
        found = _checked(value, number, document)
        if entries.setdefault(identity_key(found.identity), found).digest != found.digest:
            raise _invalid(f"gives one source two digests at `artifacts[{number}]`")
    return entries


def dump_index(entries: Iterable[IndexEntry]) -> bytes:
    """The index of `entries` in its one spelling; raises ArtifactFailure at a source that has none."""
    from kagent_render.revision.canonical_json import CanonicalFormError
    from kagent_render.revision.canonical_yaml import dump

    ordered = sorted(entries, key=lambda entry: identity_key(entry.identity))
    listed = [{"source": entry.identity, "treeDigest": entry.digest} for entry in ordered]
    try:
        return dump({"apiVersion": API_VERSION, "kind": KIND, "artifacts": listed}).encode()
    except CanonicalFormError:
        raise _invalid("has a source that no manifest can name") from None


def _document(data: bytes) -> YAMLDocument:
    from kagent_render.source.failure import YAMLInvalidError
    from kagent_render.source.yaml import read_yaml

    try:
        documents = read_yaml(data)
    except YAMLInvalidError as error:
        raise _invalid(f"is not YAML: line {error.line}") from None
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or (value.get("apiVersion"), value.get("kind")) != (API_VERSION, KIND):
        raise _invalid(f"is not one `{KIND}` of `{API_VERSION}`")
    if not isinstance(value.get("artifacts") or [], list):
        raise _invalid("has `artifacts` that are not a list")
    return documents[0]


def _checked(entry: object, number: int, document: YAMLDocument) -> IndexEntry:
    if not isinstance(entry, dict) or entry.keys() != {"source", "treeDigest"}:
        raise _invalid(f"has no `source` and `treeDigest` alone at `artifacts[{number}]`")
    source, digest = entry["source"], entry["treeDigest"]
    if not isinstance(source, dict) or not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise _invalid(f"has no source or no sha256 digest at `artifacts[{number}]`")
    return IndexEntry(source, digest, document.locator.locate(("artifacts", number))[0])


def _invalid(fault: str) -> ArtifactFailure:
    return ArtifactFailure(
        Reason.CONFIG_INVALID,
        f"`{INDEX}` {fault}",
        hint="restore the file from Git, or run `kagent-render vendor --repair` to write it again",
    )
